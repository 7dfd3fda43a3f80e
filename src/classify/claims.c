/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Events that count otherwise and were found to be the same thing: they cannot
 * all be. Kernels that say little of a thing leave it to many. Here the claims
 * of events are compared; what an event by itself may be is decided before.
 */

#include <math.h>
#include <stdlib.h>

#include "base/err.h"
#include "classify/inside.h"

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
	    !classify_is_unlimited(b) || classify_is_made_of(c, other, event))
		return false;
	return (b->kind == CLASSIFY_TERM && b->formula.term[0] == term) ||
	       (b->of_events && b->n_also && b->also[0] == term);
}

/*
 * Whether @pure would have shown what @event counts in @bench: it has shown as
 * little elsewhere. A counter that is deaf to small counts is not pure.
 */
static bool would_show(const struct classification *c, size_t event,
		       size_t pure, size_t bench)
{
	const struct classify_bench *b = &c->plan->benches[bench];
	const struct experiment_result *r = c->result;

	for (size_t u = b->first; u < b->first + b->n; u++)
		for (unsigned i = 0; i < r->repeats; i++)
			if (experiment_count(r, u, i, event) >=
			    c->events[pure].least)
				return true;
	return false;
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

		if (its > SLOPE_PLAIN && mine < SLOPE_SEEN)
			return false;
		more |= mine > SLOPE_PLAIN && its < SLOPE_SEEN &&
			would_show(c, event, pure, b);
	}
	return more;
}

/*
 * Whether @other, which claims the same as @event, has the better claim. Cycles
 * of some kind have a wide range, in which there is room for more: the one that
 * has nothing else in it. Of other things: one that is certain; or, where
 * kernels say next to nothing (@little), one that @event is a part of or that
 * is a certain sum of others. So cycles in which something did not happen are
 * not cycles, and what is not hits and misses is not accesses.
 */
static bool is_better(const struct classification *c, size_t event,
		      size_t other, bool little)
{
	const struct classify_event *b = &c->events[other];
	bool certain = b->confidence > CLASSIFY_CERTAIN;

	if (classify_is_spent(c->events[event].formula.term[0]))
		return has_more(c, event, other);
	/* two that are parts of each other are the same, but for errors */
	return (b->kind == CLASSIFY_TERM && certain) ||
	       (little && ((classify_is_part(c, event, other) &&
			    !classify_is_part(c, other, event)) ||
			   (b->of_events && certain)));
}

/* Whether the claim of @event is void. */
static bool is_void(const struct classification *c, size_t event)
{
	const struct classify_event *e = &c->events[event];
	size_t term = e->formula.term[0];
	bool little;

	if (e->kind != CLASSIFY_TERM ||
	    (e->confidence >= CLASSIFY_LIKELY && !classify_is_spent(term)))
		return false;
	little = classify_coverage(c, event, c->terms.x[term].value, NULL) <
		 SPEAKS_LITTLE;
	for (size_t i = 0; i < c->n; i++)
		if (claims_the_same(c, event, i) &&
		    is_better(c, event, i, little))
			return true;
	return false;
}

int classify_settle_claims(struct classification *c)
{
	OWNED bool *gone = calloc(c->n + 1, sizeof(*gone));

	if (!gone)
		return PAPI_ENOMEM;
	for (size_t i = 0; i < c->n; i++)
		gone[i] = is_void(c, i);
	for (size_t i = 0; i < c->n; i++)
		if (gone[i])
			classify_rule_out(&c->events[i],
					  "another event has the better claim");
	return 0;
}

/* Whether it is known that the event counts something else than cycles. */
static bool is_no_cycles(const struct classification *c, size_t event)
{
	return classify_is_known(&c->events[event]) &&
	       !classify_counts(c, event, CONCEPT_CYCLES);
}

/* Whether two events of which nothing is known yet, two kinds of cycles as it
 * seems, add up to @event. */
static bool is_whole(const struct classification *c, size_t event)
{
	size_t part[2];

	for (part[0] = 0; part[0] < c->n; part[0]++)
		for (part[1] = part[0] + 1; part[1] < c->n; part[1]++)
			if (c->events[part[0]].kind == CLASSIFY_UNKNOWN &&
			    c->events[part[1]].kind == CLASSIFY_UNKNOWN &&
			    equivalence_is_sum(c->slope, c->error,
					       c->plan->n_benches, event, part))
				return true;
	return false;
}

/*
 * Whether @event is @cycles and something else: a part of these, which then are
 * counted twice; or what is known not to be cycles. What is neither may be the
 * cycles that @cycles leaves out.
 */
static bool is_cycles_and_more(const struct classification *c, size_t event,
			       size_t cycles, size_t part[2])
{
	part[0] = cycles;
	for (part[1] = 0; part[1] < c->n; part[1]++)
		if (classify_has_counts(&c->events[part[1]]) &&
		    classify_is_unlimited(&c->events[part[1]]) &&
		    equivalence_is_sum(c->slope, c->error, c->plan->n_benches,
				       event, part) &&
		    (classify_is_part(c, part[1], cycles) ||
		     is_no_cycles(c, part[1])))
			return true;
	return false;
}

void classify_try_cycles(struct classification *c)
{
	size_t part[2];

	for (size_t i = 0; i < c->n; i++) {
		struct classify_candidate x;
		bool more = false;

		if (!classify_counts(c, i, CONCEPT_CYCLES) || is_whole(c, i))
			continue;
		for (size_t k = 0; k < c->n && !more; k++)
			more = classify_counts(c, k, CONCEPT_CYCLES) &&
			       is_cycles_and_more(c, i, k, part);
		if (!more)
			continue;
		x = classify_sum_of(c, i, part);
		x.n_also = 0;
		classify_object(&c->events[i],
				"includes another event besides cycles");
		classify_propose(&c->events[i], &x);
	}
}
