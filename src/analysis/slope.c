/* SPDX-License-Identifier: BSD-3-Clause */
/* Least squares of one line with its errors, and Pearson's coefficient. */
#include "analysis/slope.h"

#include <math.h>
#include <stdbool.h>

#include "analysis/special.h"
#include "base/err.h"

/* Sums of squares about the means. */
struct sums {
	double mean_x, mean_y;
	double xx, yy, xy;
};

static struct sums sum_up(const double *x, const double *y, size_t n)
{
	struct sums s = { 0 };

	for (size_t i = 0; i < n; i++) {
		s.mean_x += x[i] / (double)n;
		s.mean_y += y[i] / (double)n;
	}
	for (size_t i = 0; i < n; i++) {
		double dx = x[i] - s.mean_x, dy = y[i] - s.mean_y;

		s.xx += dx * dx;
		s.yy += dy * dy;
		s.xy += dx * dy;
	}
	return s;
}

static bool seen_before(const double *x, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (x[k] == x[i])
			return true;
	return false;
}

/* Starting and stopping may be a count off each time. */
#define OFF_BY_ONE 1.0

/* What repeats of the same x tell. */
struct repeats {
	double ss;     /* squares about the means of each x */
	size_t levels; /* different x */
	double spread; /* relative standard deviation, mean over all x */
};

static struct repeats look_at_repeats(const double *x, const double *y,
				      size_t n)
{
	struct repeats r = { 0 };
	double shares = 0;
	size_t repeated = 0;

	for (size_t i = 0; i < n; i++) {
		double mean = 0, ss = 0;
		size_t m = 0;

		if (seen_before(x, i))
			continue;
		r.levels++;
		for (size_t k = i; k < n; k++)
			if (x[k] == x[i]) {
				mean += y[k];
				m++;
			}
		mean /= (double)m;
		for (size_t k = i; k < n; k++)
			if (x[k] == x[i])
				ss += (y[k] - mean) * (y[k] - mean);
		r.ss += ss;
		if (m < 2 || mean == 0)
			continue;
		repeated++;
		shares += fmax(0, ss / (double)(m - 1) - OFF_BY_ONE) /
			  (mean * mean);
	}
	r.spread = repeated ? sqrt(shares / (double)repeated) : 0;
	return r;
}

/*
 * The F test for lack of fit: squares that the spread of repeats does not
 * explain against those that it does. With repeats that agree exactly, any
 * curvature beyond rounding is significant.
 */
static double misfit(const struct repeats *r, double ss, size_t n, double scale)
{
	double lack = fmax(ss - r->ss, 0);

	if (n <= r->levels || r->levels < 3 || lack <= scale * 1e-20)
		return 1;
	lack /= (double)(r->levels - 2);
	if (!(r->ss > 0))
		return 0;
	return fisher_tail(lack / (r->ss / (double)(n - r->levels)),
			   (double)(r->levels - 2), (double)(n - r->levels));
}

/* What does not grow by more than its mean is rounded does not grow. */
#define ROUNDING 1e-14

int slope_fit(const double *x, const double *y, size_t n, struct slope *out)
{
	struct sums s = sum_up(x, y, n);
	struct repeats repeats;
	double ss = 0, variance, scale = 0;
	struct slope fit;

	if (!(s.xx > 0)) /* also when n is 0 */
		return PAPI_EINVAL;
	for (size_t i = 0; i < n; i++)
		scale += y[i] * y[i];
	fit.slope =
		fabs(s.xy) > ROUNDING * sqrt(s.xx * scale) ? s.xy / s.xx : 0;
	fit.intercept = s.mean_y - fit.slope * s.mean_x;
	for (size_t i = 0; i < n; i++) {
		double rest = y[i] - (fit.slope * x[i] + fit.intercept);

		ss += rest * rest;
	}
	variance = n > 2 ? ss / (double)(n - 2) : NAN;
	fit.error = sqrt(variance / s.xx);
	fit.intercept_error =
		sqrt(variance * (1 / (double)n + s.mean_x * s.mean_x / s.xx));
	fit.r2 =
		s.yy > ROUNDING * ROUNDING * scale ? fmax(0, 1 - ss / s.yy) : 1;
	repeats = look_at_repeats(x, y, n);
	fit.misfit = misfit(&repeats, ss, n, scale);
	fit.spread = repeats.spread;
	*out = fit;
	return 0;
}

double pearson(const double *x, const double *y, size_t n)
{
	struct sums s = sum_up(x, y, n);

	if (!(s.xx > 0) || !(s.yy > 0))
		return NAN;
	return s.xy / sqrt(s.xx * s.yy);
}
