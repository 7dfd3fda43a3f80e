/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Faults in the middle of a segment. A segment is counted when it is entered;
 * an instruction in it that faults, and those behind it, must be taken back.
 *
 * Valgrind tells neither the segment nor whether a signal is a fault, so both
 * are inferred: the guest's instruction pointer is kept exact at memory
 * accesses, and every segment that contains it ends at the same place. A
 * signal sent to itself by the guest arrives behind a system call, any other
 * one between blocks.
 */
#include <pub_tool_basics.h>
#include <pub_tool_libcbase.h>
#include <pub_tool_machine.h>
#include <pub_tool_tooliface.h>
#include <pub_tool_vki.h>

#include "simpmu/vg/state.h"
#include "simpmu/x86/decode.h"
#include "simpmu/x86/effect.h"

static bool is_fault_signal(Int signo)
{
	return signo == VKI_SIGSEGV || signo == VKI_SIGBUS ||
	       signo == VKI_SIGFPE;
}

/* Add what the instructions in [@from, @to) count. */
static void add_instructions(Addr from, Addr to, int32_t *amount)
{
	while (from < to) {
		struct x86 x;

		if (!x86_decode((const uint8_t *)from, X86_MAX_LENGTH, &x))
			return;
		effect_of_instruction(&x, x.length, amount);
		from += x.length;
	}
}

/* Take back what @segment counted at @at and behind. */
static void take_back(struct thread *t, uint32_t segment, Addr start, Addr at,
		      bool inside)
{
	int32_t done[SIG_ARCH_COUNT] = { 0 };
	unsigned n;
	const struct effect *e = segment_effects(segment, &n);

	add_instructions(start, at, done);
	if (inside && start == at) {
		/* an iteration of a rep string: it will start afresh */
		int32_t once[SIG_ARCH_COUNT] = { 0 };

		add_instructions(at, at + 1, once);
		for (unsigned s = 0; s < SIG_ARCH_COUNT; s++)
			done[s] -= once[s];
	}
	for (unsigned i = 0; i < n; i++)
		t->totals[e[i].total] -= (uint64_t)(int64_t)e[i].amount;
	for (unsigned s = 0; s < SIG_ARCH_COUNT; s++)
		t->totals[s] += (uint64_t)(int64_t)done[s];
}

static bool is_behind_syscall(Addr at)
{
	const uint8_t *code = (const uint8_t *)at;

	return code[-2] == 0x0f && code[-1] == 0x05;
}

static void correct(unsigned tid, bool may_start_segment)
{
	Addr at = VG_(get_IP)(tid), start = 0;
	bool inside = false;
	int64_t segment = segment_find(at, &inside, &start);

	if (segment < 0 || exclude_holds(at) || is_behind_syscall(at))
		return;
	if (start == at && !inside && !may_start_segment)
		return;
	take_back(thread_get(tid), (uint32_t)segment, start, at, inside);
}

static void on_signal(ThreadId tid, Int signo, Bool alt_stack)
{
	(void)alt_stack;
	if (is_fault_signal(signo))
		correct(tid, true);
}

/* A fault that ended the process was not announced. */
void fault_finish(void)
{
	for (unsigned tid = 1; tid < ENGINE_MAX_TID; tid++)
		if (thread_get(tid)->live)
			correct(tid, false);
}

void fault_register(void)
{
	VG_(track_pre_deliver_signal)(on_signal);
}
