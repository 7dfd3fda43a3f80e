/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What an event counts, given what it counted: how likely the measured slopes
 * are under each explanation, and the right to say none of them.
 *
 * An explanation expects a value in each kernel, or says nothing of it (NaN).
 * Where it speaks, a slope is normal about the expected value with the
 * measured error, the explanation's own, and a floor that stands for what no
 * model has. Where it says nothing, and everywhere for "none of these", a slope
 * is anything of the size of the largest one, or nothing: half a spike at 0,
 * half Student's t. So an explanation gains nothing by keeping silent, and one
 * that is plainly wrong in one kernel loses to "none".
 */
#pragma once

#include <stddef.h>

/* Slopes of one event over the kernels; a NaN was not measured. */
struct evidence {
	const double *slope;
	const double *error; /* standard errors */
	size_t n;
	/*
	 * What no model has: an error of so much of the expected value, which
	 * counts as at least one unit. Both 0: POSTERIOR_FLOOR, and 1.
	 */
	double floor;
	double unit;
};

/* What an explanation expects over the same kernels. */
struct expectation {
	const double *value; /* NaN: says nothing */
	const double *sigma; /* how far chance moves it; NULL: not at all */
};

#define POSTERIOR_FLOOR 0.005

/* Standard deviation of slope @i of @e if it should be @expected. */
double posterior_deviation(const struct evidence *e, size_t i, double expected,
			   double sigma);

/* The log-likelihood of slope @i where an explanation says nothing. */
double posterior_silence(const struct evidence *e, size_t i);

/* Log-likelihood of @e under @x; under "none of these" if @x is NULL. */
double posterior_likelihood(const struct evidence *e,
			    const struct expectation *x);

/* Chi-square of @e under @x; *@df (may be NULL): kernels that it speaks of. */
double posterior_chi_square(const struct evidence *e,
			    const struct expectation *x, size_t *df);

struct verdict {
	size_t best;       /* which explanation; their number: none of these */
	size_t next;       /* the runner-up, in the same way */
	double confidence; /* posterior probability of the best */
	double margin;     /* log-likelihood ratio to the runner-up */
	double chi_square; /* of the best explanation, or the least */
	double p_value; /* of that; below POSTERIOR_REFUSED: best is "none" */
};

#define POSTERIOR_REFUSED 1e-4

/*
 * Judge @n explanations @x by @e. @prior are logarithms of prior weights, n + 1
 * with "none" last; NULL: all alike. Probabilities go to @posterior (n + 1).
 */
struct verdict posterior_judge(const struct evidence *e,
			       const struct expectation *x, size_t n,
			       const double *prior, double *posterior);
