/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/pivot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"

#ifdef HAVE_LAPACKE
#include <lapacke.h>

static double norm(const double *x, size_t n)
{
	double top = 0, sum = 0;

	for (size_t i = 0; i < n; i++)
		top = fmax(top, fabs(x[i]));
	for (size_t i = 0; top > 0 && i < n; i++)
		sum += x[i] / top * (x[i] / top);
	return top * sqrt(sum);
}

/* Columns brought to the length that @favour gives them. */
static void even_out(double *q, size_t rows, size_t cols, const double *favour)
{
	for (size_t c = 0; c < cols; c++) {
		double *column = q + c * rows;
		double length = norm(column, rows);
		double wanted = favour ? favour[c] : 1;

		for (size_t r = 0; length > 0 && r < rows; r++)
			column[r] *= wanted / length;
	}
}

static size_t count_rank(const double *q, size_t rows, size_t cols,
			 double tolerance)
{
	size_t most = rows < cols ? rows : cols, rank = 0;

	while (rank < most && fabs(q[rank * rows + rank]) > tolerance)
		rank++;
	return rank;
}

int pivot_choose(const double *a, size_t rows, size_t cols,
		 const double *favour, double tolerance, size_t *order,
		 size_t *rank)
{
	double *q = calloc(rows * cols + 1, sizeof(*q));
	double *tau = calloc(rows + cols + 1, sizeof(*tau));
	lapack_int *at = calloc(cols + 1, sizeof(*at));
	int err = q && tau && at ? 0 : PAPI_ENOMEM;

	if (!err && rows && cols) {
		memcpy(q, a, rows * cols * sizeof(*q));
		even_out(q, rows, cols, favour);
		if (LAPACKE_dgeqp3(LAPACK_COL_MAJOR, (lapack_int)rows,
				   (lapack_int)cols, q, (lapack_int)rows, at,
				   tau))
			err = PAPI_ENOMEM;
	}
	if (!err) {
		*rank = count_rank(q, rows, cols, tolerance);
		for (size_t c = 0; c < cols; c++)
			order[c] = (size_t)(at[c] - (rows > 0));
	}
	free(q);
	free(tau);
	free(at);
	return err;
}

/* The largest column sum stands for the norm of the matrix. */
static double matrix_norm(const double *a, size_t rows, size_t cols)
{
	double sum = 0;

	for (size_t c = 0; c < cols; c++) {
		double length = norm(a + c * rows, rows);

		sum += length * length;
	}
	return sqrt(sum);
}

static struct reach measure(const double *a, size_t rows, size_t cols,
			    const double *s, const double *y, double *rest)
{
	struct reach r = { 0 };
	double left, length = norm(s, rows);

	memcpy(rest, s, rows * sizeof(*rest));
	for (size_t c = 0; c < cols; c++)
		for (size_t i = 0; i < rows; i++)
			rest[i] -= a[c * rows + i] * y[c];
	left = norm(rest, rows);
	r.residual = length > 0 ? left / length : 0;
	r.backward_error =
		left > 0 ? left / (matrix_norm(a, rows, cols) * norm(y, cols) +
				   length)
			 : 0;
	return r;
}

int pivot_solve(const double *a, size_t rows, size_t cols, const double *s,
		double tolerance, double *y, struct reach *out)
{
	size_t tall = rows > cols ? rows : cols;
	double *q = calloc(rows * cols + 1, sizeof(*q));
	double *b = calloc(tall + 1, sizeof(*b));
	lapack_int *at = calloc(cols + 1, sizeof(*at));
	lapack_int rank = 0;
	int err = q && b && at ? 0 : PAPI_ENOMEM;

	if (!err && rows && cols) {
		memcpy(q, a, rows * cols * sizeof(*q));
		memcpy(b, s, rows * sizeof(*b));
		if (LAPACKE_dgelsy(LAPACK_COL_MAJOR, (lapack_int)rows,
				   (lapack_int)cols, 1, q, (lapack_int)rows, b,
				   (lapack_int)tall, at, tolerance, &rank))
			err = PAPI_ENOMEM;
	}
	if (!err) {
		memcpy(y, b, cols * sizeof(*y));
		*out = measure(a, rows, cols, s, y, b);
		out->rank = (size_t)rank;
	}
	free(q);
	free(b);
	free(at);
	return err;
}

#else

int pivot_choose(const double *a, size_t rows, size_t cols,
		 const double *favour, double tolerance, size_t *order,
		 size_t *rank)
{
	(void)a, (void)rows, (void)cols, (void)favour, (void)tolerance;
	(void)order, (void)rank;
	return PAPI_ENOSUPP;
}

int pivot_solve(const double *a, size_t rows, size_t cols, const double *s,
		double tolerance, double *y, struct reach *out)
{
	(void)a, (void)rows, (void)cols, (void)s, (void)tolerance;
	(void)y, (void)out;
	return PAPI_ENOSUPP;
}

#endif
