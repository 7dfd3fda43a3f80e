/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Regression by QR. Predictors are standardised first: then the penalty means
 * the same for each of them, the constant is not penalised, and "depends on
 * the others" can be told by the size of R's diagonal alone.
 *
 * [Golub & Van Loan, Matrix Computations, 5.2-5.3; Hoerl & Kennard 1970]
 */

#include "analysis/regression.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/qr.h"
#include "base/err.h"

/* Of a standardised column: nothing of its own is left. */
#define DEPENDENT 1e-10

/* A fit being made; all of it in one piece of memory. */
struct work {
	const struct samples *s;
	struct qr qr; /* rows: n, and p more for the penalty; columns: the
			 predictors, standardised */
	double *b;    /* rows: the response, standardised, then reflected */
	double *mean, *scale, *gamma; /* p each; gamma: on the standard scale */
	double *column;               /* p: scratch */
	double mean_y;
};

static double *col(const struct work *w, size_t k)
{
	return w->qr.a + k * w->qr.rows;
}

static int work_init(struct work *w, const struct samples *s)
{
	size_t rows = s->n + s->p;
	double *memory;

	if (s->p > 0 && rows > SIZE_MAX / sizeof(double) / (s->p + 8))
		return PAPI_ENOMEM;
	memory = calloc(rows * s->p + rows + 5 * s->p + 1, sizeof(double));
	if (!memory)
		return PAPI_ENOMEM;
	w->s = s;
	w->qr = (struct qr){ .rows = rows, .cols = s->p, .a = memory };
	w->b = memory + rows * s->p;
	w->qr.diagonal = w->b + rows;
	w->mean = w->qr.diagonal + s->p;
	w->scale = w->mean + s->p;
	w->gamma = w->scale + s->p;
	w->column = w->gamma + s->p;
	return 0;
}

/* Column @k less its mean, by its deviation; false if it never varies. */
static bool standardise(struct work *w, size_t k)
{
	const struct samples *s = w->s;
	double *a = col(w, k);
	double mean = 0, ss = 0, most = 0;

	for (size_t i = 0; i < s->n; i++)
		mean += s->x[i * s->p + k] / (double)s->n;
	for (size_t i = 0; i < s->n; i++) {
		a[i] = s->x[i * s->p + k] - mean;
		ss += a[i] * a[i];
		most = fmax(most, fabs(s->x[i * s->p + k]));
	}
	w->mean[k] = mean;
	w->scale[k] = sqrt(ss / (double)s->n);
	if (!(w->scale[k] > 1e-14 * most))
		return false;
	for (size_t i = 0; i < s->n; i++)
		a[i] /= w->scale[k];
	return true;
}

static int fill(struct work *w, double ridge, size_t *bad)
{
	const struct samples *s = w->s;

	for (size_t i = 0; i < s->n; i++)
		w->mean_y += s->y[i] / (double)s->n;
	for (size_t i = 0; i < s->n; i++)
		w->b[i] = s->y[i] - w->mean_y;
	for (size_t k = 0; k < s->p; k++) {
		if (!standardise(w, k)) {
			*bad = k;
			return PAPI_EINVAL;
		}
		col(w, k)[s->n + k] = sqrt(ridge * (double)s->n);
	}
	return 0;
}

static int solve(struct work *w, size_t *bad)
{
	double least = DEPENDENT * sqrt((double)w->s->n);

	for (size_t k = 0; k < w->s->p; k++)
		if (!qr_step(&w->qr, k, least)) {
			*bad = k;
			return PAPI_EINVAL;
		}
	qr_apply(&w->qr, w->s->p, w->b);
	memcpy(w->gamma, w->b, w->s->p * sizeof(*w->gamma));
	qr_solve_upper(&w->qr, w->s->p, w->gamma);
	return 0;
}

/* Coefficients on the scale of the samples. */
static void unscale(const struct work *w, struct regression *r)
{
	r->beta[0] = w->mean_y;
	for (size_t k = 0; k < w->s->p; k++) {
		r->beta[k + 1] = w->gamma[k] / w->scale[k];
		r->beta[0] -= r->beta[k + 1] * w->mean[k];
	}
}

static void residuals(const struct work *w, struct regression *r)
{
	const struct samples *s = w->s;
	double left = 0, all = 0;

	for (size_t i = 0; i < s->n; i++) {
		double e = s->y[i] - regression_predict(r, s->x + i * s->p);

		left += e * e;
		all += (s->y[i] - w->mean_y) * (s->y[i] - w->mean_y);
	}
	r->sigma = sqrt(left / (double)(s->n - s->p - 1));
	r->r2 = all > 0 ? 1 - left / all : NAN;
}

/*
 * The variance of c'gamma by sigma^2, with M = R'R = Z'Z + n ridge: for least
 * squares c'M^-1 c, with a penalty c'M^-1 (M - n ridge) M^-1 c.
 */
static double spread(const struct work *w, const double *c, double ridge)
{
	double *u = w->column;
	double first = 0, second = 0;

	memcpy(u, c, w->s->p * sizeof(*u));
	qr_solve_lower(&w->qr, w->s->p, u);
	for (size_t k = 0; k < w->s->p; k++)
		first += u[k] * u[k];
	qr_solve_upper(&w->qr, w->s->p, u);
	for (size_t k = 0; k < w->s->p; k++)
		second += u[k] * u[k];
	return first - ridge * (double)w->s->n * second;
}

static int errors(const struct work *w, double ridge, struct regression *r)
{
	size_t p = w->s->p;
	OWNED double *c = calloc(p + 1, sizeof(*c));

	if (!c)
		return PAPI_ENOMEM;
	for (size_t k = 0; k < p; k++) {
		c[k] = 1 / w->scale[k];
		r->error[k + 1] = r->sigma * sqrt(spread(w, c, ridge));
		c[k] = 0;
	}
	for (size_t k = 0; k < p; k++)
		c[k] = w->mean[k] / w->scale[k];
	r->error[0] =
		r->sigma * sqrt(1 / (double)w->s->n + spread(w, c, ridge));
	return 0;
}

int regression_fit(const struct samples *s, double ridge,
		   struct regression *out, size_t *bad)
{
	struct regression r = { .p = s->p };
	struct work w = { 0 };
	size_t nowhere;
	int err = PAPI_EINVAL;

	if (!bad)
		bad = &nowhere;
	*bad = s->p;
	if (s->n < s->p + 2 || !(ridge >= 0))
		return PAPI_EINVAL;
	if (work_init(&w, s))
		return PAPI_ENOMEM;
	err = fill(&w, ridge, bad);
	if (!err)
		err = solve(&w, bad);
	if (!err) {
		r.beta = calloc(2 * (s->p + 1), sizeof(*r.beta));
		err = r.beta ? 0 : PAPI_ENOMEM;
	}
	if (!err) {
		r.error = r.beta + s->p + 1;
		unscale(&w, &r);
		residuals(&w, &r);
		err = errors(&w, ridge, &r);
	}
	free(w.qr.a);
	if (err)
		regression_fini(&r);
	else
		*out = r;
	return err;
}

void regression_fini(struct regression *r)
{
	free(r->beta);
	*r = (struct regression){ 0 };
}

double regression_predict(const struct regression *r, const double *row)
{
	double y = r->beta[0];

	for (size_t k = 0; k < r->p; k++)
		y += r->beta[k + 1] * row[k];
	return y;
}
