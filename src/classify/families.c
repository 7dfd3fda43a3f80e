/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Families of events that count the same or a multiple of it, and how many
 * events are independent. What follows for a verdict is in relations.c.
 */

#include <math.h>
#include <stdlib.h>

#include "analysis/pivot.h"
#include "base/err.h"
#include "classify/inside.h"

size_t classify_base(const struct classification *c, size_t event)
{
	size_t base = c->events[event].kin.head;

	for (size_t i = 0; i < c->n; i++)
		if (c->events[i].kin.head == c->events[event].kin.head &&
		    fabs(c->events[i].kin.scale) <
			    fabs(c->events[base].kin.scale))
			base = i;
	return base;
}

double classify_times(const struct classification *c, size_t i, size_t base)
{
	return c->events[i].kin.scale / c->events[base].kin.scale;
}

bool classify_are_equal(const struct classification *c, size_t i, size_t k)
{
	const struct kin *a = &c->events[i].kin, *b = &c->events[k].kin;

	return i != k && a->head == b->head &&
	       fabs(a->scale - b->scale) < SLOPE_ROUNDING * fabs(a->scale);
}

/* Noise hides what an event counts, but not that another has the same. */
static void join_twins(struct classification *c)
{
	size_t benches = c->plan->n_benches;

	for (size_t i = 0; i < c->n; i++) {
		struct classify_event *e = &c->events[i];

		for (size_t k = 0; k < i && e->kin.head == i; k++)
			if (e->kind == CLASSIFY_NOISY &&
			    c->events[k].kind == CLASSIFY_NOISY &&
			    c->events[k].kin.head == k &&
			    equivalence_is_exact(c->slope + i * benches,
						 c->slope + k * benches,
						 benches, 1))
				e->kin.head = k;
	}
}

int classify_find_families(struct classification *c)
{
	OWNED struct kin *kin = calloc(c->n + 1, sizeof(*kin));

	if (!kin)
		return PAPI_ENOMEM;
	equivalence_find(c->slope, c->error, c->n, c->plan->n_benches,
			 SLOPE_SAME, c->exact, kin);
	for (size_t i = 0; i < c->n; i++) {
		const struct classify_event *head = &c->events[kin[i].head];
		bool related = classify_has_counts(&c->events[i]) &&
			       classify_is_unlimited(&c->events[i]) &&
			       classify_has_counts(head) &&
			       classify_is_unlimited(head);

		c->events[i].kin = related ? kin[i] : (struct kin){ i, 1 };
	}
	join_twins(c);
	return 0;
}

/* Columns are the families' heads over the benches where all were measured. */
int classify_find_rank(struct classification *c)
{
	size_t benches = c->plan->n_benches, cols = 0;
	OWNED double *a = calloc(c->n * benches + 1, sizeof(*a));
	OWNED size_t *order = calloc(c->n + 1, sizeof(*order));
	int err = a && order ? 0 : PAPI_ENOMEM;

	for (size_t i = 0; !err && i < c->n; i++) {
		if (!classify_has_counts(&c->events[i]) ||
		    c->events[i].kin.head != i)
			continue;
		for (size_t b = 0; b < benches; b++) {
			double s = c->slope[i * benches + b];

			a[cols * benches + b] = isnan(s) ? 0 : s;
		}
		cols++;
	}
	if (!err)
		err = pivot_choose(a, benches, cols, NULL, SLOPE_SAME, order,
				   &c->rank);
	return err == PAPI_ENOSUPP ? 0 : err;
}
