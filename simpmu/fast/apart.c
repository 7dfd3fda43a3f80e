/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Translations where excluded code (exclude.h) begins and ends.
 *
 * A call or jump that leads there is a block of its own that counts nothing.
 * What it leads to begins with a gate: it keeps the stack pointer in T_PAUSED
 * and goes on with the paused block of the same address. Returns of excluded
 * code compare the stack pointer with it. Compilers keep no value in flags over
 * a return, and excluded code is the library's. Pauses that do not end by such
 * a return end in the engine (pause.h).
 */
#include "simpmu/fast/block.h"
#include "simpmu/fast/emit.h"
#include "simpmu/fast/exclude.h"
#include "simpmu/fast/insn.h"
#include "simpmu/fast/map.h"
#include "simpmu/fast/path.h"
#include "simpmu/fast/pause.h"
#include "simpmu/fast/sys.h"
#include "simpmu/fast/thread.h"

#define NOT_BELOW 3 /* condition of jae */
#define ABOVE     7 /* condition of ja */

bool apart_is_at(uint64_t pc, bool is_start)
{
	const struct x86 *found;
	struct x86 x;

	if (!exclude_any())
		return false;
	if (exclude_holds(pc) || (is_start && exclude_is_led_to(pc)))
		return true;
	found = insn_at(pc);
	if (!found)
		return false;
	x = *found;
	return exclude_is_way(pc, &x);
}

void apart_emit(struct path *path)
{
	uint64_t pc = path->pc, next;
	const struct x86 *x;
	bool is_call;

	map_add(pc, FIX_NONE);
	if (exclude_is_led_to(pc)) {
		emit_store(RSP, T_PAUSED);
		exit_emit(key_of(pc, MODE_PAUSED));
		return;
	}
	x = insn_at(pc);
	next = pc + x->length;
	is_call = x->branch == BRANCH_CALL;
	path->pc = next + (uint64_t)(int64_t)x->relative;
	if (is_call)
		path_push(path, next);
	exit_emit(path_key(path, path->pc));
}

/* Leave the cache by the branch if @jump is taken. */
static void leave_by(uint8_t *jump, uint64_t pc, const struct x86 *x,
		     bool is_saved)
{
	emit_to_stubs();
	emit_patch(jump, emit_at);
	if (is_saved)
		path_restore_flags();
	emit_store(RCX, T_SPILL0);
	path_target(pc, x);
	emit_store(RCX, T_PC);
	emit_load(RCX, T_SPILL0);
	emit_leave(EXIT_RETURN);
	emit_to_cache();
}

/* longjmp() is a jump with the stack above; those of linkage stubs are not. */
void apart_emit_branch(uint64_t pc, const struct x86 *x)
{
	if (x->branch == BRANCH_RETURN && exclude_holds(pc)) {
		emit_compare(RSP, T_PAUSED);
		leave_by(emit_jump_if(NOT_BELOW), pc, x, false);
	} else if (x->branch == BRANCH_IND_JUMP && !(x->flags & X86_RIP)) {
		path_save_flags();
		emit_compare(RSP, T_PAUSED);
		leave_by(emit_jump_if(ABOVE), pc, x, true);
		path_restore_flags();
	}
}

/* ---- ends of pauses ---- */

/* mov $15, %rax; syscall: what a signal handler returns to */
static const uint8_t sigreturn[] = { 0x48, 0xc7, 0xc0, 0x0f, 0x00,
				     0x00, 0x00, 0x0f, 0x05 };

#define SYSCALL_BYTES 2

static bool is_sigreturn(uint64_t pc)
{
	uint8_t code[sizeof(sigreturn)];

	return !guest_copy(code, (const void *)pc, sizeof(code)) &&
	       !memcmp(code, sigreturn, sizeof(sigreturn));
}

void pause_return(struct thread *t)
{
	if (!is_sigreturn(t->pc))
		t->paused = 0;
}

void pause_sigreturn(struct thread *t)
{
	if (t->paused && t->reg[RSP] > t->paused)
		t->paused = 0;
}

void pause_look(struct thread *t)
{
	bool is_led_to;

	if (!t->paused || t->reg[RSP] <= t->paused)
		return;
	engine_lock();
	is_led_to = exclude_is_led_to(t->pc);
	engine_unlock();
	/* at a system call, t->pc is behind it */
	if (!is_led_to && !is_sigreturn(t->pc) &&
	    !is_sigreturn(t->pc - (sizeof(sigreturn) - SYSCALL_BYTES)) &&
	    !is_sigreturn(t->pc - sizeof(sigreturn)))
		t->paused = 0;
}
