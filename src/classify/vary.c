/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Events that vary of their own. Where a kernel is run again and nearly all
 * that it makes count comes out the same to the last count, as on the simulated
 * machine, an event that does not has the variation in itself. How much it
 * varies need not be known for that: two repeats may come near each other.
 *
 * In kernels in which all others come out the same, counts of different sets
 * can be compared to the last one.
 */

#include <math.h>
#include <stdlib.h>

#include "base/err.h"
#include "classify/inside.h"

/* How the repeats of one event in one unit compare. */
enum repeats {
	REPEATS_NONE, /* too few counts */
	REPEATS_SAME, /* to the last count */
	REPEATS_NEAR,
	REPEATS_DIFFER,
};

static enum repeats compare(const struct experiment_result *r, size_t unit,
			    size_t event)
{
	double least = INFINITY, most = -INFINITY;

	for (unsigned i = 0; i < r->repeats; i++) {
		double y = experiment_count(r, unit, i, event);

		if (isnan(y))
			return REPEATS_NONE;
		least = fmin(least, y);
		most = fmax(most, y);
	}
	if (most < NOISE_FEW)
		return REPEATS_NONE;
	if (least == most)
		return REPEATS_SAME;
	return most - least > NOISE_SLIGHT * most ? REPEATS_DIFFER
						  : REPEATS_NEAR;
}

/* Whether four of five events come out the same. */
static bool is_repeatable(const struct classification *c,
			  const struct experiment_result *r, size_t unit)
{
	size_t same = 0, other = 0;

	for (size_t i = 0; i < c->n; i++) {
		enum repeats repeats = compare(r, unit, i);

		same += repeats == REPEATS_SAME;
		other += repeats > REPEATS_SAME;
	}
	return same > 0 && same >= 4 * other;
}

/* Whether @event differs in half of the units that are repeatable. */
static bool does_vary(const struct experiment_result *r, size_t event,
		      const bool *repeatable)
{
	size_t differs = 0, all = 0;

	for (size_t u = 0; u < r->n_units; u++) {
		enum repeats repeats =
			repeatable[u] ? compare(r, u, event) : REPEATS_NONE;

		all += repeats != REPEATS_NONE;
		differs += repeats == REPEATS_DIFFER;
	}
	return differs > 0 && 2 * differs >= all;
}

static bool differs(const struct experiment_result *r, size_t unit,
		    size_t event)
{
	double first = experiment_count(r, unit, 0, event);

	for (unsigned i = 1; i < r->repeats; i++) {
		double y = experiment_count(r, unit, i, event);

		if (y < first || y > first)
			return true;
	}
	return false;
}

/* Whether @event differs in a good part of the units in which it counts, be it
 * by one count: it says nothing of a unit, then. */
static bool is_unsteady(const struct experiment_result *r, size_t event)
{
	size_t different = 0, all = 0;

	for (size_t u = 0; u < r->n_units; u++) {
		different += differs(r, u, event);
		all += experiment_count(r, u, 0, event) > 0;
	}
	return different > 0 && 4 * different >= all;
}

/* Two threads do not meet in the same way in each set. */
static bool is_exact(const struct classification *c,
		     const struct experiment_result *r,
		     const struct classify_bench *bench, const bool *unsteady)
{
	if (bench->kernel->needs & NEEDS_THREADS)
		return false;
	for (size_t u = bench->first; u < bench->first + bench->n; u++)
		for (size_t i = 0; i < c->n; i++)
			if (!unsteady[i] && !c->events[i].varies &&
			    differs(r, u, i))
				return false;
	return true;
}

static void find_exact(struct classification *c,
		       const struct experiment_result *r, bool *unsteady)
{
	for (size_t i = 0; i < c->n; i++)
		unsteady[i] = is_unsteady(r, i);
	for (size_t b = 0; b < c->plan->n_benches; b++)
		c->exact[b] = is_exact(c, r, &c->plan->benches[b], unsteady);
}

int classify_find_varying(struct classification *c,
			  const struct experiment_result *r)
{
	size_t capacity = r->n_units > c->n ? r->n_units : c->n;
	OWNED bool *work = NULL;

	if (r->repeats < 2)
		return 0;
	work = calloc(capacity + 1, sizeof(*work));
	if (!work)
		return PAPI_ENOMEM;
	for (size_t u = 0; u < r->n_units; u++)
		work[u] = is_repeatable(c, r, u);
	for (size_t i = 0; i < c->n; i++)
		c->events[i].varies = does_vary(r, i, work);
	find_exact(c, r, work);
	return 0;
}
