/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The calls of hpm.h. A start does its bookkeeping and then reads; a stop
 * reads and then does its bookkeeping, so that little of it is counted. Time is
 * read last and first: how long the counters take to be read depends on how
 * many threads there are, so it is measured each time (sections_charge()).
 */
#include <hpm.h>

#include <papi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include <assay/assay.h>

#include "base/clock.h"
#include "hpm/calibrate.h"
#include "hpm/file.h"
#include "hpm/hold.h"
#include "hpm/live.h"
#include "hpm/state.h"

static const char uncounted[] = "the counters could not be read";

static void set_hooks(void);

static pthread_once_t hooks = PTHREAD_ONCE_INIT;

/* A program may begin without hpmInit(), and its end is an end all the same. */
static struct hpm_state *get_state(void)
{
	struct hpm_state *state = state_current();

	if (state)
		return state;
	pthread_once(&hooks, set_hooks);
	return state_init(0, NULL);
}

/*
 * The counters' part of a read. NULL, or why there should be one but is none.
 */
static const char *read_counters(struct hpm_state *state, struct hpm_thread *t,
				 enum section_kind kind, int64_t *reads)
{
	long long *values = (long long *)(reads + 1);
	const char *why = NULL;
	int err = PAPI_OK;

	if (state->events.counted == 0)
		return NULL;
	if (kind == SECTION_PROCESS) { /* any thread may read it */
		pthread_mutex_lock(&state->process_lock);
		if (state->process_set == PAPI_NULL)
			why = state->process_why;
		else
			err = PAPI_read(state->process_set, values);
		pthread_mutex_unlock(&state->process_lock);
	} else if (t->set == PAPI_NULL) {
		why = t->why;
	} else {
		err = PAPI_read(t->set, values);
	}
	if (err) {
		snprintf(t->why, sizeof(t->why), "%s", assay_error());
		why = t->why;
	}
	return why && !*why ? uncounted : why;
}

static bool is_cost(int id)
{
	return id == HPM_COST_OUTER || id == HPM_COST_INNER;
}

/* A section of a thread needs the thread's set. True if it was made just now,
 * which takes long. */
static bool need_set(struct hpm_state *state, struct hpm_thread *t,
		     enum section_kind kind, int id)
{
	if (kind == SECTION_THREAD)
		return thread_need_set(state, t,
				       is_cost(id) ? SET_FOR_COSTS
						   : SET_FOR_SECTIONS);
	if (!is_cost(id))
		atomic_store_explicit(&state->process_used, true,
				      memory_order_relaxed);
	return false;
}

/* Read at the start of a section that was entered just now. */
static void read_start(struct hpm_state *state, struct hpm_thread *t,
		       struct sections *s, enum section_kind kind,
		       int64_t *reads)
{
	int64_t *thread = sections_thread_reads(s);
	const char *why;

	if (thread && read_counters(state, t, SECTION_THREAD, thread))
		sections_fail_thread(s);
	why = read_counters(state, t, kind, reads);
	if (why)
		sections_fail(s, why);
	reads[0] = (int64_t)clock_real_ns();
}

static void enter_section(struct hpm_state *state, enum section_kind kind,
			  int id, const char *label,
			  const struct hpm_place *place)
{
	uint64_t began = clock_real_ns(), ready = began;
	struct hpm_thread *t = state_thread(state);
	struct sections *s;
	int64_t *reads;

	if (!t)
		return;
	s = is_cost(id) ? &t->costs : &t->sections;
	if (need_set(state, t, kind, id))
		ready = clock_real_ns();
	if (state->marks && !is_cost(id))
		live_mark(state->marks, began, id, label, true);
	thread_lock(t);
	reads = sections_enter(s, kind, id, label, place);
	if (reads) {
		read_start(state, t, s, kind, reads);
		sections_charge(s, (uint64_t)reads[0] - ready);
		sections_charge_around(s, ready - began);
	}
	thread_unlock(t);
	if (!reads)
		state_problem(state, "out of memory", id, place);
}

static void start(enum section_kind kind, int id, const char *label,
		  const struct hpm_place *place)
{
	struct hpm_state *state;

	if (!call_begin())
		return;
	state = get_state();
	if (state)
		enter_section(state, kind, id, label, place);
	call_end();
}

static void report_stop(struct hpm_state *state, enum stop_result result,
			int id, const struct hpm_place *place)
{
	if (result == STOP_UNKNOWN)
		state_problem(state, "stopped but not started", id, place);
	else if (result == STOP_CROSSED)
		state_problem(state,
			      "stopped while sections inside it were open", id,
			      place);
}

/* Tell who watches, and write the file if it is time. False: neither. */
static bool do_rare_work(struct hpm_state *state, int id, uint64_t now)
{
	uint64_t last = atomic_load(&state->written_ns);

	if (state->marks)
		live_mark(state->marks, now, id, NULL, false);
	if (state->checkpoint_ns == 0 || now - last < state->checkpoint_ns)
		return state->marks;
	if (atomic_compare_exchange_strong(&state->written_ns, &last, now))
		file_write(state, FILE_CHECKPOINT);
	return true;
}

/* Read at the end of section @id: what it is of first, it is the nearest. */
static void read_stop(struct hpm_state *state, struct hpm_thread *t,
		      const struct sections *s, enum section_kind kind, int id,
		      struct reading *reading)
{
	int64_t *thread = t->now + s->quantities;

	t->now[0] = (int64_t)clock_real_ns();
	*reading = (struct reading){
		.now = t->now,
		.why = read_counters(state, t, kind, t->now),
	};
	if (sections_needs_thread(s, kind, id) &&
	    !read_counters(state, t, SECTION_THREAD, thread))
		reading->thread = thread;
}

static void leave_section(struct hpm_state *state, enum section_kind kind,
			  int id, const struct hpm_place *place)
{
	static const struct cost no_costs[SECTION_KINDS];
	struct hpm_thread *t = state_thread(state);
	enum stop_result result;
	struct reading reading;
	struct sections *s;
	uint64_t charged;

	if (!t)
		return;
	s = is_cost(id) ? &t->costs : &t->sections;
	read_stop(state, t, s, kind, id, &reading);
	thread_lock(t);
	result = sections_leave(s, kind, id, place, &reading,
				is_cost(id) ? no_costs : state->costs);
	charged = clock_real_ns();
	if (result != STOP_UNKNOWN)
		sections_charge(s, charged - (uint64_t)t->now[0]);
	thread_unlock(t);
	if (id == HPM_COST_OUTER)
		calibrate(state, t, kind);
	if (result != STOP_OK)
		report_stop(state, result, id, place);
	if (!is_cost(id) && do_rare_work(state, id, (uint64_t)t->now[0])) {
		thread_lock(t);
		sections_charge(s, clock_real_ns() - charged);
		thread_unlock(t);
	}
}

static void stop(enum section_kind kind, int id, const struct hpm_place *place)
{
	struct hpm_state *state;

	if (!call_begin())
		return;
	state = get_state();
	if (state)
		leave_section(state, kind, id, place);
	call_end();
}

/* Who calls the functions by their own names may have none. */
static const struct hpm_place *place_or_none(const struct hpm_place *place)
{
	static const struct hpm_place none = { "", 0 };

	return place && place->file ? place : &none;
}

void hpm_start_at(int id, const char *label, const struct hpm_place *place)
{
	start(SECTION_PROCESS, id, label, place_or_none(place));
}

void hpm_stop_at(int id, const struct hpm_place *place)
{
	stop(SECTION_PROCESS, id, place_or_none(place));
}

void hpm_tstart_at(int id, const char *label, const struct hpm_place *place)
{
	start(SECTION_THREAD, id, label, place_or_none(place));
}

void hpm_tstop_at(int id, const struct hpm_place *place)
{
	stop(SECTION_THREAD, id, place_or_none(place));
}

/* Beginning and end. */

/* Sections still open are a mistake, or the program ended early. */
static void report_open(struct hpm_state *state)
{
	for (struct hpm_thread *t = state->threads; t; t = t->next) {
		const struct section *section;

		thread_lock(t);
		for (size_t i = 0;
		     (section = sections_open_at(&t->sections, i)); i++)
			state_problem(
				state, "started but not stopped", section->id,
				&(struct hpm_place){ section->file,
						     section->line_start });
		thread_unlock(t);
	}
}

/*
 * Whether there is something to write. An hpmTerminate() without hpmInit(),
 * such as a second one, begins by measuring costs: that is no reason to put an
 * empty file in the place of another.
 */
static bool is_worth_a_file(struct hpm_state *state)
{
	bool worth = state->asked || state->problems_n > 0;

	for (struct hpm_thread *t = state->threads; t && !worth; t = t->next) {
		thread_lock(t);
		worth = t->sections.n > 0;
		thread_unlock(t);
	}
	return worth;
}

static void finish(void)
{
	struct hpm_state *state = state_current();

	if (!state)
		return;
	report_open(state);
	if (is_worth_a_file(state)) {
		hold_keep(state);
		file_write(state, FILE_FINAL);
	}
	state_finish();
}

/* As a call of the program's. */
static void finish_call(void)
{
	if (!call_begin())
		return;
	finish();
	call_end();
}

static void at_exit(void)
{
	struct hpm_held *held;

	finish_call();
	while ((held = hold_first()))
		hpm_release(held); /* it has its file */
}

struct hpm_held *hpm_take(void)
{
	finish_call();
	return hold_first();
}

static void in_child(void)
{
	state_abandon(); /* the sections so far are the parent's */
	hold_abandon();
}

static void set_hooks(void)
{
	atexit(at_exit);
	at_quick_exit(at_exit);
	pthread_atfork(NULL, NULL, in_child);
	file_write_on_signals();
}

void hpm_init_at(int task, const char *program)
{
	struct hpm_state *state;

	if (!call_begin())
		return;
	pthread_once(&hooks, set_hooks);
	state = state_init(task, program);
	if (state)
		state->asked = true;
	call_end();
}

void hpm_terminate_at(int task)
{
	(void)task;
	finish_call();
}

const char *hpm_error(void)
{
	return state_error();
}
