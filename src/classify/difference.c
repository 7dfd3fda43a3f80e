/* SPDX-License-Identifier: BSD-3-Clause */
/* Events that are what one event counts and another does not. */

#include <math.h>
#include <stdlib.h>

#include "analysis/special.h"
#include "base/err.h"
#include "classify/classify.h"

/* What is left of @whole without @part, and how far errors move it. */
static void subtract(const struct classification *c, size_t whole, size_t part,
		     double *value, double *sigma)
{
	size_t benches = c->plan->n_benches;

	for (size_t b = 0; b < benches; b++) {
		size_t in = whole * benches + b, at = part * benches + b;

		value[b] = c->slope[in] - c->slope[at];
		sigma[b] = hypot(c->error[in], c->error[at]);
	}
}

/* Two numbers for each bench, and what is to be explained. */
struct rest {
	size_t event;
	struct evidence evidence;
	struct expectation x;
	double *value, *sigma;
	double none, best; /* log-likelihoods */
};

/* Whether @part may be what is to be taken away from @whole. */
static bool may_be_left_out(const struct classification *c, size_t event,
			    size_t whole, size_t part)
{
	return part != whole && part != event &&
	       classify_is_known(&c->events[part]) &&
	       !classify_is_made_of(c, part, event) &&
	       c->events[part].kin.head == part &&
	       classify_is_part(c, part, whole);
}

static void try_left_out(struct classification *c, struct rest *r, size_t whole,
			 size_t part)
{
	struct classify_event *e = &c->events[r->event];
	double weight, off;
	size_t df;

	subtract(c, whole, part, r->value, r->sigma);
	weight = posterior_likelihood(&r->evidence, &r->x) -
		 2 * log((double)c->n + 2);
	off = posterior_chi_square(&r->evidence, &r->x, &df);
	if (weight <= r->best ||
	    chi_square_tail(off, (double)df) < POSTERIOR_REFUSED)
		return;
	r->best = weight;
	e->kind = CLASSIFY_SUM;
	e->of_events = true;
	e->n_also = 0;
	e->formula = (struct blend){ .n = 2,
				     .term = { whole, part },
				     .factor = { 1, -1 },
				     .fitted = { 1, -1 } };
	e->confidence = classify_doubt_inexact(c, r->event, &e->formula,
					       1 / (1 + exp(r->none - weight)));
}

/*
 * An event that nothing explains may be what is left of one that is known when
 * another is taken away: cycles in which something was done are those in which
 * nothing was, taken from all.
 */
static void try_differences(struct classification *c, struct rest *r)
{
	r->evidence = classify_evidence(c, r->event, CLASSIFY_SAME);
	r->best = r->none = posterior_likelihood(&r->evidence, NULL);
	for (size_t whole = 0; whole < c->n; whole++) {
		if (whole == r->event ||
		    !classify_is_known(&c->events[whole]) ||
		    classify_is_made_of(c, whole, r->event) ||
		    c->events[whole].kin.head == c->events[r->event].kin.head ||
		    !classify_is_part(c, r->event, whole))
			continue;
		for (size_t part = 0; part < c->n; part++)
			if (may_be_left_out(c, r->event, whole, part))
				try_left_out(c, r, whole, part);
	}
}

int classify_differences(struct classification *c)
{
	size_t benches = c->plan->n_benches;
	double *room = calloc(2 * benches + 1, sizeof(*room));
	struct rest r = { .value = room, .sigma = room + benches };

	if (!room)
		return PAPI_ENOMEM;
	r.x = (struct expectation){ r.value, r.sigma };
	for (r.event = 0; r.event < c->n; r.event++)
		if (c->events[r.event].kind == CLASSIFY_UNKNOWN)
			try_differences(c, &r);
	free(room);
	return 0;
}
