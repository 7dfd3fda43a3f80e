/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The line through the counts of one event in one kernel.
 *
 * A kernel run x times costs y = slope * x + intercept. The slope is what one
 * time costs; the intercept is what starting and stopping costs, so nobody has
 * to know that.
 */
#pragma once

#include <stddef.h>

struct slope {
	double slope;
	double error; /* standard error of it; NaN with two points only */
	double intercept;
	double intercept_error;
	double r2;     /* share of the variance explained; constant data: 1,
			  for nothing is left to explain */
	double misfit; /* probability of points so far off the line if it is
			  one, by the spread of repeats; 1 without repeats */
	double spread; /* standard deviation of repeats, as a share of the
			  counts, but for one count; the mean of all x, so
			  that few large counts that happen to agree do not
			  hide what the others tell; 0 without repeats */
};

/*
 * Least squares through (@x[i], @y[i]). Points of equal x are repeats.
 *
 *   PAPI_EINVAL  fewer than two different x: no line is determined
 */
int slope_fit(const double *x, const double *y, size_t n, struct slope *out);

/*
 * Pearson's coefficient of correlation; NaN if either never varies.
 *
 * The 2018 paper's first attempt, and why it failed: anything that grows with
 * the number of times correlates perfectly, whatever it counts.
 */
double pearson(const double *x, const double *y, size_t n);
