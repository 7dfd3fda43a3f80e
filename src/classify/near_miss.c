/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Near misses: candidates that an event counts one concept, but somewhat more
 * or less often than it happens.
 */

#include <math.h>

#include "classify/trial.h"

/*
 * The factor by which term @i is nearest to what was measured, rounded to what
 * is known of it; NAN: it is 1, or too far off or too little known to be told
 * from other concepts.
 */
static double near_factor(const struct trial *t, size_t i, double *error)
{
	const struct expectation *x = &t->usable[i];
	const struct evidence *e = &t->evidence;
	double xy = 0, xx = 0, factor, digits;
	size_t spoken;

	for (size_t b = 0; b < e->n; b++) {
		double sd = posterior_deviation(e, b, e->slope[b], x->sigma[b]);

		if (isnan(e->slope[b]) || isnan(x->value[b]))
			continue;
		xy += x->value[b] * e->slope[b] / (sd * sd);
		xx += x->value[b] * x->value[b] / (sd * sd);
	}
	factor = xx > 0 ? xy / xx : 0;
	*error = xx > 0 ? 1 / sqrt(xx) : 1;
	if (factor < NEAR_LEAST || factor > NEAR_MOST || *error > NEAR_ERROR ||
	    fabs(factor - 1) < fmax(NEAR_SAME, SLOPE_ERRORS * *error) ||
	    classify_coverage(t->c, t->event, x->value, &spoken) <
		    SPEAKS_HALF ||
	    spoken < MULTIPLE_KERNELS)
		return NAN;
	digits = pow(10, ceil(-log10(*error)));
	return round(factor * digits) / digits;
}

/* Whether bench @b says for sure how much term @i adds, without chance. */
static bool is_stated(const struct trial *t, size_t i, size_t b)
{
	const struct expectation *x = &t->usable[i];

	return !isnan(t->evidence.slope[b]) && !isnan(x->value[b]) &&
	       x->sigma[b] == 0;
}

/*
 * Whether @factor times term @i is what every bench has, to what two runs may
 * differ by and a count that was cut to a whole number: *@n is in how many of
 * them there is something to count.
 */
static bool is_steady(const struct trial *t, size_t i, double factor, size_t *n)
{
	*n = 0;
	for (size_t b = 0; b < t->evidence.n; b++) {
		double value = t->usable[i].value[b];
		double times = (double)t->c->plan->benches[b].point.times;
		double off = fabs(t->evidence.slope[b] - factor * value);

		if (!is_stated(t, i, b))
			continue;
		if (off > (fabs(value) > 0 ? NEAR_STEADY * fabs(value) +
						     NEAR_CUT / times
					   : SLOPE_SEEN))
			return false;
		*n += fabs(value) > 0;
	}
	return true;
}

/*
 * The factor by which term @i is counted in every kernel that speaks of it;
 * NAN: there is none, it is 1, 1 is as good, or none speaks. Errors of kernels
 * are not asked: a few per cent off everywhere, by the same factor, is no
 * error. If one kernel speaks it may be the kernel that is off, but so many for
 * each is what was counted.
 */
static double steady_factor(const struct trial *t, size_t i)
{
	double xy = 0, xx = 0, factor;
	size_t n;

	for (size_t b = 0; b < t->evidence.n; b++)
		if (is_stated(t, i, b)) {
			double value = t->usable[i].value[b];

			xy += value * t->evidence.slope[b];
			xx += value * value;
		}
	factor = xx > 0 ? round(xy / xx * 1000) / 1000 : 0;
	if (factor < NEAR_LEAST || factor > NEAR_MOST ||
	    fabs(factor - 1) < NEAR_SAME || is_steady(t, i, 1, &n) ||
	    !is_steady(t, i, factor, &n) || n == 0)
		return NAN;
	return factor;
}

/* Whether the concept that the event was found to be is counted by a steady
 * factor; that is then what it is. */
static bool try_steady(const struct trial *t, struct classify_event *e)
{
	for (size_t i = 0; i < t->n; i++) {
		struct classify_candidate x;
		double factor;

		if (e->by != BY_CONCEPT || t->which[i] != e->formula.term[0])
			continue;
		factor = steady_factor(t, i);
		if (isnan(factor))
			return false;
		x = trial_one_term(t, i);
		x.by = BY_SCALE;
		x.kind = CLASSIFY_SCALED;
		x.formula.factor[0] = x.formula.fitted[0] = factor;
		x.formula.error[0] = NEAR_STEADY / 2;
		x.confidence = fmin(e->confidence, CLASSIFY_CERTAIN);
		x.p_value = e->p_value;
		classify_object(e, "the same factor holds in every kernel");
		classify_propose(e, &x);
		return true;
	}
	return false;
}

/* The candidate that the event is term @i so many times, not a whole number.
 * It costs the choice of a term, and of a number between 0 and 1. */
static bool near_miss(const struct trial *t, size_t i,
		      struct classify_candidate *x)
{
	double error, factor = near_factor(t, i, &error);
	struct classify_fitness fit;

	if (isnan(factor))
		return false;
	*x = trial_one_term(t, i);
	x->by = BY_SCALE;
	x->kind = CLASSIFY_SCALED;
	x->formula.factor[0] = x->formula.fitted[0] = factor;
	x->formula.error[0] = error;
	fit = classify_weigh(t->c, t->event, &x->formula, false, 0);
	x->likelihood = fit.likelihood;
	x->p_value = fit.p_value;
	x->formula.weight =
		fit.likelihood - log((double)t->c->terms.n + 2) + log(error);
	return fit.p_value >= POSTERIOR_REFUSED;
}

/*
 * One concept that the event counts a little more or less often than it
 * happens: where the event was found to be that concept, or nothing was found
 * that is as likely.
 */
void trial_near_misses(const struct trial *t, struct classify_event *e)
{
	struct classify_candidate best = { .formula.weight = 0 }, x;
	bool known = classify_is_known(e);
	double rival = 0;

	if (try_steady(t, e))
		return;
	if (known && e->by != BY_CONCEPT)
		rival = e->formula.weight - t->none;
	else if (known)
		rival = e->candidates[0].likelihood -
			log((double)t->c->terms.n + 2);
	for (size_t i = 0; i < t->n; i++)
		if ((e->by != BY_CONCEPT ||
		     t->which[i] == e->formula.term[0]) &&
		    near_miss(t, i, &x) &&
		    x.formula.weight > best.formula.weight)
			best = x;
	if (best.formula.weight < fmax(rival, 0) + CLASSIFY_CLEARLY)
		return;
	best.confidence = 1 / (1 + exp(fmax(rival, 0) - best.formula.weight));
	trial_temper(t, &best);
	classify_object(e, "another factor is clearly more likely");
	classify_propose(e, &best);
}
