/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Whether an event counts one thread or all. In two kernels this thread does
 * the same, and another does next to nothing in one of them and much in the
 * other: what differs is the other's. What is shared otherwise, such as caches,
 * is not touched by it. An event that counts all threads says nothing of what
 * this one does where there are two, so it is judged by the other kernels.
 */

#include <math.h>
#include <string.h>

#include "classify/inside.h"

/* The bench of a kernel without parameters; n_benches: it was not run. */
static size_t find_bench(const struct classify_plan *plan, const char *kernel)
{
	size_t b = 0;

	while (b < plan->n_benches &&
	       strcmp(plan->benches[b].kernel->name, kernel) != 0)
		b++;
	return b;
}

static bool counts_others(const struct classification *c, size_t event,
			  size_t idle, size_t busy)
{
	size_t at = event * c->plan->n_benches;
	double more = c->slope[at + busy] - c->slope[at + idle];
	double error = hypot(c->error[at + busy], c->error[at + idle]);

	/* false for NaN */
	return more > SCOPE_MORE + SCOPE_SHARE * fabs(c->slope[at + idle]) +
			      SLOPE_ERRORS * error;
}

static void forget_threads(struct classification *c, size_t event)
{
	size_t benches = c->plan->n_benches;

	for (size_t b = 0; b < benches; b++)
		if (c->plan->benches[b].kernel->needs & NEEDS_THREADS) {
			c->slope[event * benches + b] = NAN;
			c->slopes[event * benches + b].slope = NAN;
			c->error[event * benches + b] = 0;
		}
}

void classify_find_scope(struct classification *c)
{
	size_t idle = find_bench(c->plan, "share/apart");
	size_t busy = find_bench(c->plan, "share/busy");

	if (idle == c->plan->n_benches || busy == c->plan->n_benches)
		return;
	for (size_t i = 0; i < c->n; i++) {
		c->events[i].shared = counts_others(c, i, idle, busy);
		if (c->events[i].shared)
			forget_threads(c, i);
	}
}
