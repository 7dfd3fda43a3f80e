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
#include <pub_tool_transtab.h>

#include "simpmu/vg/state.h"

struct engine engine;

struct thread *thread_get(unsigned tid)
{
	tl_assert(tid < ENGINE_MAX_TID);
	return &engine.threads[tid];
}

/* Fresh pages read as zero and take memory only once they are written. */
static void *new_pages(SizeT bytes)
{
	void *pages = VG_(am_shadow_alloc)(bytes);

	tl_assert2(pages, "no memory for a thread's counters");
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
	trap_begin_thread(tid);
	VG_(memset)(t->totals, 0, sizeof(t->totals));
	t->live = true;
	t->placed = false;
	t->parent = parent;
}

/* Bring the totals up to date with what guest code has counted. */
void thread_sum(struct thread *t)
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

void engine_totals(unsigned tid, uint64_t out[SIG_COUNT])
{
	struct thread *t = thread_get(tid);

	if (t->live)
		thread_sum(t);
	VG_(memcpy)(out, t->totals, SIG_COUNT * sizeof(*out));
}

void thread_process_totals(uint64_t out[TOTAL_COUNT])
{
	VG_(memcpy)(out, engine.ended, sizeof(engine.ended));
	for (unsigned tid = 1; tid < ENGINE_MAX_TID; tid++) {
		struct thread *t = thread_get(tid);

		if (!t->live)
			continue;
		thread_sum(t);
		for (unsigned s = 0; s < TOTAL_COUNT; s++)
			out[s] += t->totals[s];
	}
}

void engine_process_totals(uint64_t out[SIG_COUNT])
{
	uint64_t totals[TOTAL_COUNT];

	thread_process_totals(totals);
	VG_(memcpy)(out, totals, SIG_COUNT * sizeof(*out));
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
	thread_get(tid)->kernel_tid = VG_(gettid)();
	if (pmu_hooks.thread_start)
		pmu_hooks.thread_start(tid, thread_get(tid)->parent);
}

static void end(unsigned tid)
{
	struct thread *t = thread_get(tid);

	thread_sum(t);
	for (unsigned s = 0; s < TOTAL_COUNT; s++)
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
	engine.started = true;
	t->frame->fired = 0;
	if (t->placed)
		return;
	VG_(set_shadow_regs_area)
	(tid, 1, SHADOW_FRAME, sizeof(t->frame), (UChar *)&t->frame);
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
	thread_get(survivor)->kernel_tid = VG_(gettid)();
	dump_fork();
	if (pmu_hooks.fork_child)
		pmu_hooks.fork_child(survivor);
}

/* Throw all translations away. Before any guest code ran there are none. */
void engine_retranslate(void)
{
	if (!engine.started)
		return;
	VG_(discard_translations_safely)(0x1000, ~(SizeT)0xffff, "simpmu");
}

void engine_select(unsigned parts)
{
	if (parts & PART_CYCLE)
		parts |= PART_BRANCH | PART_FETCH | PART_DATA;
	if (parts == engine.parts)
		return;
	engine.parts = parts;
	engine_retranslate();
}

unsigned engine_selected(void)
{
	return engine.parts;
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
