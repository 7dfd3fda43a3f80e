/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Guest threads: their counters and sums, and when they begin and end.
 *
 * Valgrind runs one guest thread at a time and says when it changes. Guest
 * code finds its counters through a shadow register, so counting per thread
 * costs the fast path nothing.
 */
#include <pub_tool_aspacemgr.h>
#include <pub_tool_basics.h>
#include <pub_tool_libcassert.h>
#include <pub_tool_libcbase.h>
#include <pub_tool_libcproc.h>
#include <pub_tool_machine.h>
#include <pub_tool_tooliface.h>

#include "simpmu/vg/state.h"

struct engine engine;

struct thread *thread_get(unsigned tid)
{
	tl_assert(tid < ENGINE_MAX_TID);
	return &engine.threads[tid];
}

/* Fresh pages read as zero and take memory only once they are written. */
static uint64_t *new_counters(void)
{
	uint64_t *counters =
		VG_(am_shadow_alloc)(SEGMENT_MAX * sizeof(uint64_t));

	tl_assert2(counters, "no memory for a thread's counters");
	return counters;
}

static void begin(unsigned tid, unsigned parent)
{
	struct thread *t = thread_get(tid);

	if (!t->entered) {
		t->entered = new_counters();
		t->summed = new_counters();
	} else {
		SizeT used = segment_count() * sizeof(uint64_t);

		VG_(memset)(t->entered, 0, used);
		VG_(memset)(t->summed, 0, used);
	}
	VG_(memset)(t->totals, 0, sizeof(t->totals));
	t->live = true;
	t->placed = false;
	t->parent = parent;
}

/* Bring the totals up to date with what guest code has counted. */
void thread_sum(struct thread *t)
{
	uint32_t n = segment_count();

	for (uint32_t i = 0; i < n; i++) {
		uint64_t delta = t->entered[i] - t->summed[i];
		const struct effect *e;
		unsigned terms;

		if (!delta)
			continue;
		t->summed[i] = t->entered[i];
		e = segment_effects(i, &terms);
		for (unsigned k = 0; k < terms; k++)
			t->totals[e[k].signal] +=
				delta * (uint64_t)(int64_t)e[k].amount;
	}
}

void engine_totals(unsigned tid, uint64_t out[SIG_COUNT])
{
	struct thread *t = thread_get(tid);

	if (t->live)
		thread_sum(t);
	VG_(memcpy)(out, t->totals, sizeof(t->totals));
}

void engine_process_totals(uint64_t out[SIG_COUNT])
{
	VG_(memcpy)(out, engine.ended, sizeof(engine.ended));
	for (unsigned tid = 1; tid < ENGINE_MAX_TID; tid++) {
		struct thread *t = thread_get(tid);

		if (!t->live)
			continue;
		thread_sum(t);
		for (unsigned s = 0; s < SIG_COUNT; s++)
			out[s] += t->totals[s];
	}
}

uint64_t engine_clock(unsigned tid)
{
	struct thread *t = thread_get(tid);

	if (t->live)
		thread_sum(t);
	return t->totals[engine.parts & PART_CYCLE ? SIG_CYCLES : SIG_INS];
}

static void on_create(ThreadId parent, ThreadId child)
{
	begin(child, parent);
}

static void on_first_instruction(ThreadId tid)
{
	if (pmu_hooks.thread_start)
		pmu_hooks.thread_start(tid, thread_get(tid)->parent);
}

static void end(unsigned tid)
{
	struct thread *t = thread_get(tid);

	thread_sum(t);
	for (unsigned s = 0; s < SIG_COUNT; s++)
		engine.ended[s] += t->totals[s];
	t->live = false;
}

static void on_exit(ThreadId tid)
{
	if (pmu_hooks.thread_exit)
		pmu_hooks.thread_exit(tid);
	end(tid);
}

static void on_start_running(ThreadId tid, ULong blocks)
{
	struct thread *t = thread_get(tid);

	(void)blocks;
	if (t->placed)
		return;
	VG_(set_shadow_regs_area)
	(tid, 1, SHADOW_ENTERED, sizeof(t->entered), (UChar *)&t->entered);
	t->placed = true;
}

static void on_stop_running(ThreadId tid, ULong blocks)
{
	(void)blocks;
	if (pmu_hooks.safe_point)
		pmu_hooks.safe_point(tid);
}

/* Only the thread that forked exists in the child. */
static void on_fork(ThreadId survivor)
{
	for (unsigned tid = 1; tid < ENGINE_MAX_TID; tid++)
		if (tid != survivor && thread_get(tid)->live)
			end(tid);
	dump_fork();
	if (pmu_hooks.fork_child)
		pmu_hooks.fork_child(survivor);
}

void thread_register(void)
{
	VG_(track_pre_thread_ll_create)(on_create);
	VG_(track_pre_thread_first_insn)(on_first_instruction);
	VG_(track_pre_thread_ll_exit)(on_exit);
	VG_(track_start_client_code)(on_start_running);
	VG_(track_stop_client_code)(on_stop_running);
	VG_(atfork)(NULL, NULL, on_fork);
}
