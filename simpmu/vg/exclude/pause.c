/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pausing: while excluded text has been called and has not returned,
 * everything the thread runs is left out, also what that text calls elsewhere.
 *
 * Entering from outside keeps the stack pointer, which then points to the
 * return address. A return that takes the stack above it ends the pause. In
 * between the thread counts into a frame that nobody reads, and runs on a core
 * that nothing is shown to: the code of the C library is translated once and
 * must count for others. So a call of the library, or an interrupt, leaves the
 * modelled machine as it is.
 *
 * A handler in excluded text returns to code that asks the kernel to go back
 * to where the signal came; the pause lasts until then. If a pause is left by
 * longjmp(), it ends as soon as guest code stops with the stack above.
 */
#include <libvex_guest_amd64.h>
#include <pub_tool_aspacemgr.h>
#include <pub_tool_basics.h>
#include <pub_tool_libcassert.h>
#include <pub_tool_libcbase.h>
#include <pub_tool_machine.h>
#include <pub_tool_vki.h>

#include "simpmu/vg/exclude/pause.h"
#include "simpmu/vg/fresh.h"
#include "simpmu/vg/ir.h"
#include "simpmu/vg/machine.h"

static struct frame *nowhere; /* the frame that nobody reads */

/* mov $15, %rax; syscall: what a signal handler returns to */
static const UChar sigreturn_code[] = { 0x48, 0xc7, 0xc0, 0x0f, 0x00,
					0x00, 0x00, 0x0f, 0x05 };

static bool is_sigreturn(Addr at)
{
	return VG_(am_is_valid_for_client)(at, sizeof(sigreturn_code),
					   VKI_PROT_READ) &&
	       !VG_(memcmp)((const void *)at, sigreturn_code,
			    sizeof(sigreturn_code));
}

struct frame *pause_frame(unsigned tid)
{
	struct thread *t = thread_get(tid);

	return t->paused ? nowhere : t->frame;
}

struct core *pause_core(unsigned tid)
{
	return thread_get(tid)->paused ? machine_idle : machine_core(tid);
}

/* The running thread goes on where pause_frame() and pause_core() say. */
static void set_place(VexGuestAMD64State *guest)
{
	char *shadow = (char *)guest + sizeof(*guest);

	*(struct frame **)(shadow + SHADOW_FRAME) = pause_frame(engine.running);
	*(struct core **)(shadow + SHADOW_CORE) = pause_core(engine.running);
}

static void end_pause(unsigned tid)
{
	thread_get(tid)->paused = false;
}

void pause_begin(unsigned tid)
{
	struct thread *t = thread_get(tid);

	t->paused = true;
	t->pause_stack = ~(Addr)0; /* no return comes above it */
}

void pause_end(void *guest)
{
	end_pause(engine.running);
	set_place(guest);
}

/* Called at the start of excluded blocks by threads that are not paused. */
static void enter(VexGuestAMD64State *guest)
{
	struct thread *t = thread_get(engine.running);

	t->paused = true;
	t->pause_stack = guest->guest_RSP;
	set_place(guest);
}

/* Called behind the returns of excluded blocks; @to is where they go. */
static void leave(VexGuestAMD64State *guest, ULong to)
{
	struct thread *t = thread_get(engine.running);

	if (!t->paused || guest->guest_RSP <= t->pause_stack)
		return;
	if (is_sigreturn(to))
		return;
	end_pause(engine.running);
	set_place(guest);
}

void pause_sigreturn(unsigned tid)
{
	struct thread *t = thread_get(tid);

	/* the stack is one slot above the return address it began with */
	if (t->paused && VG_(get_SP)(tid) > t->pause_stack)
		end_pause(tid);
}

void pause_stop(unsigned tid)
{
	Addr at;

	if (!thread_get(tid)->paused ||
	    VG_(get_SP)(tid) <= thread_get(tid)->pause_stack)
		return;
	at = VG_(get_IP)(tid); /* behind the instruction of a system call */
	if (!exclude_is_led_to(at) && !is_sigreturn(at) &&
	    !is_sigreturn(at - (sizeof(sigreturn_code) - 2)) &&
	    !is_sigreturn(at - sizeof(sigreturn_code)))
		end_pause(tid);
}

/* Both calls look at the guest's stack pointer. */
static void emit_call(IRSB *sb, const HChar *name, void *function,
		      IRExpr **args, IRExpr *guard)
{
	ir_call(sb, name, function, args, guard, Ifx_Read,
		offsetof(VexGuestAMD64State, guest_RSP), sizeof(ULong));
}

void pause_emit_enter(IRSB *sb, const VexGuestLayout *layout)
{
	IRExpr *frame = ir_shadow(sb, layout, SHADOW_FRAME);

	emit_call(sb, "enter", &enter, mkIRExprVec_1(IRExpr_GSPTR()),
		  ir_test(sb, Iop_CmpNE64, frame,
			  ir_const((uint64_t)(Addr)nowhere)));
}

void pause_emit_leave(IRSB *sb)
{
	emit_call(sb, "leave", &leave,
		  mkIRExprVec_2(IRExpr_GSPTR(), deepCopyIRExpr(sb->next)),
		  NULL);
}

void pause_init(void)
{
	nowhere = fresh_pages(sizeof(*nowhere));
	tl_assert2(nowhere, "no memory for counters");
	trap_disarm_frame(nowhere);
}
