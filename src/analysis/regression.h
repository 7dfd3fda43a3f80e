/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Linear regression: y = b0 + b1 x1 + ... + bp xp, by least squares or with a
 * ridge penalty, and how well it would predict samples it has not seen.
 */
#pragma once

#include <stddef.h>

struct samples {
	const double *x; /* n rows of p predictors */
	const double *y; /* n responses */
	size_t n;
	size_t p;
};

struct regression {
	size_t p;
	double *beta;  /* p + 1: the constant first */
	double *error; /* their standard errors */
	double sigma;  /* standard deviation of what is left */
	double r2;     /* share of the variance that is explained */
};

/*
 * Fit @s. @ridge is the penalty on coefficients of standardised predictors, as
 * a share of the number of samples; 0 is least squares. Solved by Householder
 * reflections, so predictors of very different sizes do no harm.
 *
 *   PAPI_EINVAL   fewer samples than coefficients and one more, a predictor
 *                 that never varies, or one that others determine; its index
 *                 is in *@bad (which may be NULL), p if it is none's fault
 *   PAPI_ENOMEM
 */
int regression_fit(const struct samples *s, double ridge,
		   struct regression *out, size_t *bad);
void regression_fini(struct regression *r);

/* What it says for a row of p predictors. */
double regression_predict(const struct regression *r, const double *row);

/* How far predictions of samples left out of the fit were off. */
struct validation {
	double median_ape; /* median absolute error, as a share of the sample */
	double worst_ape;
	double rms; /* root of the mean squared error */
	size_t folds;
};

/*
 * Leave out every @folds-th sample, fit the others, predict those; for each of
 * @folds starts. Errors as regression_fit(), also if @folds is not 2 to n.
 */
int regression_validate(const struct samples *s, double ridge, size_t folds,
			struct validation *out);
