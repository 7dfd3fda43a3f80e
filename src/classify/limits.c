/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counters that do not count all the way: some are full at a certain count,
 * others show nothing until there is enough (the 2005 paper, section 4.5: no
 * square roots on a Power3 up to 100 of them). Where that is so is read off the
 * counts; what lies beyond then says nothing of how the event grows, and no
 * line is fitted through it.
 */

#include <math.h>
#include <stdlib.h>

#include "base/err.h"
#include "classify/inside.h"

/* Counts of an event at one length of a bench. */
struct level {
	double times;
	double count; /* NaN: repeats differ, or there are none */
};

#define MOST_LENGTHS 16

/* The lengths of @bench at which all repeats agree, in ascending order. */
static size_t levels_of(const struct classify_plan *plan,
			const struct classify_bench *bench,
			const struct experiment_result *r, size_t event,
			struct level *out)
{
	size_t n = 0;

	for (size_t u = bench->first; u < bench->first + bench->n; u++) {
		double count = experiment_count(r, u, 0, event);
		size_t at = n;

		for (unsigned i = 1; i < r->repeats; i++)
			if (experiment_count(r, u, i, event) != count)
				count = NAN;
		if (isnan(count) || n == MOST_LENGTHS)
			continue;
		for (; at > 0 &&
		       out[at - 1].times > (double)plan->units[u].point.times;
		     at--)
			out[at] = out[at - 1];
		out[at] = (struct level){ (double)plan->units[u].point.times,
					  count };
		n++;
	}
	return n;
}

/* What a line through two levels has at @times. */
static double line_at(const struct level *a, const struct level *b,
		      double times)
{
	double slope = (b->count - a->count) / (b->times - a->times);

	return a->count + slope * (times - a->times);
}

/*
 * At how many lengths the counts are @most although they should be beyond: by
 * the line through two before, or because they are so at a shorter length, too.
 */
static size_t count_cut_off(const struct level *l, size_t n, double most)
{
	size_t first = 0;

	while (first < n && l[first].count < most)
		first++;
	for (size_t i = first; i < n; i++)
		if (l[i].count < most)
			return 0;
	if (first < n && first >= 2 &&
	    line_at(&l[first - 2], &l[first - 1], l[first].times) >
		    LIMIT_BEYOND * most)
		return n - first;
	if (first == 1 && n == 2 && /* starting and stopping adds little */
	    l[0].count / l[0].times * l[1].times > LIMIT_BEYOND * most)
		return 1;
	return n > first ? n - first - 1 : 0;
}

static bool does_grow(const struct level *l, size_t n, double most)
{
	return n > 1 && l[0].count > 0 && l[1].count < most &&
	       l[1].count > LIMIT_BEYOND * l[0].count;
}

/*
 * Whether the counts are nothing up to some length, although by the line
 * through the two shortest that do count there should be many; *@missed is how
 * many then.
 */
static bool is_deaf(const struct level *l, size_t n, double *missed)
{
	size_t first = 0;

	while (first < n && l[first].count == 0)
		first++;
	if (first == 0 || first + 2 > n)
		return false;
	*missed = line_at(&l[first], &l[first + 1], l[first - 1].times);
	return *missed > LIMIT_FEW && *missed < l[first].count;
}

/* What the benches say of one event. */
struct limits {
	double most, least_seen; /* the largest count, the smallest but 0 */
	double missed;           /* the largest that was shown as nothing */
	size_t cut_off;          /* lengths that show where it is full */
	size_t deaf;             /* benches that show what it is deaf to */
	bool grows;              /* below the largest */
};

static void look_for_extremes(const struct experiment_result *r, size_t event,
			      struct limits *found)
{
	for (size_t u = 0; u < r->n_units; u++)
		for (unsigned i = 0; i < r->repeats; i++) {
			double count = experiment_count(r, u, i, event);

			if (count > found->most) /* false for NaN */
				found->most = count;
			if (count > 0 && count < found->least_seen)
				found->least_seen = count;
		}
}

static struct limits look(const struct classification *c, size_t event,
			  const struct experiment_result *r)
{
	struct limits found = { .least_seen = INFINITY };
	struct level levels[MOST_LENGTHS];

	look_for_extremes(r, event, &found);
	for (size_t b = 0; b < c->plan->n_benches; b++) {
		size_t n = levels_of(c->plan, &c->plan->benches[b], r, event,
				     levels);
		double missed;

		found.cut_off += count_cut_off(levels, n, found.most);
		found.grows |= does_grow(levels, n, found.most);
		if (!is_deaf(levels, n, &missed))
			continue;
		found.deaf++;
		found.missed = fmax(found.missed, missed);
	}
	return found;
}

void classify_find_limits(struct classification *c,
			  const struct experiment_result *r)
{
	for (size_t i = 0; i < c->n; i++) {
		struct limits found = look(c, i, r);

		c->events[i].least = found.least_seen;
		/* what never grows is not full, it just does not count */
		c->events[i].full =
			found.grows && found.cut_off >= LIMIT_BENCHES
				? found.most
				: INFINITY;
		/* one threshold must part what is seen from what is not */
		c->events[i].deaf =
			found.deaf >= LIMIT_BENCHES &&
					found.missed < found.least_seen
				? found.least_seen
				: 0;
	}
}

bool classify_is_unlimited(const struct classify_event *e)
{
	return isinf(e->full) && e->deaf == 0 && !e->shared;
}

bool classify_is_within(const struct classify_event *e, double count)
{
	return count < e->full && (e->deaf == 0 || count > 0);
}
