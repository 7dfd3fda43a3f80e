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
#include <pub_tool_libcprint.h>
#include <pub_tool_libcproc.h>
#include <pub_tool_machine.h>
#include <pub_tool_tooliface.h>

#include "simpmu/vg/contention.h"
#include "simpmu/vg/exclude/entry.h"
#include "simpmu/vg/exclude/pause.h"
#include "simpmu/vg/fresh.h"
#include "simpmu/vg/host/due.h"
#include "simpmu/vg/machine.h"
#include "simpmu/vg/order/order.h"
#include "simpmu/vg/repeat.h"
#include "simpmu/vg/second.h"
#include "simpmu/vg/state.h"
#include "simpmu/wire.h"

struct engine engine;

struct thread *thread_get(unsigned tid)
{
	tl_assert(tid < ENGINE_MAX_TID);
	return &engine.threads[tid];
}

/* Fresh pages read as zero and take memory only once they are written. */
static void *new_pages(SizeT bytes)
{
	void *pages = fresh_pages(bytes);

	if (!pages) {
		VG_(printf)
		("simpmu: no memory for a thread's counters: %lu bytes\n",
		 bytes);
		VG_(exit)(125);
	}
	return pages;
}

static void begin(unsigned tid, unsigned parent)
{
	struct thread *t = thread_get(tid);

	if (!t->frame) {
		t->frame = new_pages(sizeof(*t->frame));
		t->summed = new_pages(sizeof(t->frame->entered));
	} else {
		SizeT used = segment_count() * sizeof(uint64_t);

		VG_(memset)(t->frame->entered, 0, used);
		VG_(memset)(t->summed, 0, used);
	}
	trap_disarm_frame(t->frame);
	VG_(memset)(t->totals, 0, sizeof(t->totals));
	if (engine.parts & PART_FETCH) /* the line it begins in */
		t->totals[TALLY_COUNT + EXTRA_SEEN_FETCHES] = 1;
	t->live = true;
	t->is_running = t->is_summed = false;
	t->paused = false;
	t->parent = parent;
}

static void sum_segments(struct thread *t)
{
	const uint64_t *entered = t->frame->entered;
	uint32_t n = segment_count();

	for (uint32_t i = 0; i < n; i++) {
		uint64_t delta = entered[i] - t->summed[i];
		const struct effect *e;
		unsigned terms;

		if (!delta)
			continue;
		t->summed[i] = entered[i];
		e = segment_effects(i, &terms);
		for (unsigned k = 0; k < terms; k++)
			t->totals[e[k].total] +=
				delta * (uint64_t)(int64_t)e[k].amount;
	}
}

/*
 * Bring the totals up to date with what guest code has counted. At each stop of
 * one thread all are asked for, and there are many segments: those of threads
 * that have not run since are not looked at again.
 */
void thread_sum(unsigned tid)
{
	struct thread *t = thread_get(tid);

	if (!t->is_summed)
		sum_segments(t);
	t->is_summed = !t->is_running;
	machine_sum(tid, t->totals);
}

void thread_forget_segments(void)
{
	SizeT used = segment_count() * sizeof(uint64_t);

	for (unsigned tid = 1; tid < ENGINE_MAX_TID; tid++) {
		struct thread *t = thread_get(tid);

		if (t->live)
			thread_sum(tid);
		if (!t->frame)
			continue;
		VG_(memset)(t->frame->entered, 0, used);
		VG_(memset)(t->summed, 0, used);
	}
	segment_reset();
}

static void get_totals(unsigned tid, uint64_t out[TOTAL_COUNT])
{
	struct thread *t = thread_get(tid);

	if (t->live)
		thread_sum(tid);
	VG_(memcpy)(out, t->totals, sizeof(t->totals));
	machine_finish_totals(tid, out);
}

void engine_totals(unsigned tid, uint64_t out[TALLY_COUNT])
{
	uint64_t totals[TOTAL_COUNT];

	get_totals(tid, totals);
	VG_(memcpy)(out, totals, TALLY_COUNT * sizeof(*out));
}

void thread_process_totals(uint64_t out[TOTAL_COUNT])
{
	VG_(memcpy)(out, engine.ended, sizeof(engine.ended));
	for (unsigned tid = 1; tid < ENGINE_MAX_TID; tid++) {
		uint64_t totals[TOTAL_COUNT];

		if (!thread_get(tid)->live)
			continue;
		get_totals(tid, totals);
		for (unsigned s = 0; s < TOTAL_COUNT; s++)
			out[s] += totals[s];
	}
}

void engine_process_totals(uint64_t out[TALLY_COUNT])
{
	uint64_t totals[TOTAL_COUNT];

	thread_process_totals(totals);
	VG_(memcpy)(out, totals, TALLY_COUNT * sizeof(*out));
}

static void on_create(ThreadId parent, ThreadId child)
{
	begin(child, parent);
	if (!parent)
		return;
	if (pmu_hooks.thread_create)
		pmu_hooks.thread_create(child, parent);
	machine_share();
	contention_create(parent);
	contention_begin(child);
	if (order_is_on()) {
		order_begin(child);
		return;
	}
	due_create(child);
	if (pmu_hooks.varies)
		pmu_hooks.varies(WIRE_VARIES_THREADS);
}

static void on_first_instruction(ThreadId tid)
{
	thread_get(tid)->kernel_tid = VG_(gettid)();
	if (pmu_hooks.thread_start)
		pmu_hooks.thread_start(tid, thread_get(tid)->parent);
	if (!thread_get(tid)->parent) {
		repeat_begin();
		entry_begin(tid);
	}
}

static void end(unsigned tid)
{
	struct thread *t = thread_get(tid);

	get_totals(tid, t->totals);
	for (unsigned s = 0; s < TOTAL_COUNT; s++)
		engine.ended[s] += t->totals[s];
	machine_end_thread(tid);
	t->live = false;
}

static void on_exit(ThreadId tid)
{
	if (pmu_hooks.thread_exit)
		pmu_hooks.thread_exit(tid);
	end(tid);
	if (order_is_on())
		order_end(tid);
	else
		due_end(tid);
}

/*
 * Set the shadow registers. Each time, because returning from a signal handler
 * restores what they were when it began.
 */
static void on_start_running(ThreadId tid, ULong blocks)
{
	struct thread *t = thread_get(tid);
	Addr place[2];

	(void)blocks;
	engine.running = tid;
	t->is_running = true;
	t->is_summed = false;
	if (pmu_hooks.thread_runs)
		pmu_hooks.thread_runs(tid);
	wrongpath_start();
	t->frame->fired = 0;
	place[0] = (Addr)pause_frame(tid);
	place[1] = (Addr)pause_core(tid);
	contention_begin_turn(tid);
	VG_(set_shadow_regs_area)
	(tid, 1, SHADOW_FRAME, sizeof(place), (UChar *)place);
}

static void on_stop_running(ThreadId tid, ULong blocks)
{
	thread_get(tid)->is_running = false;
	order_pass(blocks);
	contention_stop(tid);
	pause_stop(tid);
	if (pmu_hooks.safe_point)
		pmu_hooks.safe_point(tid);
	translate_stop();
	second_consider();
}

/* Only the thread that forked exists in the child. */
static void on_fork(ThreadId survivor)
{
	for (unsigned tid = 1; tid < ENGINE_MAX_TID; tid++)
		if (tid != survivor && thread_get(tid)->live)
			end(tid);
	thread_get(survivor)->kernel_tid = VG_(gettid)();
	second_fork();
	dump_fork();
	if (pmu_hooks.fork_child)
		pmu_hooks.fork_child(survivor);
}

static void on_forked(ThreadId tid)
{
	(void)tid;
	if (pmu_hooks.fork_parent)
		pmu_hooks.fork_parent();
}

void thread_register(void)
{
	VG_(track_pre_thread_ll_create)(on_create);
	VG_(track_pre_thread_first_insn)(on_first_instruction);
	VG_(track_pre_thread_ll_exit)(on_exit);
	VG_(track_start_client_code)(on_start_running);
	VG_(track_stop_client_code)(on_stop_running);
	VG_(atfork)(NULL, on_forked, on_fork);
}
