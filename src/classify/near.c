/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Events that are nearly others: so much per cent of one, one in every n of it,
 * or one with a part of another. relations.c looks for whole numbers, which
 * counts have if counters are right; these have any, and must make up for it by
 * holding in every kernel. Only for events that nothing explains beyond doubt.
 */

#include <math.h>

#include "analysis/departure.h"
#include "classify/inside.h"

/* What counts that were cut to whole numbers, and errors, allow. */
static double allowed(const struct classification *c, size_t event, size_t b)
{
	size_t at = event * c->plan->n_benches + b;

	return SLOPE_SAME * fmax(1, fabs(c->slope[at])) +
	       SLOPE_ERRORS * c->error[at] +
	       NEAR_ENDS / (double)c->plan->benches[b].point.times;
}

/* The bench in which @event is most beyond @part (c->n: nothing). */
static size_t find_most(const struct classification *c, size_t event,
			size_t part, double *rest)
{
	size_t benches = c->plan->n_benches, most = benches;
	const double *slope = c->slope + event * benches;

	*rest = 0;
	for (size_t b = 0; b < benches; b++) {
		double off = slope[b] -
			     (part < c->n ? c->slope[part * benches + b] : 0);

		if (off > *rest) { /* false for NaN */
			*rest = off;
			most = b;
		}
	}
	return most;
}

/*
 * Whether @event is @part (c->n: nothing) and @times of @other in every kernel,
 * and in enough of them something of @other is there to tell by. @slack: it may
 * be off by so many times what is allowed.
 */
static bool holds(const struct classification *c, size_t event, size_t part,
		  size_t other, double times, double slack)
{
	size_t benches = c->plan->n_benches, told = 0;

	for (size_t b = 0; b < benches; b++) {
		double mine = c->slope[event * benches + b];
		double more = times * c->slope[other * benches + b];
		double off = mine - more -
			     (part < c->n ? c->slope[part * benches + b] : 0);

		if (fabs(off) >
		    slack * allowed(c, event, b)) /* false for NaN */
			return false;
		told += fabs(more) > 4 * allowed(c, event, b);
	}
	return told >= NEAR_KERNELS;
}

/* By least squares, how many of @other there are beside @part. */
static double fit_times(const struct classification *c, size_t event,
			size_t part, size_t other)
{
	size_t benches = c->plan->n_benches;
	double xy = 0, xx = 0;

	for (size_t b = 0; b < benches; b++) {
		double x = c->slope[other * benches + b];
		double y = c->slope[event * benches + b] -
			   (part < c->n ? c->slope[part * benches + b] : 0);

		if (isnan(x) || isnan(y))
			continue;
		xy += x * y;
		xx += x * x;
	}
	return xx > 0 ? xy / xx : 0;
}

/* The simple fraction that a factor is within what is known of it, or three
 * digits. */
static double round_factor(double times)
{
	int over, under;

	departure_fraction(times, SLOPE_SAME * times, &over, &under);
	return under ? (double)over / under : round(times * 1000) / 1000;
}

/*
 * How many times @other has to be in @event beside @part; 0: no number does, or
 * one that is found by other means.
 */
static double near_times(const struct classification *c, size_t event,
			 size_t part, size_t other, size_t most, double rest)
{
	double x = c->slope[other * c->plan->n_benches + most];
	double guess = x > 0 ? rest / x : 0, times; /* false for NaN */

	if (guess < NEAR_EVENT_LEAST || guess > NEAR_MOST ||
	    fabs(guess - 1) < NEAR_SAME / 2)
		return 0;
	/* most are far off, which a few kernels show */
	if (!holds(c, event, part, other, guess, NEAR_GUESS))
		return 0;
	times = fit_times(c, event, part, other);
	return holds(c, event, part, other, times, 1) ? times : 0;
}

static bool may_be_base(const struct classification *c, size_t event,
			size_t other)
{
	const struct classify_event *e = &c->events[other];

	return other != event && classify_has_counts(e) && e->by != BY_SCALE &&
	       classify_is_unlimited(e) &&
	       e->kin.head != c->events[event].kin.head &&
	       !classify_is_made_of(c, other, event);
}

/* What a factor may be off if whatever it leaves over in the kernels is off in
 * the same direction. */
static double times_error(const struct classification *c, size_t event,
			  size_t other, double times)
{
	size_t benches = c->plan->n_benches;
	double off = 0, xx = 0;

	for (size_t b = 0; b < benches; b++) {
		double x = c->slope[other * benches + b];
		double rest = c->slope[event * benches + b] - times * x;

		if (isnan(rest))
			continue;
		off += fabs(rest * x);
		xx += x * x;
	}
	return fmax(NEAR_DIGITS, xx > 0 ? off / xx : times);
}

/* Decimal digits that a factor has, as far as it is known; none if it is one in
 * so many. */
static int digits_of(double times, double error)
{
	int n = 0;

	if (fabs(1 / times - round(1 / times)) <= error / (times * times))
		return 0;
	for (double unit = 1; unit < 1e6; unit *= 10, n++)
		if (fabs(times - round(times * unit) / unit) <= error)
			break;
	return n;
}

static bool is_sure(const struct classification *c, size_t event)
{
	const struct classify_event *e = &c->events[event];

	return classify_is_known(e) && e->confidence > CLASSIFY_CERTAIN &&
	       !classify_is_contested(c, event);
}

/*
 * Whether it is @other that is off, and not @event: neither is beyond doubt,
 * and as so much of @event it has the simpler factor (0.99, not 1.0101), or it
 * is less likely to be the concept that both were found to be.
 */
static bool is_backwards(const struct classification *c, size_t event,
			 size_t other, double times)
{
	const struct classify_event *e = &c->events[event];
	const struct classify_event *o = &c->events[other];
	double error = times_error(c, event, other, times);
	int mine = digits_of(times, error);
	int its = digits_of(1 / times, error / (times * times));

	if (is_sure(c, other))
		return false;
	if (mine != its)
		return its < mine;
	return e->by == BY_CONCEPT && o->by == BY_CONCEPT &&
	       e->formula.term[0] == o->formula.term[0] &&
	       o->candidates[0].likelihood < e->candidates[0].likelihood;
}

/* One event so many times; *@f has no terms if there is none. */
static void find_multiple(const struct classification *c, size_t event,
			  struct blend *f)
{
	double rest;
	size_t most = find_most(c, event, c->n, &rest);

	for (size_t k = 0; rest > 0 && k < c->n && !f->n; k++) {
		double times =
			may_be_base(c, event, k)
				? near_times(c, event, c->n, k, most, rest)
				: 0;

		if (times > 0 && !is_backwards(c, event, k, times))
			*f = (struct blend){ .n = 1,
					     .term = { k },
					     .factor = { round_factor(times) },
					     .fitted = { times } };
	}
}

/* One event, and a part of another. */
static void find_leak(const struct classification *c, size_t event,
		      struct blend *f)
{
	for (size_t a = 0; a < c->n && !f->n; a++) {
		double rest;
		size_t most;

		if (!may_be_base(c, event, a) || !classify_is_part(c, a, event))
			continue;
		most = find_most(c, event, a, &rest);
		for (size_t b = 0; rest > 0 && b < c->n && !f->n; b++) {
			double times =
				b != a && may_be_base(c, event, b)
					? near_times(c, event, a, b, most, rest)
					: 0;

			if (times > 0 && times < 1)
				*f = (struct blend){
					.n = 2,
					.term = { a, b },
					.factor = { 1, round_factor(times) },
					.fitted = { 1, times },
				};
		}
	}
}

/* Whether what the event counts is known well enough, in every kernel, to take
 * it apart: else the errors leave room for anything. */
static bool is_well_known(const struct classification *c, size_t event)
{
	size_t benches = c->plan->n_benches;

	for (size_t b = 0; b < benches; b++) {
		size_t at = event * benches + b;

		if (SLOPE_ERRORS * c->error[at] >
		    NEAR_ERROR * fmax(1, fabs(c->slope[at])))
			return false; /* not for NaN */
	}
	return true;
}

/* Whether what is known of @e leaves room for more: kernels in which it counts
 * say nothing of it, or it is not known at all. */
static bool has_room(const struct classification *c, size_t event)
{
	const struct classify_event *e = &c->events[event];
	const double *value;

	if (!classify_is_known(e) || e->confidence < CLASSIFY_LIKELY)
		return true;
	value = classify_expect(c, &e->formula, e->of_events).value;
	return classify_coverage(c, event, value, NULL) < 1;
}

void classify_try_near(struct classification *c)
{
	for (size_t i = 0; i < c->n; i++) {
		struct classify_event *e = &c->events[i];
		struct blend f = { 0 };
		struct classify_candidate x;

		if (!classify_has_counts(e) || e->of_events ||
		    e->by == BY_SCALE || is_sure(c, i))
			continue;
		find_multiple(c, i, &f);
		if (!f.n && is_well_known(c, i) && has_room(c, i))
			find_leak(c, i, &f);
		if (!f.n)
			continue;
		f.weight = log(SLOPE_SAME); /* the choice of a number */
		x = classify_relate(c, i, &f, f.n == 1 ? BY_MULTIPLE : BY_SUM);
		if (classify_is_known(e))
			classify_object(e, "not beyond doubt, and other events "
					   "explain it in every kernel");
		classify_propose(e, &x);
	}
}
