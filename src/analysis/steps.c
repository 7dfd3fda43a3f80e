/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Levels of a curve between given bounds. Which bounds, the machine tells.
 *
 * A level is a median: near a bound a part of the accesses still hits, and a
 * neighbour on the machine may disturb single points. Neither moves it while
 * most points lie on the level.
 */
#include "analysis/steps.h"

#include <math.h>
#include <stdbool.h>

#include "base/err.h"

static bool near_a_bound(double x, const double *bounds, size_t n,
			 double margin)
{
	for (size_t i = 0; i < n; i++)
		if (x * margin > bounds[i] && x < bounds[i] * margin)
			return true;
	return false;
}

/*
 * The median of what lies between @low and @high, found by counting: curves
 * have some tens of points, and so none has to be copied and sorted. With an
 * even number it is the mean of the two in the middle.
 */
static double level_between(const double *x, const double *y, size_t n,
			    double low, double high, const double *bounds,
			    size_t n_bounds, double margin)
{
	double lower = NAN, upper = NAN;
	size_t inside = 0;

	for (size_t i = 0; i < n; i++)
		inside += x[i] > low && x[i] <= high &&
			  !near_a_bound(x[i], bounds, n_bounds, margin);
	for (size_t i = 0; i < n && inside; i++) {
		size_t below = 0, same = 0;

		if (x[i] <= low || x[i] > high ||
		    near_a_bound(x[i], bounds, n_bounds, margin))
			continue;
		for (size_t k = 0; k < n; k++) {
			if (x[k] <= low || x[k] > high ||
			    near_a_bound(x[k], bounds, n_bounds, margin))
				continue;
			below += y[k] < y[i];
			same += y[k] == y[i];
		}
		if (below <= (inside - 1) / 2 &&
		    (inside - 1) / 2 < below + same)
			lower = y[i];
		if (below <= inside / 2 && inside / 2 < below + same)
			upper = y[i];
	}
	return (lower + upper) / 2;
}

void steps_levels(const double *x, const double *y, size_t n,
		  const double *bounds, size_t n_bounds, double margin,
		  double *levels)
{
	for (size_t i = 0; i <= n_bounds; i++)
		levels[i] =
			level_between(x, y, n, i ? bounds[i - 1] : -INFINITY,
				      i < n_bounds ? bounds[i] : INFINITY,
				      bounds, n_bounds, margin);
}

int steps_transition(const double *x, const double *y, size_t n, double from,
		     double to, double *before, double *after)
{
	double half = (from + to) / 2;

	/* the signs make one test of rising and falling curves */
	for (size_t i = 1; i < n; i++) {
		bool was = (y[i - 1] - half) * (from - half) > 0;
		bool is = (y[i] - half) * (to - half) >= 0;

		if (!was || !is)
			continue;
		*before = x[i - 1];
		*after = x[i];
		return 0;
	}
	return PAPI_EINVAL;
}

char steps_sign(double before, double after, double noise)
{
	if (isnan(before) || isnan(after))
		return '?';
	if (fabs(after - before) <= noise)
		return '0';
	return after > before ? '+' : '-';
}
