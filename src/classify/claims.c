/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Events that count otherwise and were found to be the same thing: they cannot
 * all be. Kernels that say little of a thing leave it to many.
 */

#include <math.h>
#include <stdlib.h>

#include "base/err.h"
#include "classify/classify.h"

/* Kernels say next to nothing of what an event counts. */
#define LITTLE 0.1

/* A claim that is beyond doubt. */
#define CERTAIN 0.99

double classify_coverage(const struct classification *c, size_t event,
			 const double *value)
{
	const double *slope = c->slope + event * c->plan->n_benches;
	size_t counted = 0, spoken = 0;

	for (size_t b = 0; b < c->plan->n_benches; b++)
		if (fabs(slope[b]) > 0.01) {
			counted++;
			spoken += isnan(value[b]) ? 0 : 1;
		}
	return counted ? (double)spoken / (double)counted : 1;
}

bool classify_is_part(const struct classification *c, size_t part, size_t whole)
{
	size_t benches = c->plan->n_benches;

	for (size_t b = 0; b < benches; b++) {
		size_t at = part * benches + b, in = whole * benches + b;
		double error = hypot(c->error[at], c->error[in]);

		if (c->slope[at] > c->slope[in] + 5 * error +
					   0.01 * fmax(1, fabs(c->slope[in])))
			return false;
	}
	return true;
}

bool classify_is_made_of(const struct classification *c, size_t sum,
			 size_t event)
{
	const struct blend *f = &c->events[sum].formula;

	for (size_t i = 0; c->events[sum].of_events && i < f->n; i++)
		if (c->events[f->term[i]].kin.head == c->events[event].kin.head)
			return true;
	return false;
}

/* Whether @other counts otherwise than @event and was found to be the same. */
static bool claims_the_same(const struct classification *c, size_t event,
			    size_t other)
{
	const struct classify_event *a = &c->events[event];
	const struct classify_event *b = &c->events[other];
	size_t term = a->formula.term[0];

	if (event == other || b->kin.head == a->kin.head ||
	    classify_is_made_of(c, other, event))
		return false;
	return (b->kind == CLASSIFY_TERM && b->formula.term[0] == term) ||
	       (b->of_events && b->n_also && b->also[0] == term);
}

/*
 * Whether @pure counts nothing in some kernel in which @event does, and never
 * the other way round: so @event has something else in it.
 */
static bool has_more(const struct classification *c, size_t event, size_t pure)
{
	size_t benches = c->plan->n_benches;
	bool more = false;

	for (size_t b = 0; b < benches; b++) {
		double mine = fabs(c->slope[event * benches + b]);
		double its = fabs(c->slope[pure * benches + b]);

		if (its > 0.05 && mine < 0.01)
			return false;
		more |= mine > 0.05 && its < 0.01;
	}
	return more;
}

/* Cycles of some kind have a wide range, in which there is room for more. */
static bool is_impure(const struct classification *c, size_t event)
{
	for (size_t i = 0; i < c->n; i++)
		if (claims_the_same(c, event, i) && has_more(c, event, i))
			return true;
	return false;
}

/*
 * Whether the claim of @event is void: another is certain of it; or kernels say
 * next to nothing of it, and another, which @event is a part of or which is a
 * certain sum of others, claims it as well. So cycles in which something did
 * not happen are not cycles, and what is not hits and misses is not accesses.
 */
static bool is_void(const struct classification *c, size_t event)
{
	size_t term = c->events[event].formula.term[0];
	bool little =
		classify_coverage(c, event, c->terms.x[term].value) < LITTLE;

	if (classify_is_spent(term))
		return is_impure(c, event);
	for (size_t i = 0; i < c->n; i++)
		if (claims_the_same(c, event, i) &&
		    ((c->events[i].kind == CLASSIFY_TERM &&
		      c->events[i].confidence > CERTAIN) ||
		     (little && (classify_is_part(c, event, i) ||
				 (c->events[i].of_events &&
				  c->events[i].confidence > CERTAIN)))))
			return true;
	return false;
}

int classify_settle_claims(struct classification *c)
{
	bool *gone = calloc(c->n + 1, sizeof(*gone));

	if (!gone)
		return PAPI_ENOMEM;
	for (size_t i = 0; i < c->n; i++)
		gone[i] = c->events[i].kind == CLASSIFY_TERM &&
			  (c->events[i].confidence < CLASSIFY_GUESS ||
			   classify_is_spent(c->events[i].formula.term[0])) &&
			  is_void(c, i);
	for (size_t i = 0; i < c->n; i++) {
		if (!gone[i])
			continue;
		c->events[i].confidence = 0;
		classify_abstain(&c->events[i]);
	}
	free(gone);
	return 0;
}
