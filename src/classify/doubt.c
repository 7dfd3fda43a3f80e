/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What stays in doubt though nothing contradicts it. A counter may be off by a
 * few per cent; that an event is some concept is certain only if the kernels
 * that speak of it would have shown that. Where chance decides how often the
 * concept occurs, or repeats differ, they may not.
 */

#include <math.h>
#include <papi.h>
#include <stdlib.h>

#include "base/err.h"
#include "classify/inside.h"

/* How well the factor by which @event counts @term is known, as a share. */
static double factor_error(const struct classification *c, size_t event,
			   size_t term)
{
	size_t benches = c->plan->n_benches;
	const double *slope = c->slope + event * benches;
	const double *error = c->error + event * benches;
	const struct expectation *x = &c->terms.x[term];
	double known = 0;

	for (size_t b = 0; b < benches; b++) {
		double value = x->value[b];
		double least = SLOPE_SAME * fmax(1, fabs(value));

		if (!isnan(slope[b]) && !isnan(value))
			known += value * value /
				 (error[b] * error[b] +
				  x->sigma[b] * x->sigma[b] + least * least);
	}
	return known > 0 ? 1 / sqrt(known) : INFINITY;
}

/* Whether the event might as well be one per cent more, or less, than that. */
static bool may_be_off(const struct classification *c, size_t event)
{
	const struct classify_event *e = &c->events[event];

	return e->kind == CLASSIFY_TERM && e->by == BY_CONCEPT &&
	       SLOPE_CONTRADICTS * factor_error(c, event, e->formula.term[0]) >
		       NEAR_ERROR;
}

int classify_doubt(struct classification *c)
{
	OWNED unsigned char *doubtful = calloc(c->n + 1, 1);

	if (!doubtful)
		return PAPI_ENOMEM;
	/* all first: of two that claim the same neither is certain */
	for (size_t i = 0; i < c->n; i++)
		doubtful[i] = may_be_off(c, i) || classify_is_contested(c, i);
	for (size_t i = 0; i < c->n; i++)
		if (doubtful[i])
			classify_limit(&c->events[i], CLASSIFY_CERTAIN);
	return 0;
}
