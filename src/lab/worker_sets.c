/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Events in sets: packed, made, counted.
 *
 * Which events can be counted together only the library knows, so it is asked.
 * Picky events (they fit a few counters only) have to go first: put in last,
 * they find the counters taken. To find out who is picky, probes are filled
 * with neighbours in the list until one is refused; then each event is offered
 * to each probe. Those that most probes refuse go first, and events that the
 * same probes refuse are of one kind: a set that refused one of them is not
 * asked about the others.
 */
#include "lab/worker.h"

#include <papi.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <assay/assay.h>

#include "base/array.h"

#define MAX_MADE  40 /* sets that exist at the same time */
#define MAX_KINDS 64
#define PROBES    16

static void drop(struct worker_set *set)
{
	if (set->handle == PAPI_NULL)
		return;
	PAPI_cleanup_eventset(set->handle);
	PAPI_destroy_eventset(&set->handle);
	set->handle = PAPI_NULL;
}

static void drop_all(struct worker *worker)
{
	for (size_t i = 0; i < worker->n_sets; i++) {
		drop(&worker->sets[i]);
		free(worker->sets[i].members);
	}
	free(worker->sets);
	worker->sets = NULL;
	worker->n_sets = 0;
}

/* One set less if there are too many: that which was longest not needed. */
static void make_room(struct worker *worker)
{
	struct worker_set *oldest = NULL;
	size_t made = 0;

	for (size_t i = 0; i < worker->n_sets; i++) {
		struct worker_set *set = &worker->sets[i];

		if (set->handle == PAPI_NULL)
			continue;
		made++;
		if (!oldest || set->used < oldest->used)
			oldest = set;
	}
	if (made >= MAX_MADE)
		drop(oldest);
}

int worker_need_set(struct worker *worker, struct worker_set *set)
{
	int err;

	set->used = ++worker->clock;
	if (set->handle != PAPI_NULL)
		return 0;
	make_room(worker);
	err = PAPI_create_eventset(&set->handle);
	for (size_t i = 0; i < set->n && !err; i++)
		err = PAPI_add_event(set->handle,
				     worker->events[set->members[i]].code);
	if (err)
		drop(set);
	return err;
}

static int join(struct worker_set *set, size_t event)
{
	return array_add(set->members, set->n, event);
}

/* Put event @i into the first set that takes it, or a new one. */
static int place(struct worker *worker, size_t i)
{
	struct worker_event *event = &worker->events[i];
	struct worker_set *set;
	int err;

	for (size_t s = 0; s < worker->n_sets; s++) {
		set = &worker->sets[s];
		if (set->refuses >> event->kind & 1)
			continue;
		err = worker_need_set(worker, set);
		if (err)
			return err;
		if (!PAPI_add_event(set->handle, event->code))
			return join(set, i);
		set->refuses |= UINT64_C(1) << event->kind;
	}
	err = array_grow(&worker->sets, worker->n_sets, sizeof(*worker->sets));
	if (err)
		return err;
	set = &worker->sets[worker->n_sets++];
	*set = (struct worker_set){ .handle = PAPI_NULL };
	err = worker_need_set(worker, set);
	if (!err)
		err = PAPI_add_event(set->handle, event->code);
	return err ? err : join(set, i);
}

/* Events from @from on, until one does not fit. */
static int make_probe(const struct worker *worker, size_t from, int *probe)
{
	int err = PAPI_create_eventset(probe);

	for (size_t i = 0; i < worker->n_events && !err; i++)
		if (PAPI_add_event(
			    *probe,
			    worker->events[(from + i) % worker->n_events].code))
			break;
	return err;
}

static bool is_refused(int probe, int code)
{
	int err = PAPI_add_event(probe, code);

	if (!err)
		PAPI_remove_event(probe, code);
	/* an event that is in it already is not refused for want of room */
	return err == PAPI_ECNFLCT || err == PAPI_ECOUNT;
}

static int ask_probes(struct worker *worker)
{
	for (size_t p = 0; p < PROBES; p++) {
		int probe = PAPI_NULL;
		int err = make_probe(worker, worker->n_events * p / PROBES,
				     &probe);

		if (err)
			return err;
		for (size_t i = 0; i < worker->n_events; i++)
			if (is_refused(probe, worker->events[i].code))
				worker->events[i].refused |= 1u << p;
		PAPI_cleanup_eventset(probe);
		PAPI_destroy_eventset(&probe);
	}
	return 0;
}

/* Number the kinds. What is beyond the last number shares it. */
static void name_kinds(struct worker *worker)
{
	unsigned kinds[MAX_KINDS];
	unsigned n = 0;

	for (size_t i = 0; i < worker->n_events; i++) {
		struct worker_event *event = &worker->events[i];
		unsigned k = 0;

		while (k < n && kinds[k] != event->refused)
			k++;
		if (k == n && n < MAX_KINDS)
			kinds[n++] = event->refused;
		event->kind = k < MAX_KINDS ? k : MAX_KINDS - 1;
	}
}

int worker_pack(struct worker *worker)
{
	int err = ask_probes(worker);

	name_kinds(worker);
	drop_all(worker);
	for (int picky = PROBES; picky >= 0 && !err; picky--)
		for (size_t i = 0; i < worker->n_events && !err; i++)
			if (__builtin_popcount(worker->events[i].refused) ==
			    picky)
				err = place(worker, i);
	return err;
}

/* Counting. */

/*
 * A steady kernel begins where it was kept. Where nothing can be kept, one more
 * run makes up for the traces that we left meanwhile. Nothing of ours may come
 * between this and the start but what is the same each time.
 */
static void make_steady(const struct kernel *kernel, struct kernel_run *run)
{
	if (kernel->steady && assay_restore_state())
		kernel->run(run);
}

KERNEL_NEAR static int count_between(int set, const struct kernel *kernel,
				     struct kernel_run *run, bool read_first,
				     bool read_last, long long *before,
				     long long *after)
{
	int err;

	make_steady(kernel, run);
	err = PAPI_start(set);
	if (err)
		return err;
	if (read_first)
		err = PAPI_read(set, before);
	kernel->run(run);
	if (read_last)
		err = PAPI_read(set, after);
	return PAPI_stop(set, read_last ? NULL : after) ? PAPI_ESYS : err;
}

/*
 * The usual case has nothing but the kernel between the two calls. All of it is
 * in one line of code, wherever this lies in the program: on a cold machine one
 * line more would be hundreds of cycles. Whether the set was started is looked
 * at last, and nothing is made ready here: where a compiler puts what follows a
 * branch is its own affair, and may be another line.
 */
KERNEL_NEAR __attribute__((aligned(64))) static int
count_body(int set, void (*body)(struct kernel_run *), struct kernel_run *run,
	   long long *values)
{
	int err = PAPI_start(set);

	body(run);
	if (__builtin_expect(err != 0, 0))
		return err;
	return PAPI_stop(set, values);
}

KERNEL_NEAR static int count_all(int set, const struct kernel *kernel,
				 struct kernel_run *run, long long *values)
{
	void (*body)(struct kernel_run *) = kernel->run;

	make_steady(kernel, run);
	return count_body(set, body, run, values);
}

int worker_count(const struct worker_set *set, const struct kernel *kernel,
		 struct kernel_run *run, enum experiment_pattern pattern,
		 long long *values)
{
	long long *before;
	int err;

	if (pattern == PATTERN_START_STOP)
		return count_all(set->handle, kernel, run, values);
	before = calloc(set->n, sizeof(*before));
	if (!before)
		return PAPI_ENOMEM;
	err = count_between(set->handle, kernel, run,
			    pattern != PATTERN_START_READ,
			    pattern != PATTERN_READ_STOP, before, values);
	for (size_t i = 0; i < set->n && !err; i++)
		values[i] -= before[i];
	free(before);
	return err;
}
