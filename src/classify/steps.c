/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Step signatures: what an event counts as the memory that a kernel touches
 * grows past one cache after another.
 */

#include <math.h>
#include <string.h>

#include "analysis/steps.h"
#include "classify/inside.h"

enum {
	POINTS = 64,
	PAGE = 4096
};

/* Data, line by line: of pages it is not the caches that matter. */
static bool is_of_caches(const struct classify_bench *b)
{
	return (b->kernel->uses & USES_FOOTPRINT) &&
	       b->kernel->large == LARGE_DATA && b->point.unit < PAGE;
}

static size_t bounds_of(const struct kernel_machine *m, double *bounds)
{
	size_t n = 0;

	if (m->l1d.bytes > 1)
		bounds[n++] = (double)m->l1d.bytes;
	if (m->l2.bytes > 1)
		bounds[n++] = (double)m->l2.bytes;
	if (m->l3.bytes > 1)
		bounds[n++] = (double)m->l3.bytes +
			      (m->l3_is_victim ? (double)m->l2.bytes : 0);
	return n;
}

/* The kernel of bench @first over its footprints. */
static bool find_steps(const struct classification *c, size_t event,
		       size_t first, struct classify_steps *out)
{
	const struct classify_plan *plan = c->plan;
	double x[POINTS], y[POINTS], bounds[CLASSIFY_LEVELS - 1];
	size_t n = 0, regions = 0;

	for (size_t b = first; b < plan->n_benches && n < POINTS; b++) {
		if (!classify_same_sweep(&plan->benches[first],
					 &plan->benches[b]))
			continue;
		x[n] = (double)plan->benches[b].point.footprint;
		y[n++] = c->slope[event * plan->n_benches + b];
	}
	*out = (struct classify_steps){
		.kernel = plan->benches[first].kernel->name,
		.n = bounds_of(&plan->machine, bounds) + 1,
	};
	steps_levels(x, y, n, bounds, out->n - 1, STEP_MARGIN, out->level);
	for (size_t i = 0; i < out->n; i++)
		regions += isnan(out->level[i]) ? 0 : 1;
	for (size_t i = 0; i + 1 < out->n; i++)
		out->sign[i] =
			isnan(out->level[i]) || isnan(out->level[i + 1])
				? '?'
				: steps_sign(out->level[i], out->level[i + 1],
					     STEP_JUMP);
	return regions == out->n && out->n > 1;
}

bool classify_same_sweep(const struct classify_bench *a,
			 const struct classify_bench *b)
{
	return b->kernel == a->kernel && b->point.unit == a->point.unit &&
	       b->point.offset == a->point.offset &&
	       b->point.pages_per_block == a->point.pages_per_block &&
	       b->point.k == a->point.k;
}

size_t classify_steps_find(const struct classification *c, size_t event,
			   struct classify_steps *out, size_t capacity)
{
	const struct classify_bench *benches = c->plan->benches;
	size_t n = 0;

	for (size_t b = 0; b < c->plan->n_benches && n < capacity; b++) {
		size_t first = 0;

		if (!is_of_caches(&benches[b]))
			continue;
		while (!classify_same_sweep(&benches[first], &benches[b]))
			first++;
		if (first == b && find_steps(c, event, b, &out[n]))
			n++;
	}
	return n;
}
