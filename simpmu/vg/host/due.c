/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Threads that are due: another thread has created or woken them, but the
 * kernel has not let them run since, so they have not asked for a turn. On busy
 * processors that takes milliseconds, in which the others would run a million
 * blocks: a thread could finish its work before the second one begins. So a
 * place in the queue is kept for each (turns.c), and the others wait for it.
 *
 * A thread is woken by a futex call of another one. The kernel tells how many
 * it woke, not which. Threads that wait for anything else (a pipe, a time, the
 * end of a thread) come when the kernel lets them. With --repeatable=yes none
 * of this is needed: threads wait in order.c.
 */
#include "simpmu/vg/host/due.h"

#include <libvex_guest_amd64.h>
#include <pub_tool_machine.h>
#include <pub_tool_vki.h>
#include <pub_tool_vkiscnums.h>

#include "simpmu/pmu/engine.h"
#include "simpmu/vg/contention.h"
#include "simpmu/vg/host/turns.h"

/* Of futex(). */
#define OPERATION_MASK 127u

static struct {
	bool is_new[ENGINE_MAX_TID];
	bool waits[ENGINE_MAX_TID]; /* for a futex, in the kernel */
} due;

void due_reset(void)
{
	for (UInt i = 0; i < ENGINE_MAX_TID; i++)
		due.is_new[i] = due.waits[i] = false;
}

void due_create(ThreadId tid)
{
	due.is_new[tid] = true;
	due.waits[tid] = false;
	turns_expect(tid);
}

void due_end(ThreadId tid)
{
	if (due.is_new[tid])
		turns_cancel(tid);
	due.is_new[tid] = false;
}

static bool wakes(UInt number, const UWord *args)
{
	UWord operation = args[1] & OPERATION_MASK;

	return number == __NR_futex && (operation == VKI_FUTEX_WAKE ||
					operation == VKI_FUTEX_WAKE_BITSET ||
					operation == VKI_FUTEX_WAKE_OP);
}

static bool waits(UInt number, const UWord *args)
{
	UWord operation = args[1] & OPERATION_MASK;

	return number == __NR_futex && (operation == VKI_FUTEX_WAIT ||
					operation == VKI_FUTEX_WAIT_BITSET);
}

/* Threads of other processes may wait for words that are not private. */
static bool is_private(const UWord *args)
{
	return (args[1] & VKI_FUTEX_PRIVATE_FLAG) != 0;
}

/* The thread keeps its place where the call does not sleep: the kernel may let
 * another one run in its stead. */
void due_before_syscall(ThreadId tid, UInt number, const UWord *args)
{
	turns_yield(number == __NR_sched_yield || wakes(number, args));
	due.waits[tid] = waits(number, args) && is_private(args);
	if (wakes(number, args) && is_private(args))
		turns_begin_wake();
}

void due_after_syscall(UInt number, const UWord *args, SysRes result)
{
	turns_yield(false);
	if (wakes(number, args) && is_private(args))
		turns_end_wake(sr_isError(result) ? 0 : (UInt)sr_Res(result));
}

/* Whether the call that @tid comes from succeeded: it was woken, and did not
 * wait in vain. */
static bool has_succeeded(ThreadId tid)
{
	ULong result;

	VG_(get_shadow_regs_area)
	(tid, (UChar *)&result, 0, offsetof(VexGuestAMD64State, guest_RAX),
	 sizeof(result));
	return result == 0;
}

void due_arrive(ThreadId tid)
{
	if (due.is_new[tid]) {
		turns_claim(tid);
	} else if (due.waits[tid] && has_succeeded(tid)) {
		contention_begin(tid);
		turns_claim(TURNS_WOKEN);
	}
	due.is_new[tid] = due.waits[tid] = false;
}
