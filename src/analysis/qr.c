/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A reflector v is kept from the diagonal down. With r = -sign(v_k) |v| its
 * square length is 2 |r| |v_k|, so no factor needs to be stored beside it.
 */

#include "analysis/qr.h"

#include <math.h>

static double *column(const struct qr *q, size_t k)
{
	return q->a + k * q->rows;
}

double qr_norm(const double *x, size_t n)
{
	double top = 0, sum = 0;

	/* by the largest: counts of 10^15 have squares that lose digits */
	for (size_t i = 0; i < n; i++)
		top = fmax(top, fabs(x[i]));
	for (size_t i = 0; top > 0 && i < n; i++)
		sum += x[i] / top * (x[i] / top);
	return top * sqrt(sum);
}

/* Reflect @x by reflector @k. */
static void reflect(const struct qr *q, size_t k, double *x)
{
	const double *v = column(q, k);
	double vv = 2 * fabs(q->diagonal[k]) * fabs(v[k]);
	double dot = 0;

	for (size_t i = k; i < q->rows; i++)
		dot += v[i] * x[i];
	dot *= 2 / vv;
	for (size_t i = k; i < q->rows; i++)
		x[i] -= dot * v[i];
}

static double rest_of(const struct qr *q, size_t k, size_t from)
{
	return from < q->rows ? qr_norm(column(q, k) + from, q->rows - from)
			      : 0;
}

/*
 * Put the longest of the columns that are left at place @k. Their lengths are
 * computed anew each time instead of updated: matrices here have at most a few
 * hundred columns, and updates lose what ranks are decided by.
 */
static void exchange(struct qr *q, size_t k)
{
	size_t best = k, moved;
	double longest = rest_of(q, k, k);

	for (size_t c = k + 1; c < q->cols; c++) {
		double length = rest_of(q, c, k);

		if (length > longest) {
			longest = length;
			best = c;
		}
	}
	if (best == k)
		return;
	for (size_t i = 0; i < q->rows; i++) {
		double x = column(q, k)[i];

		column(q, k)[i] = column(q, best)[i];
		column(q, best)[i] = x;
	}
	moved = q->order[k];
	q->order[k] = q->order[best];
	q->order[best] = moved;
}

bool qr_step(struct qr *q, size_t k, double least)
{
	double *v = column(q, k);
	double norm;

	if (q->order)
		exchange(q, k);
	norm = rest_of(q, k, k);
	if (!(norm > least))
		return false;
	/* the sign for which v_k - r adds and no digits cancel */
	q->diagonal[k] = v[k] > 0 ? -norm : norm;
	v[k] -= q->diagonal[k];
	for (size_t c = k + 1; c < q->cols; c++)
		reflect(q, k, column(q, c));
	return true;
}

void qr_apply(const struct qr *q, size_t n, double *x)
{
	for (size_t k = 0; k < n; k++)
		reflect(q, k, x);
}

void qr_apply_back(const struct qr *q, size_t n, double *x)
{
	while (n-- > 0)
		reflect(q, n, x);
}

void qr_solve_upper(const struct qr *q, size_t n, double *x)
{
	for (size_t k = n; k-- > 0;) {
		for (size_t c = k + 1; c < n; c++)
			x[k] -= column(q, c)[k] * x[c];
		x[k] /= q->diagonal[k];
	}
}

void qr_solve_lower(const struct qr *q, size_t n, double *x)
{
	for (size_t k = 0; k < n; k++) {
		for (size_t c = 0; c < k; c++)
			x[k] -= column(q, k)[c] * x[c];
		x[k] /= q->diagonal[k];
	}
}
