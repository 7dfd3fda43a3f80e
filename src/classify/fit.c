/* SPDX-License-Identifier: BSD-3-Clause */
/* From the counts of an experiment to a slope for each event and bench. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/goodness.h"
#include "analysis/scatter.h"
#include "base/doubles.h"
#include "base/err.h"
#include "classify/inside.h"

/* Points of one event in one bench. */
struct points {
	double *x, *y;
	size_t n;
	bool several; /* different x */
};

/* Those that say how the event grows: not where its counter is full or deaf. */
static void collect(struct points *p, const struct classification *c,
		    const struct classify_bench *bench,
		    const struct experiment_result *r, size_t event)
{
	const struct classify_plan *plan = c->plan;

	p->n = 0;
	p->several = false;
	for (size_t u = bench->first; u < bench->first + bench->n; u++)
		for (unsigned i = 0; i < r->repeats; i++) {
			double y = experiment_count(r, u, i, event);

			if (isnan(y) ||
			    !classify_is_within(&c->events[event], y))
				continue;
			p->x[p->n] = (double)plan->units[u].point.times;
			p->y[p->n] = y;
			p->several |= p->x[p->n] != p->x[0];
			p->n++;
		}
}

/* With one length only: counts per time, and their spread. */
static struct slope mean_of(const struct points *p)
{
	struct slope s = { .slope = NAN, .error = NAN, .r2 = 1, .misfit = 1 };
	double mean = 0, ss = 0;

	if (p->n == 0 || !(p->x[0] > 0))
		return s;
	for (size_t i = 0; i < p->n; i++)
		mean += p->y[i] / (double)p->n;
	for (size_t i = 0; i < p->n; i++)
		ss += (p->y[i] - mean) * (p->y[i] - mean);
	s.slope = mean / p->x[0];
	s.error = p->n > 1 ? sqrt(ss / (double)(p->n - 1) / (double)p->n) /
				     p->x[0]
			   : 0;
	s.spread =
		p->n > 1 && mean > 0 ? sqrt(ss / (double)(p->n - 1)) / mean : 0;
	return s;
}

/*
 * How far chance moves counts in this bench, as a share of them: that of a
 * sum of many times falls with the root of their number.
 */
static double allowance(const struct points *p, double chance)
{
	double allowed = 0, size = 0;

	for (size_t i = 0; i < p->n; i++) {
		allowed += chance * chance * p->y[i] * p->y[i] / p->x[i];
		size += p->y[i] * p->y[i];
	}
	return size > 0 ? sqrt(allowed / size) : 0;
}

/* Relative distance of the points from the line. */
static double distance(const struct points *p, const struct slope *s)
{
	double rest = 0, size = 0;

	for (size_t i = 0; i < p->n; i++) {
		double off = p->y[i] - s->intercept - s->slope * p->x[i];

		rest += off * off;
		size += p->y[i] * p->y[i];
	}
	return size > 0 ? sqrt(rest / size) : 0;
}

/*
 * What is left to be called noise: the spread of repeats, and of all about the
 * line, beyond what chance does. Where it is known that lines are not what the
 * event makes, repeats alone tell.
 */
static double roughness(const struct points *p, const struct slope *s,
			double chance, bool repeated, bool curved)
{
	/* few repeats may agree by chance, and then not lie on the line */
	double off =
		fmax(repeated ? s->spread : 0,
		     !repeated || (p->n > 4 && !curved) ? distance(p, s) : 0);

	return fmax(0, off - 2 * allowance(p, chance));
}

/*
 * The middle one of many; of few, which may agree by chance, the root of the
 * mean square, but for the fifth that is largest, which is one of three or
 * more: an event may happen now and then in a kernel that is not about it.
 */
static double typical(double *rough, size_t n)
{
	size_t most = n < 3 ? n : n - (n < 10 ? 1 : n / 5);
	double sum = 0;

	doubles_sort(rough, n);
	if (n >= 10)
		return rough[n / 2];
	for (size_t i = 0; i < most; i++)
		sum += rough[i] * rough[i];
	return n ? sqrt(sum / (double)most) : 0;
}

/* What is too little, beside the most that the event counts, to be judged. */
static double least_slope(const struct classification *c, size_t event)
{
	size_t benches = c->plan->n_benches;
	double most = 0;

	for (size_t b = 0; b < benches; b++)
		most = fmax(most, fabs(c->slopes[event * benches + b].slope));
	return fmax(SLOPE_SEEN, 1e-2 * most);
}

/* Whether what the event counts does not grow evenly, and repeats agree. */
static bool is_curved(const struct classification *c, size_t event,
		      const struct experiment_result *r, struct points *p)
{
	size_t benches = c->plan->n_benches;
	double least = least_slope(c, event);
	struct scatter scatter = { 0 };

	for (size_t b = 0; b < benches; b++) {
		const struct slope *s = &c->slopes[event * benches + b];

		if (!(fabs(s->slope) > least))
			continue;
		collect(p, c, &c->plan->benches[b], r, event);
		if (p->several)
			scatter_add(&scatter, p->x, p->y, p->n, s);
	}
	return scatter_p_value(&scatter) < NOISE_CURVED;
}

static double noise_of(const struct classification *c, size_t event,
		       const struct experiment_result *r, struct points *p,
		       double *rough)
{
	size_t benches = c->plan->n_benches, n = 0;
	double least = least_slope(c, event);
	bool curved = c->events[event].curved;

	for (size_t b = 0; b < benches; b++) {
		const struct slope *s = &c->slopes[event * benches + b];

		if (!(fabs(s->slope) > least))
			continue;
		collect(p, c, &c->plan->benches[b], r, event);
		if (r->repeats > 1 || p->several)
			rough[n++] = roughness(p, s, c->plan->benches[b].chance,
					       r->repeats > 1, curved);
	}
	return typical(rough, n);
}

/* What an event counts in no time at all, as series of many lengths say. */
struct ends {
	double usual; /* the middle one */
	double size;  /* the middle one, whatever the sign */
};

static struct ends ends_of(const struct classification *c, size_t event,
			   double *room)
{
	size_t benches = c->plan->n_benches, n = 0;
	struct ends ends = { 0 };

	for (size_t b = 0; b < benches; b++) {
		const struct slope *s = &c->slopes[event * benches + b];

		if (c->plan->benches[b].n > 2 && !isnan(s->intercept))
			room[n++] = s->intercept;
	}
	if (n == 0)
		return ends;
	doubles_sort(room, n);
	ends.usual = room[n / 2];
	for (size_t i = 0; i < n; i++)
		room[i] = fabs(room[i]);
	doubles_sort(room, n);
	ends.size = room[n / 2];
	return ends;
}

/*
 * A line through two lengths fits whatever happened. What it says of no time
 * at all should be what longer series say, or nothing: how far it is from both
 * is how far it can be trusted. With one length all that happens at the start
 * and at the end, such as a branch that is mispredicted there, is in the slope.
 */
static void mistrust_few(struct classification *c, size_t event, double *room)
{
	size_t benches = c->plan->n_benches;
	const struct ends ends = ends_of(c, event, room);

	for (size_t b = 0; b < benches; b++) {
		const struct classify_bench *bench = &c->plan->benches[b];
		double off = c->slopes[event * benches + b].intercept;
		double *error = &c->error[event * benches + b];

		if (bench->n == 1)
			off = ends.size;
		else if (bench->n == 2 && !isnan(off))
			off = fmin(fabs(off), fabs(off - ends.usual));
		else
			continue;
		*error = hypot(*error, off / (double)bench->point.times);
	}
}

/*
 * The slope where a limit of the counter leaves no two lengths: not known; but
 * where a deaf counter has shown nothing at all, it is not more than what would
 * have been shown.
 */
static struct slope slope_beyond(const struct classify_event *e,
				 const struct classify_bench *bench,
				 const struct points *p, bool ran)
{
	struct slope s = { .slope = NAN, .error = NAN, .r2 = 1, .misfit = 1 };

	if (ran && p->n == 0 && e->deaf > 0) {
		s.slope = 0;
		s.error = e->deaf / (double)bench->point.times;
	}
	return s;
}

static bool has_limit(const struct classify_event *e)
{
	return isfinite(e->full) || e->deaf > 0;
}

/* One event over all benches. @rough has room for a number of each. */
static void fit_event(struct classification *c, size_t event,
		      const struct experiment_result *r, struct points *p,
		      double *rough)
{
	size_t benches = c->plan->n_benches;
	struct classify_event *e = &c->events[event];
	bool measured = false, counted = false, grew = false;

	for (size_t b = 0; b < benches; b++) {
		const struct classify_bench *bench = &c->plan->benches[b];
		struct slope *s = &c->slopes[event * benches + b];
		bool ran = !isnan(experiment_count(r, bench->first, 0, event));

		collect(p, c, bench, r, event);
		if (!p->several && has_limit(e))
			*s = slope_beyond(e, bench, p, ran);
		else if (!p->several || slope_fit(p->x, p->y, p->n, s))
			*s = mean_of(p);
		measured |= ran || p->n > 0;
		for (size_t i = 0; i < p->n; i++)
			counted |= p->y[i] != 0;
		grew |= fabs(s->slope) > SLOPE_SEEN + 3 * fmax(s->error, 0);
		c->slope[event * benches + b] = s->slope;
		c->error[event * benches + b] = isnan(s->error) ? 0 : s->error;
	}
	mistrust_few(c, event, rough);
	e->curved = is_curved(c, event, r, p);
	e->noise = noise_of(c, event, r, p, rough);
	e->kind = !measured  ? CLASSIFY_NOT_COUNTED
		  : !counted ? CLASSIFY_DEAD
		  : grew     ? CLASSIFY_UNKNOWN
			     : CLASSIFY_NOT_EXERCISED;
	e->by = e->kind == CLASSIFY_UNKNOWN ? BY_NOTHING : BY_COUNTS;
}

/*
 * Two repeats may agree by chance. What the repeats of all benches differ by
 * is the least error where there was one length only.
 */
static void pool_errors(struct classification *c, size_t event)
{
	size_t benches = c->plan->n_benches, n = 0;
	double sum = 0;

	for (size_t b = 0; b < benches; b++) {
		const struct slope *s = &c->slopes[event * benches + b];

		if (!(fabs(s->slope) > SLOPE_SEEN))
			continue;
		sum += s->spread * s->spread;
		n++;
	}
	for (size_t b = 0; n && b < benches; b++) {
		size_t at = event * benches + b;
		double least = sqrt(sum / (double)n) * fabs(c->slope[at]);

		if (c->plan->benches[b].n == 1 && c->error[at] < least)
			c->error[at] = least;
	}
}

/* Equation 1's product over the seven kernels of the paper's Figure 11. */
static void score_as_the_paper(struct classification *c, size_t event)
{
	size_t benches = c->plan->n_benches;

	for (size_t k = 0; k < CLASSIFY_PAPER; k++) {
		const double *row =
			c->terms.value + (size_t)classify_paper[k] * benches;
		double product = 1;
		size_t n = 0;

		for (size_t b = 0; b < benches; b++) {
			const struct classify_bench *bench =
				&c->plan->benches[b];
			const struct slope *s = &c->slopes[event * benches + b];

			if (bench->kernel->role != ROLE_PAPER ||
			    isnan(s->slope))
				continue;
			product *= goodness_of(s->slope, s->r2, row[b]);
			n++;
		}
		c->events[event].goodness[k] = n ? product : NAN;
	}
}

/* A bench in which no event has a slope was not run. */
static void forget_missing(struct classification *c)
{
	size_t benches = c->plan->n_benches;

	for (size_t b = 0; b < benches; b++) {
		bool ran = false;

		for (size_t i = 0; i < c->n; i++)
			ran |= !isnan(c->slope[i * benches + b]);
		if (ran)
			continue;
		classify_terms_forget(&c->terms, b);
		c->missing++;
	}
}

int classify_fit(struct classification *c, const struct experiment_result *r)
{
	size_t benches = c->plan->n_benches, room = 0;
	struct points p;
	OWNED double *work = NULL;

	for (size_t b = 0; b < benches; b++)
		if (c->plan->benches[b].n > room)
			room = c->plan->benches[b].n;
	room *= r->repeats;
	work = calloc(2 * room + benches + 1, sizeof(*work));
	if (!work)
		return PAPI_ENOMEM;
	p = (struct points){ .x = work, .y = work + room };
	for (size_t i = 0; i < c->n; i++) {
		c->events[i].name = r->events[i].name;
		c->events[i].reason = r->events[i].reason;
		fit_event(c, i, r, &p, work + 2 * room);
		pool_errors(c, i);
		score_as_the_paper(c, i);
	}
	forget_missing(c);
	return 0;
}
