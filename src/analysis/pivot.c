/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Columns are exchanged so that the longest of what is left comes next; the
 * diagonal of R then falls, and where it has fallen below the tolerance the
 * rank ends.
 */

#include "analysis/pivot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/qr.h"
#include "base/err.h"

static int start(struct qr *q, const double *a, size_t rows, size_t cols)
{
	*q = (struct qr){
		.rows = rows,
		.cols = cols,
		.a = calloc(rows * cols + 1, sizeof(*q->a)),
		.diagonal = calloc(cols + 1, sizeof(*q->diagonal)),
		.order = calloc(cols + 1, sizeof(*q->order)),
	};
	if (!q->a || !q->diagonal || !q->order)
		return PAPI_ENOMEM;
	if (a)
		memcpy(q->a, a, rows * cols * sizeof(*q->a));
	for (size_t c = 0; c < cols; c++)
		q->order[c] = c;
	return 0;
}

static void finish(struct qr *q)
{
	free(q->a);
	free(q->diagonal);
	free(q->order);
}

/* Columns brought to the length that @favour gives them. */
static void even_out(const struct qr *q, const double *favour)
{
	for (size_t c = 0; c < q->cols; c++) {
		double *column = q->a + c * q->rows;
		double length = qr_norm(column, q->rows);
		double wanted = favour ? favour[c] : 1;

		for (size_t r = 0; length > 0 && r < q->rows; r++)
			column[r] *= wanted / length;
	}
}

int pivot_choose(const double *a, size_t rows, size_t cols,
		 const double *favour, double tolerance, size_t *order,
		 size_t *rank)
{
	struct qr q;
	int err = start(&q, a, rows, cols);
	size_t n = 0;

	if (!err) {
		even_out(&q, favour);
		while (n < rows && n < cols && qr_step(&q, n, tolerance))
			n++;
		*rank = n;
		memcpy(order, q.order, cols * sizeof(*order));
	}
	finish(&q);
	return err;
}

/* The Frobenius norm. */
static double matrix_norm(const double *a, size_t rows, size_t cols)
{
	return qr_norm(a, rows * cols);
}

static struct reach measure(const double *a, size_t rows, size_t cols,
			    const double *s, const double *y, double *rest)
{
	struct reach r = { 0 };
	double left, length = qr_norm(s, rows);

	memcpy(rest, s, rows * sizeof(*rest));
	for (size_t c = 0; c < cols; c++)
		for (size_t i = 0; i < rows; i++)
			rest[i] -= a[c * rows + i] * y[c];
	left = qr_norm(rest, rows);
	r.residual = length > 0 ? left / length : 0;
	r.backward_error = left > 0 ? left / (matrix_norm(a, rows, cols) *
						      qr_norm(y, cols) +
					      length)
				    : 0;
	return r;
}

/*
 * Of all solutions of the first @n rows of R the shortest: R's transpose is
 * factored once more, R' = ZU, so that y = Z U'^-1 @b. @b has room for cols.
 */
static int shortest(const struct qr *q, size_t n, double *b)
{
	struct qr z;
	int err = start(&z, NULL, q->cols, n);

	for (size_t i = 0; !err && i < n; i++)
		for (size_t c = i; c < q->cols; c++)
			z.a[i * z.rows + c] =
				c == i ? q->diagonal[i] : q->a[c * q->rows + i];
	free(z.order); /* its columns stay where they are */
	z.order = NULL;
	for (size_t i = 0; !err && i < n; i++)
		qr_step(&z, i, 0); /* R has full rank there */
	if (!err) {
		qr_solve_lower(&z, n, b);
		memset(b + n, 0, (q->cols - n) * sizeof(*b));
		qr_apply_back(&z, n, b);
	}
	finish(&z);
	return err;
}

int pivot_solve(const double *a, size_t rows, size_t cols, const double *s,
		double tolerance, double *y, struct reach *out)
{
	size_t tall = rows > cols ? rows : cols, n = 0;
	OWNED double *b = calloc(tall + 1, sizeof(*b));
	struct qr q;
	int err = start(&q, a, rows, cols);

	if (!b)
		err = PAPI_ENOMEM;
	if (!err) {
		memcpy(b, s, rows * sizeof(*b));
		while (n < rows && n < cols &&
		       qr_step(&q, n, n ? tolerance * fabs(*q.diagonal) : 0))
			n++;
		qr_apply(&q, n, b);
		err = shortest(&q, n, b);
	}
	for (size_t c = 0; !err && c < cols; c++)
		y[q.order[c]] = b[c];
	if (!err) {
		*out = measure(a, rows, cols, s, y, b);
		out->rank = n;
	}
	finish(&q);
	return err;
}
