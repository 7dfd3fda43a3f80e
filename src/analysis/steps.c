/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/steps.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"

static int ascending(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static double median(double *values, size_t n)
{
	if (n == 0)
		return NAN;
	qsort(values, n, sizeof(*values), ascending);
	return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

/*
 * What neighbours differ by, mostly nothing but noise: their median. At least
 * a hundredth of the range, so that a smooth ramp is not cut into pieces.
 */
static double own_penalty(const double *y, size_t n, double *work)
{
	double low = INFINITY, high = -INFINITY, noise;

	for (size_t i = 0; i < n; i++) {
		low = fmin(low, y[i]);
		high = fmax(high, y[i]);
		if (i > 0)
			work[i - 1] = fabs(y[i] - y[i - 1]);
	}
	noise = n > 1 ? 1.4826 * median(work, n - 1) : 0;
	noise = fmax(noise, 0.01 * (high - low));
	return fmax(3 * noise * log((double)n + 1), 1e-12);
}

/* Sum of distances from the median of points @first to @last. */
static double cost(const double *y, size_t first, size_t last, double *work)
{
	size_t n = last - first + 1;
	double middle, sum = 0;

	memcpy(work, y + first, n * sizeof(*work));
	middle = median(work, n);
	for (size_t i = first; i <= last; i++)
		sum += fabs(y[i] - middle);
	return sum;
}

/* The best partition of the first i points ends with a part from from[i]. */
static void partition(const double *y, size_t n, double penalty, double *best,
		      size_t *from, double *work)
{
	best[0] = 0;
	for (size_t i = 1; i <= n; i++) {
		best[i] = INFINITY;
		for (size_t k = 0; k < i; k++) {
			double c = best[k] + penalty + cost(y, k, i - 1, work);

			if (c < best[i]) {
				best[i] = c;
				from[i] = k;
			}
		}
	}
}

static int collect(const double *y, size_t n, const size_t *from,
		   struct plateau *out, size_t room, size_t *found,
		   double *work)
{
	size_t parts = 0;

	for (size_t i = n; i > 0; i = from[i])
		parts++;
	if (parts > room)
		return PAPI_EBUF;
	*found = parts;
	for (size_t i = n; i > 0; i = from[i]) {
		struct plateau *p = &out[--parts];

		p->first = from[i];
		p->last = i - 1;
		memcpy(work, y + p->first, (i - p->first) * sizeof(*work));
		p->level = median(work, i - p->first);
	}
	return 0;
}

int steps_find(const double *y, size_t n, double penalty, struct plateau *out,
	       size_t room, size_t *found)
{
	double *best = calloc(n + 1, sizeof(*best));
	size_t *from = calloc(n + 1, sizeof(*from));
	double *work = calloc(n + 1, sizeof(*work));
	int err = best && from && work ? 0 : PAPI_ENOMEM;

	if (!err) {
		if (!(penalty > 0))
			penalty = own_penalty(y, n, work);
		partition(y, n, penalty, best, from, work);
		err = collect(y, n, from, out, room, found, work);
	}
	free(best);
	free(from);
	free(work);
	return err;
}

static bool near_a_bound(double x, const double *bounds, size_t n,
			 double margin)
{
	for (size_t i = 0; i < n; i++)
		if (x * margin > bounds[i] && x < bounds[i] * margin)
			return true;
	return false;
}

/* The median of what lies between @low and @high, found by counting. */
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
