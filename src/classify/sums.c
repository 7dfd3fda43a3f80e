/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Events that are sums of other events. Where all are counted in the same run,
 * as on the simulated PMU, sums are exact, and two events that add up to a
 * third wherever it counts are its parts. Elsewhere sums are weighed like all
 * else.
 */

#include <math.h>
#include <stdlib.h>

#include "analysis/equivalence.h"
#include "analysis/special.h"
#include "base/err.h"
#include "classify/classify.h"

/* A term is enough if it speaks of so much of what was counted. */
#define MOSTLY 0.6

/* A log-likelihood ratio that leaves no doubt. */
#define CLEARLY 10

/* Event @i says nothing that the plain one of its family does not say. */
static bool is_spare(const struct classification *c, size_t i)
{
	size_t base = classify_base(c, i), benches = c->plan->n_benches;

	return base != i &&
	       equivalence_is_exact(c->slope + i * benches,
				    c->slope + base * benches, benches,
				    classify_times(c, i, base));
}

/*
 * Events that a sum may be made of: those that count no more than it does
 * anywhere. Cycles are not explained by what they are spent on.
 */
static void bar_others(const struct classification *c, size_t event,
		       unsigned char *barred)
{
	bool cycles = classify_counts(c, event, CONCEPT_CYCLES);

	for (size_t i = 0; i < c->n; i++) {
		const struct classify_event *e = &c->events[i];

		barred[i] = !classify_has_counts(e) ||
			    (cycles && classify_is_of_cycles(e)) ||
			    e->kin.head == c->events[event].kin.head ||
			    !classify_is_part(c, i, event);
	}
}

/*
 * Where factors are looked for: one of each family, the plain one, and those
 * that are multiples of it but for errors. There are few of these, so all pairs
 * of them can be tried.
 */
static void bar_spares(const struct classification *c, unsigned char *barred)
{
	for (size_t i = 0; i < c->n; i++)
		barred[i] = barred[i] || is_spare(c, i);
}

static bool all_positive(const struct blend *f)
{
	for (size_t i = 0; i < f->n; i++)
		if (!(f->factor[i] > 0))
			return false;
	return true;
}

/*
 * Nothing was found; or a sum of terms that is a mere guess; or the same term
 * as for an event that counts otherwise and is as sure, so that one of the two
 * must be wrong.
 */
static bool is_doubtful(const struct classification *c, size_t event)
{
	const struct classify_event *e = &c->events[event];

	if (e->kind == CLASSIFY_UNKNOWN)
		return true;
	if (!classify_has_counts(e) || e->of_events || e->confidence > 0.99)
		return false;
	if (e->kind != CLASSIFY_TERM)
		return e->confidence < CLASSIFY_GUESS;
	for (size_t i = 0; i < c->n; i++)
		if (i != event && c->events[i].kind == CLASSIFY_TERM &&
		    c->events[i].formula.term[0] == e->formula.term[0] &&
		    c->events[i].kin.head != e->kin.head &&
		    c->events[i].confidence >= e->confidence)
			return true;
	return false;
}

/*
 * Whether the terms that @event was found to count leave much of it open, and
 * @f, a sum of events, explains that. As for terms, what it gains by being
 * nearer where these do speak is not taken for a reason.
 */
static int explains_more(const struct classification *c, size_t event,
			 const struct blend *f, const struct expectation *x,
			 bool *more)
{
	size_t benches = c->plan->n_benches;
	const struct blend *now = &c->events[event].formula;
	struct evidence e = classify_evidence(c, event, 0);
	double *work = calloc(2 * benches + 1, sizeof(*work));
	struct expectation sum = { work, work + benches };
	double gain;

	if (!work)
		return PAPI_ENOMEM;
	blend_expect(f, x, benches, work, work + benches);
	gain = posterior_likelihood(&e, &sum) -
	       (double)f->n * log((double)c->n + 2);
	blend_expect(now, c->terms.x, benches, work, work + benches);
	gain -= posterior_likelihood(&e, &sum) +
		posterior_chi_square(&e, &sum, NULL) / 2;
	*more = classify_coverage(c, event, work) < MOSTLY && gain > CLEARLY;
	free(work);
	return 0;
}

/*
 * Whether @f has cycles of some kind in it and is not exact: these vary, so
 * that many a sum seems to fit.
 */
static bool is_blurred(const struct classification *c, size_t event,
		       const struct blend *f)
{
	bool cycles = false;

	for (size_t i = 0; i < f->n; i++)
		cycles |= classify_is_of_cycles(&c->events[f->term[i]]);
	return cycles && classify_doubt_inexact(c, event, f, 1) < 1;
}

/* A sum that is one to the last digit, weighed as compose() does. */
static int weigh_exact(const struct classification *c, size_t event,
		       const size_t part[2], struct blend *f)
{
	size_t benches = c->plan->n_benches;
	struct evidence evidence = classify_evidence(c, event, CLASSIFY_SAME);
	double *work = calloc(2 * benches + 1, sizeof(*work));
	const struct expectation sum = { work, work + benches };
	size_t df;

	if (!work)
		return PAPI_ENOMEM;
	*f = (struct blend){ .n = 2,
			     .term = { part[0], part[1] },
			     .factor = { 1, 1 },
			     .fitted = { 1, 1 } };
	for (size_t b = 0; b < benches; b++) {
		size_t i = part[0] * benches + b, k = part[1] * benches + b;

		work[b] = c->slope[i] + c->slope[k];
		work[benches + b] = hypot(c->error[i], c->error[k]);
	}
	f->weight = posterior_likelihood(&evidence, &sum) -
		    2 * log((double)c->n + 2);
	f->chi_square = posterior_chi_square(&evidence, &sum, &df);
	f->p_value = chi_square_tail(f->chi_square, (double)df);
	free(work);
	return 0;
}

/* Let the event be @f. The term that it was found to be is as good a name for
 * it, if not as sure. */
static void accept(struct classification *c, size_t event,
		   const struct blend *f)
{
	struct classify_event *e = &c->events[event];
	struct evidence evidence = classify_evidence(c, event, CLASSIFY_SAME);
	double none = posterior_likelihood(&evidence, NULL);

	e->n_also = e->kind == CLASSIFY_TERM ? 1 : 0;
	e->also[0] = e->formula.term[0];
	e->kind = CLASSIFY_SUM;
	e->of_events = true;
	e->formula = *f;
	e->p_value = f->p_value;
	e->confidence = classify_doubt_inexact(c, event, f,
					       1 / (1 + exp(none - f->weight)));
}

/* The best sum of two others; *@exact: to the last digit. *@f has no terms if
 * there is none. */
static int find_sum(const struct classification *c, size_t event,
		    const struct evidence *evidence,
		    const struct expectation *x, unsigned char *barred,
		    struct blend *f, bool *exact)
{
	const struct compose_options every_pair = { 2, c->n, barred, true };
	size_t part[2], found = 0;
	int err;

	*f = (struct blend){ 0 };
	bar_others(c, event, barred);
	*exact = equivalence_find_sum(c->slope, c->error, c->n,
				      c->plan->n_benches, event, barred, part);
	if (*exact)
		return weigh_exact(c, event, part, f);
	bar_spares(c, barred);
	err = compose(evidence, x, c->n, &every_pair, f, 1, &found);
	if (err || !found || f->n < 2 || !all_positive(f) ||
	    is_blurred(c, event, f))
		f->n = 0;
	return err;
}

/* Shares of cycles are known badly: there is room for more in them. */
static bool is_better(const struct classification *c, size_t event,
		      const struct blend *f, const struct expectation *x,
		      bool exact, int *err)
{
	bool better = is_doubtful(c, event) ||
		      (exact && classify_is_of_cycles(&c->events[event]));

	if (!better)
		*err = explains_more(c, event, f, x, &better);
	return better;
}

static int try_sum(struct classification *c, size_t event,
		   const struct expectation *x, unsigned char *barred)
{
	struct evidence evidence = classify_evidence(c, event, CLASSIFY_SAME);
	struct blend f;
	bool exact;
	int err = find_sum(c, event, &evidence, x, barred, &f, &exact);

	if (!err && f.n && f.weight >= posterior_likelihood(&evidence, NULL) &&
	    is_better(c, event, &f, x, exact, &err))
		accept(c, event, &f);
	return err;
}

int classify_sums(struct classification *c)
{
	struct expectation *x = calloc(c->n + 1, sizeof(*x));
	unsigned char *barred = calloc(c->n + 1, 1);
	size_t benches = c->plan->n_benches;
	int err = x && barred ? 0 : PAPI_ENOMEM;

	for (size_t i = 0; !err && i < c->n; i++)
		x[i] = (struct expectation){ c->slope + i * benches,
					     c->error + i * benches };
	for (size_t i = 0; !err && i < c->n; i++)
		if (c->events[i].kin.head == i &&
		    classify_has_counts(&c->events[i]) &&
		    !c->events[i].of_events)
			err = try_sum(c, i, x, barred);
	free(x);
	free(barred);
	return err;
}

/* Whether it is known that the event counts something else than cycles. */
static bool is_no_cycles(const struct classification *c, size_t event)
{
	return classify_is_known(&c->events[event]) &&
	       !classify_counts(c, event, CONCEPT_CYCLES);
}

/* Whether two events of which nothing is known yet, two kinds of cycles as it
 * seems, add up to @event. */
static int is_whole(const struct classification *c, size_t event, bool *whole)
{
	unsigned char *barred = calloc(c->n + 1, 1);
	size_t part[2];

	if (!barred)
		return PAPI_ENOMEM;
	for (size_t i = 0; i < c->n; i++)
		barred[i] = c->events[i].kind != CLASSIFY_UNKNOWN;
	*whole = equivalence_find_sum(c->slope, c->error, c->n,
				      c->plan->n_benches, event, barred, part);
	free(barred);
	return 0;
}

/*
 * Whether @event is @cycles and something else: a part of these, which then are
 * counted twice; or what is known not to be cycles. What is neither may be the
 * cycles that @cycles leaves out.
 */
static bool has_more(const struct classification *c, size_t event,
		     size_t cycles, size_t part[2])
{
	part[0] = cycles;
	for (part[1] = 0; part[1] < c->n; part[1]++)
		if (classify_has_counts(&c->events[part[1]]) &&
		    equivalence_is_sum(c->slope, c->error, c->plan->n_benches,
				       event, part) &&
		    (classify_is_part(c, part[1], cycles) ||
		     is_no_cycles(c, part[1])))
			return true;
	return false;
}

int classify_settle_cycles(struct classification *c)
{
	size_t part[2];
	struct blend f;

	for (size_t i = 0; i < c->n; i++) {
		bool more = false, whole;

		if (!classify_counts(c, i, CONCEPT_CYCLES))
			continue;
		if (is_whole(c, i, &whole))
			return PAPI_ENOMEM;
		for (size_t k = 0; k < c->n && !whole && !more; k++)
			more = classify_counts(c, k, CONCEPT_CYCLES) &&
			       has_more(c, i, k, part);
		if (!more)
			continue;
		if (weigh_exact(c, i, part, &f))
			return PAPI_ENOMEM;
		accept(c, i, &f);
		c->events[i].n_also = 0;
	}
	return 0;
}
