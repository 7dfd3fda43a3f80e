/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The calls of hpm.h. A start does its bookkeeping and then reads; a stop
 * reads and then does its bookkeeping, so that little of it is counted. Time
 * is read outside the counters: it costs more than they do.
 */
#include <hpm.h>

#include <papi.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/array.h"
#include "base/clock.h"
#include "hpm/file.h"
#include "hpm/hold.h"
#include "hpm/live.h"
#include "hpm/state.h"

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

/* The EventSet that a section of @kind reads; PAPI_NULL: time only. */
static int set_of(struct hpm_state *state, struct hpm_thread *t,
		  enum section_kind kind)
{
	if (kind == SECTION_PROCESS)
		return state->process_set;
	if (!t->tried) { /* once: a section's end is read as its beginning is */
		t->tried = true;
		t->set = events_start(&state->events, false);
	}
	return t->set;
}

/* The counters' part of a read. False if there should be one but is none. */
static bool read_counters(struct hpm_state *state, int set,
			  enum section_kind kind, int64_t *reads)
{
	long long *values = (long long *)(reads + 1);
	int err;

	if (set == PAPI_NULL)
		return state->events.counted == 0;
	if (kind == SECTION_PROCESS) { /* any thread may read it */
		pthread_mutex_lock(&state->process_lock);
		err = PAPI_read(set, values);
		pthread_mutex_unlock(&state->process_lock);
	} else {
		err = PAPI_read(set, values);
	}
	return err == PAPI_OK;
}

static const char uncounted[] = "the counters could not be read";

static bool is_cost(int id)
{
	return id == HPM_COST_OUTER || id == HPM_COST_INNER;
}

static void start(enum section_kind kind, int id, const char *label,
		  const struct hpm_place *place)
{
	struct hpm_state *state = get_state();
	struct hpm_thread *t = state ? state_thread(state) : NULL;
	struct sections *sections;
	bool counted = true;
	int64_t *reads;
	int set;

	if (!t)
		return;
	set = set_of(state, t, kind);
	if (state->marks && !is_cost(id))
		live_mark(state->marks, clock_real_ns(), id, label, true);
	sections = is_cost(id) ? &t->costs : &t->sections;
	thread_lock(t);
	reads = sections_enter(sections, kind, id, label, place);
	if (reads) {
		reads[0] = (int64_t)clock_real_ns();
		counted = read_counters(state, set, kind, reads);
	}
	thread_unlock(t);
	if (!reads)
		state_problem(state, "no memory for it", id, place);
	else if (!counted)
		state_problem(state, uncounted, id, place);
}

static void set(int64_t *number, int64_t value)
{
	__atomic_store_n(number, value, __ATOMIC_RELAXED);
}

/*
 * The cost of a pair of calls: what the smallest inner pair saw of itself, and
 * what the smallest outer pair saw beyond its own inside cost.
 */
static void take_cost(struct hpm_state *state, struct hpm_thread *t,
		      enum section_kind kind)
{
	struct cost *cost = &state->costs[kind];
	const struct section *inner = NULL, *outer = NULL;

	for (size_t i = 0; i < t->costs.n; i++) {
		const struct section *section = &t->costs.list[i];

		if (section->kind != kind)
			continue;
		if (section->id == HPM_COST_INNER)
			inner = section;
		else
			outer = section;
	}
	if (!inner || !outer || outer->count == 0)
		return;
	for (size_t q = 0; q < cost->n; q++) {
		int64_t inside = inner->tallies[q].min;

		set(&cost->inside[q], inside);
		set(&cost->full[q], outer->tallies[q].min - inside);
		set(&cost->spread[q], (int64_t)section_stddev(inner, q));
	}
	__atomic_store_n(&cost->known, true, __ATOMIC_RELAXED);
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

static void checkpoint(struct hpm_state *state, int64_t now)
{
	uint64_t last = atomic_load(&state->written_ns);

	if (state->checkpoint_ns == 0 ||
	    (uint64_t)now - last < state->checkpoint_ns)
		return;
	if (atomic_compare_exchange_strong(&state->written_ns, &last,
					   (uint64_t)now))
		file_write(state, FILE_CHECKPOINT);
}

static void stop(enum section_kind kind, int id, const struct hpm_place *place)
{
	static const struct cost no_costs[SECTION_KINDS];
	struct hpm_state *state = get_state();
	struct hpm_thread *t = state ? state_thread(state) : NULL;
	enum stop_result result;
	bool counted;
	int64_t now;

	if (!t)
		return;
	counted = read_counters(state, set_of(state, t, kind), kind, t->now);
	now = t->now[0] = (int64_t)clock_real_ns();
	thread_lock(t);
	if (is_cost(id))
		result = sections_leave(&t->costs, kind, id, place, t->now,
					no_costs);
	else
		result = sections_leave(&t->sections, kind, id, place, t->now,
					state->costs);
	thread_unlock(t);
	if (state->marks && !is_cost(id))
		live_mark(state->marks, (uint64_t)now, id, NULL, false);
	if (id == HPM_COST_OUTER)
		take_cost(state, t, kind);
	if (result != STOP_OK)
		report_stop(state, result, id, place);
	else if (!counted)
		state_problem(state, uncounted, id, place);
	checkpoint(state, now);
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
			state_problem(state, "started but not stopped",
				      section->id, &section->start);
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
	if (is_worth_a_file(state) && !hold_keep(state))
		file_write(state, FILE_FINAL);
	state_finish();
}

static void at_exit(void)
{
	struct hpm_held *held;

	finish();
	while ((held = hold_first())) {
		hpm_write_held(held);
		hpm_release(held);
	}
}

struct hpm_held *hpm_take(void)
{
	finish();
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

	pthread_once(&hooks, set_hooks);
	state = state_init(task, program);
	if (state)
		state->asked = true;
}

void hpm_terminate_at(int task)
{
	(void)task;
	finish();
}

const char *hpm_error(void)
{
	return state_error();
}
