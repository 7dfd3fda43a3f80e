/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The guest's system calls. Most go to the kernel as they are; here is what
 * concerns code, threads, processes, signals and what the guest must not see.
 */
#include "simpmu/fast/call/syscall.h"

#include <asm/prctl.h>

#include "simpmu/fast/account.h"
#include "simpmu/fast/call/exec.h"
#include "simpmu/fast/call/limit.h"
#include "simpmu/fast/call/memory.h"
#include "simpmu/fast/call/self.h"
#include "simpmu/fast/call/wait.h"
#include "simpmu/fast/call/watch.h"
#include "simpmu/fast/hook.h"
#include "simpmu/fast/model/log.h"
#include "simpmu/fast/pages.h"
#include "simpmu/fast/process.h"
#include "simpmu/fast/signal/signal.h"
#include "simpmu/fast/sys.h"
#include "simpmu/fast/thread.h"
#include "simpmu/wire.h"

#define ERROR_FAULT   (-14)
#define ERROR_NONE    (-38)   /* ENOSYS */
#define CLONE_VFORKED 0x4111u /* CLONE_VM, CLONE_VFORK, SIGCHLD */
#define SIGNAL_CHILD  17u

extern int64_t guest_syscall(const uint64_t *reg);

void syscall_rewind(struct thread *t)
{
	t->pc -= 2;
	account_undo(t, t->pc);
}

/* ---- files ---- */

/* Which argument of a call is a path; -1: none that matters. */
static int path_argument(uint64_t number)
{
	switch (number) {
	case __NR_open:
	case __NR_stat:
	case __NR_lstat:
	case __NR_access:
	case __NR_readlink:
		return RDI;
	case __NR_openat:
	case __NR_newfstatat:
	case __NR_statx:
	case __NR_faccessat:
	case __NR_readlinkat:
		return RSI;
	default:
		return -1;
	}
}

/* ---- all ---- */

/* A call that may wait: a signal that comes meanwhile is delivered at once. */
static int64_t pass_on(struct thread *t)
{
	int argument = path_argument(t->reg[RAX]);
	uint64_t reg[16];
	int64_t result;

	memcpy(reg, t->reg, sizeof(reg));
	if (self_open_maps(reg, &result))
		return result;
	if (argument >= 0 && self_is_file(reg[argument])) {
		if (reg[RAX] == __NR_readlink)
			return self_read_link(reg[RSI], reg[RDX]);
		if (reg[RAX] == __NR_readlinkat)
			return self_read_link(reg[RDX], reg[R10]);
		reg[argument] = (uint64_t)process.guest;
	}
	wait_leave_ours(reg);
	t->place = IN_SYSCALL;
	result = guest_syscall(reg);
	t->place = IN_ENGINE;
	if (result == ERROR_FAULT && pages_unprotect_all()) {
		t->place = IN_SYSCALL;
		result = guest_syscall(reg);
		t->place = IN_ENGINE;
	}
	return wait_result(t->reg, result);
}

static int64_t make_thread(struct thread *t)
{
	const uint64_t *reg = t->reg;

	switch (reg[RAX]) {
	case __NR_clone:
		wait_know_clone(reg[RDI]);
		return process_clone(t, reg[RDI], reg[RSI], reg[RDX], reg[R10],
				     reg[R8]);
	case __NR_vfork:
		return process_clone(t, CLONE_VFORKED, 0, 0, 0, 0);
	default:
		return process_clone(t, SIGNAL_CHILD, 0, 0, 0, 0);
	}
}

static int64_t call_signal(struct thread *t)
{
	switch (t->reg[RAX]) {
	case __NR_rt_sigaction:
		return signal_action(t);
	case __NR_rt_sigprocmask:
		return signal_mask(t);
	case __NR_sigaltstack:
		return signal_alternate(t);
	default:
		signal_sigreturn(t);
		return SYSCALL_AGAIN;
	}
}

/* The base of fs is a part of addresses that are logged. */
static int64_t set_segment(struct thread *t)
{
	int64_t result;

	if (t->reg[RDI] != ARCH_SET_FS)
		return guest_syscall(t->reg);
	machine_catch_up();
	result = guest_syscall(t->reg);
	if (!result)
		t->modelled.fs = t->reg[RSI];
	return result;
}

static int64_t call(struct thread *t)
{
	switch (t->reg[RAX]) {
	case __NR_rseq:
	case __NR_clone3: /* the C library uses clone then */
		return ERROR_NONE;
	case __NR_arch_prctl:
		if (t->reg[RDI] == ARCH_SET_GS || t->reg[RDI] == ARCH_GET_GS)
			process_refuse(t, "the program uses the register gs, "
					  "which the fast engine needs");
		return set_segment(t);
	case __NR_rt_sigaction:
	case __NR_rt_sigprocmask:
	case __NR_sigaltstack:
	case __NR_rt_sigreturn:
		return call_signal(t);
	case __NR_clone:
	case __NR_fork:
	case __NR_vfork:
		return make_thread(t);
	case __NR_execve:
		return exec_call(t);
	case __NR_execveat:
		return exec_at_call(t);
	case __NR_mmap:
	case __NR_munmap:
	case __NR_mremap:
	case __NR_mprotect:
	case __NR_pkey_mprotect:
	case __NR_brk:
		return memory_call(t->reg);
	default:
		return pass_on(t);
	}
}

void syscall_do(struct thread *t)
{
	int64_t result;

	if (!process.is_confined)
		hook_safe_point(t);
	if (process.fallback && !process.had_effect && watch_thread(t->reg))
		process_refuse(t, "the program has threads, which take turns "
				  "there");
	if (log_parts && watch_is_thread(t->reg))
		hook_varies(WIRE_VARIES_PARALLEL);
	watch_call(t->reg);
	if (t->reg[RAX] == __NR_exit)
		process_exit_thread(t);
	if (t->reg[RAX] == __NR_exit_group)
		process_exit(t, (int)t->reg[RDI]);
	if (process.fallback && !process.had_effect && watch_library(t->reg))
		process_refuse(t, "the program calls PAPI or libhpm");
	if (!watch_file(t->reg, &result) && !limit_call(t->reg, &result))
		result = call(t);
	if (result == SYSCALL_AGAIN) {
		syscall_rewind(t);
		return;
	}
	if (!process.is_confined)
		hook_wake(t);
	watch_after(t->reg, result);
	t->reg[RAX] = (uint64_t)result;
	t->reg[RCX] = t->pc;
	t->reg[R11] = t->flags;
}
