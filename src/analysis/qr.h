/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * QR factorisation by Householder reflections, in place, with or without
 * exchanging columns: what fits and ranks are computed from. What the columns
 * mean, and when one is too small to count, is the caller's.
 *
 * [Golub & Van Loan, Matrix Computations, 4th edition, 5.2 and 5.4]
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct qr {
	size_t rows, cols;
	double *a;        /* rows x cols by columns; from the diagonal down the
			     reflectors, above it R */
	double *diagonal; /* cols: R's own */
	size_t *order;    /* cols: which column came where; NULL: no exchange */
};

/* The Euclidean norm of @x, without overflow. */
double qr_norm(const double *x, size_t n);

/*
 * Factor column @k (0, 1, ... in turn). With @order, the longest of those left
 * is exchanged to that place first. False, and nothing reflected, if what is
 * left of it is no longer than @least.
 */
bool qr_step(struct qr *q, size_t k, double least);

/* @x (rows) becomes Q'x or Qx, for the first @n reflectors. */
void qr_apply(const struct qr *q, size_t n, double *x);
void qr_apply_back(const struct qr *q, size_t n, double *x);

/* R x = @x and R' x = @x in place, for the leading @n rows and columns. */
void qr_solve_upper(const struct qr *q, size_t n, double *x);
void qr_solve_lower(const struct qr *q, size_t n, double *x);
