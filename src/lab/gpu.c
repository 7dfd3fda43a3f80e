/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Kernels of a GPU counted in this process: the worker's protocol is not
 * needed.
 */
#include "lab/experiment.h"

#include <math.h>
#include <papi.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "console/console.h"
#include "measure/pmu.h"

/*
 * Events that are counted together. What does not fit anywhere has a set of
 * its own, where the worker says why.
 */
struct set {
	int handle; /* PAPI's, while sets are made */
	size_t n;
	size_t *members; /* among the experiment's events */
};

struct sets {
	struct set *items;
	size_t n;
};

/* The last few sets are asked: neighbours in a list are often alike. */
#define ASKED 12

static int join(struct set *set, size_t event)
{
	return array_add(set->members, set->n, event);
}

static int place(struct sets *sets, const char *name, size_t event)
{
	size_t first = sets->n > ASKED ? sets->n - ASKED : 0;
	struct set *set;

	for (size_t i = first; i < sets->n; i++)
		if (!PAPI_add_named_event(sets->items[i].handle, name))
			return join(&sets->items[i], event);
	if (array_grow(&sets->items, sets->n, sizeof(*sets->items)))
		return PAPI_ENOMEM;
	set = &sets->items[sets->n++];
	*set = (struct set){ .handle = PAPI_NULL };
	if (PAPI_create_eventset(&set->handle))
		return PAPI_ENOMEM;
	PAPI_add_named_event(set->handle, name);
	return join(set, event);
}

static int make_sets(const struct experiment *e, struct sets *sets)
{
	int err = 0;

	for (size_t i = 0; !err && i < e->n_events; i++)
		err = place(sets, e->events[i], i);
	for (size_t i = 0; i < sets->n; i++) {
		PAPI_cleanup_eventset(sets->items[i].handle);
		PAPI_destroy_eventset(&sets->items[i].handle);
	}
	return err;
}

static void free_sets(struct sets *sets)
{
	for (size_t i = 0; i < sets->n; i++)
		free(sets->items[i].members);
	free(sets->items);
}

static struct experiment_result *result_new(const struct experiment *e)
{
	struct experiment_result *r = calloc(1, sizeof(*r));
	size_t repeats = e->repeats ? e->repeats : 1;
	size_t cells = e->n_units * repeats * e->n_events;

	if (!r)
		return NULL;
	r->n_units = e->n_units;
	r->repeats = (unsigned)repeats;
	r->events = calloc(e->n_events + 1, sizeof(*r->events));
	r->counts = calloc(cells + 1, sizeof(*r->counts));
	r->reasons = calloc(e->n_units + 1, sizeof(*r->reasons));
	for (size_t i = 0; r->events && i < e->n_events; i++) {
		r->events[i].name = strdup(e->events[i]);
		r->n_events += r->events[i].name != NULL;
	}
	if (!r->events || !r->counts || !r->reasons ||
	    r->n_events < e->n_events) {
		experiment_free(r);
		return NULL;
	}
	for (size_t i = 0; i < cells; i++)
		r->counts[i] = NAN;
	return r;
}

/* A set's own units, and which of all units each of them is. */
struct part {
	struct experiment_unit *units;
	size_t *among;
	size_t n;
};

/* Bits of a unit's events, as they are numbered among @set's; 0: none. */
static uint64_t own_events(const struct experiment_unit *unit,
			   const struct set *set)
{
	uint64_t own = 0;

	for (size_t k = 0; k < set->n && k < 64; k++)
		if (set->members[k] < 64 && unit->events >> set->members[k] & 1)
			own |= UINT64_C(1) << k;
	return own;
}

static int part_make(const struct experiment *all, const struct set *set,
		     struct part *part)
{
	part->n = 0;
	part->units = calloc(all->n_units + 1, sizeof(*part->units));
	part->among = calloc(all->n_units + 1, sizeof(*part->among));
	if (!part->units || !part->among)
		return PAPI_ENOMEM;
	for (size_t u = 0; u < all->n_units; u++) {
		struct experiment_unit unit = all->units[u];

		if (unit.events) {
			unit.events = own_events(&unit, set);
			if (!unit.events)
				continue;
		}
		part->units[part->n] = unit;
		part->among[part->n++] = u;
	}
	return 0;
}

static void part_fini(struct part *part)
{
	free(part->units);
	free(part->among);
}

static void take_reasons(struct experiment_result *to, const struct set *set,
			 const struct part *part,
			 struct experiment_result *from)
{
	for (size_t k = 0; k < set->n && k < from->n_events; k++) {
		to->events[set->members[k]].reason = from->events[k].reason;
		from->events[k].reason = NULL;
	}
	for (size_t u = 0; u < part->n; u++)
		if (!to->reasons[part->among[u]]) {
			to->reasons[part->among[u]] = from->reasons[u];
			from->reasons[u] = NULL;
		}
}

/* Put what @set counted in its place among all. */
static void take_counts(struct experiment_result *to, const struct set *set,
			const struct part *part,
			const struct experiment_result *from)
{
	for (size_t u = 0; u < part->n; u++)
		for (unsigned r = 0; r < to->repeats; r++)
			for (size_t k = 0; k < set->n; k++)
				to->counts[(part->among[u] * to->repeats + r) *
						   to->n_events +
					   set->members[k]] =
					experiment_count(from, u, r, k);
	to->runs += from->runs;
	to->cut_short |= from->cut_short;
}

static int run_set(const struct console *console, const struct experiment *all,
		   const struct set *set, size_t index,
		   struct experiment_result *result)
{
	OWNED const char **names = calloc(set->n + 1, sizeof(*names));
	struct experiment one = *all;
	struct experiment_result *counted;
	struct part part = { 0 };
	int status = 0;

	if (!names || part_make(all, set, &part))
		status = say_no_memory(console);
	for (size_t k = 0; !status && k < set->n; k++) {
		names[k] = all->events[set->members[k]];
		result->events[set->members[k]].set = (unsigned)index;
	}
	one.events = names;
	one.n_events = set->n;
	one.units = part.units;
	one.n_units = part.n;
	if (!status)
		status = experiment_run(console, &one, &counted);
	if (!status) {
		take_counts(result, set, &part, counted);
		take_reasons(result, set, &part, counted);
		experiment_free(counted);
	}
	part_fini(&part);
	return status;
}

/* The sets that the library accepts; it is closed again. */
static int open_sets(const struct console *console, const struct experiment *e,
		     struct sets *sets)
{
	int status = session_open(console);

	if (status)
		return status;
	if (make_sets(e, sets))
		status = say_no_memory(console);
	PAPI_shutdown();
	return status;
}

int experiment_gpu_run(const struct console *console,
		       const struct experiment *e,
		       struct experiment_result **result)
{
	struct sets sets = { 0 };
	struct experiment_result *r = NULL;
	int status = open_sets(console, e, &sets);

	if (!status) {
		r = result_new(e);
		if (!r)
			status = say_no_memory(console);
	}
	for (size_t i = 0; !status && i < sets.n; i++)
		status = run_set(console, e, &sets.items[i], i, r);
	if (!status) {
		r->sets = (unsigned)sets.n;
		*result = r;
	} else if (r) {
		experiment_free(r);
	}
	free_sets(&sets);
	return status;
}
