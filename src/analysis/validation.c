/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Cross-validation of a regression: each sample is predicted by a model that
 * was fitted without it, so that a model with many predictors gets no credit
 * for following the noise.
 */

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/regression.h"
#include "base/doubles.h"
#include "base/err.h"

/*
 * Samples that are not of @fold, into @x and @y; how many. Every folds-th
 * sample belongs to one fold: neighbours, which were often measured under the
 * same conditions, are in different ones.
 */
static size_t take_others(const struct samples *s, size_t folds, size_t fold,
			  double *x, double *y)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++) {
		if (i % folds == fold)
			continue;
		memcpy(x + n * s->p, s->x + i * s->p, s->p * sizeof(*x));
		y[n++] = s->y[i];
	}
	return n;
}

/* Errors of the predictions for @fold, into @off. */
static int try_fold(const struct samples *s, double ridge, size_t folds,
		    size_t fold, double *off)
{
	OWNED double *x = calloc(s->n * s->p + 1, sizeof(*x));
	OWNED double *y = calloc(s->n, sizeof(*y));
	struct samples others = { .x = x, .y = y, .p = s->p };
	struct regression r = { 0 };
	int err = x && y ? 0 : PAPI_ENOMEM;

	if (!err) {
		others.n = take_others(s, folds, fold, x, y);
		err = regression_fit(&others, ridge, &r, NULL);
	}
	for (size_t i = fold; !err && i < s->n; i += folds)
		off[i] = regression_predict(&r, s->x + i * s->p) - s->y[i];
	regression_fini(&r);
	return err;
}

/* Of samples that are 0 there is no share; they count for rms alone. */
static void sum_up(const struct samples *s, double *off, struct validation *v)
{
	size_t n = 0;

	v->rms = 0;
	for (size_t i = 0; i < s->n; i++) {
		v->rms += off[i] * off[i] / (double)s->n;
		if (s->y[i] != 0)
			off[n++] = fabs(off[i] / s->y[i]);
	}
	v->rms = sqrt(v->rms);
	v->median_ape = n ? doubles_median(off, n) : NAN;
	v->worst_ape = n ? off[n - 1] : NAN;
}

int regression_validate(const struct samples *s, double ridge, size_t folds,
			struct validation *out)
{
	OWNED double *off = NULL;
	int err = 0;

	if (folds < 2 || folds > s->n)
		return PAPI_EINVAL;
	off = calloc(s->n, sizeof(*off));
	if (!off)
		return PAPI_ENOMEM;
	for (size_t fold = 0; !err && fold < folds; fold++)
		err = try_fold(s, ridge, folds, fold, off);
	if (!err) {
		sum_up(s, off, out);
		out->folds = folds;
	}
	return err;
}
