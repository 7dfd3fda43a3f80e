/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Takes the cost of a pair of calls from many empty sections: the middle for
 * time, the smallest for counts. Subtracting it is left to section.c.
 */
#include "hpm/calibrate.h"

#include <math.h>

static void set(int64_t *number, int64_t value)
{
	__atomic_store_n(number, value, __ATOMIC_RELAXED);
}

static void sort(int64_t *sorted, const int64_t *numbers, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		unsigned at = i;

		for (; at > 0 && sorted[at - 1] > numbers[i]; at--)
			sorted[at] = sorted[at - 1];
		sorted[at] = numbers[i];
	}
}

static int64_t larger(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* The steps that the clock goes in, as far as these differences tell. */
static int64_t resolution(const int64_t *numbers, unsigned n)
{
	int64_t step = 0;

	for (unsigned i = 0; i < n; i++)
		for (int64_t other = numbers[i]; other;) {
			int64_t rest = step % other;

			step = other;
			other = rest;
		}
	return step < 0 ? -step : step;
}

/*
 * Time varies, and now and then another program runs in between: so the mean
 * of the middle eight of ten is what a pair takes. How far the ends of these
 * are from it is the uncertainty, which is no less than half a step.
 */
static int64_t middle(const int64_t *numbers, unsigned n, int64_t *spread)
{
	unsigned first = n / 10, last = n - 1 - n / 10;
	int64_t sorted[COST_SAMPLES], sum = 0;

	sort(sorted, numbers, n);
	for (unsigned i = first; i <= last; i++)
		sum += sorted[i];
	sum /= last - first + 1;
	*spread = larger(larger(sorted[last] - sum, sum - sorted[first]),
			 resolution(numbers, n) / 2 + 1);
	return sum;
}

static void take_time(struct cost *cost, struct cost_samples *samples,
		      int64_t inside, int64_t full)
{
	unsigned n, at = samples->n++ % COST_SAMPLES;
	int64_t spread;

	samples->inside[at] = inside;
	samples->full[at] = full;
	n = samples->n < COST_SAMPLES ? samples->n : COST_SAMPLES;
	set(&cost->full[0], middle(samples->full, n, &spread));
	set(&cost->inside[0], middle(samples->inside, n, &spread));
	set(&cost->spread[0], spread);
}

/* How far a pair is from the smallest one, as a rule: half a cycle is rounded
 * up, or many pairs would have cycles of which nobody knows. */
static int64_t spread_of(const struct section *inner, size_t q)
{
	const struct tally *t = &inner->tallies[q];

	return (int64_t)ceil(
		fmax(section_stddev(inner, q), t->mean - (double)t->min));
}

/* Counts: what the smallest inner pair saw of itself, and what the smallest
 * outer pair saw beyond its own inside cost. */
static void take_counts(struct cost *cost, const struct section *inner,
			const struct section *outer)
{
	for (size_t q = 1; q < cost->n; q++) {
		int64_t inside = inner->tallies[q].min;

		set(&cost->inside[q], inside);
		set(&cost->full[q], outer->tallies[q].min - inside);
		set(&cost->spread[q], spread_of(inner, q));
	}
}

static const struct section *find(const struct sections *s,
				  enum section_kind kind, int id)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->list[i].kind == kind && s->list[i].id == id &&
		    s->list[i].count > 0)
			return &s->list[i];
	return NULL;
}

void calibrate(struct hpm_state *state, struct hpm_thread *t,
	       enum section_kind kind)
{
	const struct section *inner = find(&t->costs, kind, HPM_COST_INNER);
	const struct section *outer = find(&t->costs, kind, HPM_COST_OUTER);
	struct cost *cost = &state->costs[kind];

	if (!inner || !outer)
		return;
	pthread_mutex_lock(&state->lock);
	take_time(cost, &state->samples[kind], inner->tallies[0].last,
		  outer->tallies[0].last - inner->tallies[0].last);
	if (inner->unread == 0 && outer->unread == 0)
		take_counts(cost, inner, outer);
	set(&cost->pair_ns, (int64_t)(inner->own_ns / inner->count));
	__atomic_store_n(&cost->known, true, __ATOMIC_RELAXED);
	pthread_mutex_unlock(&state->lock);
}
