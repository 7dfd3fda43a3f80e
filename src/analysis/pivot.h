/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Linear algebra over measured events: how many of them are independent, which
 * ones to take, and whether a wanted count is within their reach.
 */
#pragma once

#include <stddef.h>

/*
 * QR with column pivoting of @a, @rows by @cols, stored by columns. @favour
 * (@cols; NULL: all alike) multiplies the norms that columns are picked by,
 * once these are brought to length 1, so that simple and quiet events come
 * first. *@rank is the number of independent columns: the diagonal of R has
 * fallen below @tolerance. Their indices are the first *@rank of @order
 * (@cols). 0 or PAPI_ENOMEM.
 */
int pivot_choose(const double *a, size_t rows, size_t cols,
		 const double *favour, double tolerance, size_t *order,
		 size_t *rank);

struct reach {
	double backward_error; /* |Ay - s| / (|A| |y| + |s|): 1e-16 exact,
				  1e-2 usable, near 1 out of reach */
	double residual; /* |Ay - s| / |s|: the share that is left; it is the
			    proof that no sum of these events gives it */
	size_t rank;
};

/*
 * The least-squares solution of @a @y = @s by complete orthogonal
 * factorisation, and how near it comes. 0 or PAPI_ENOMEM.
 */
int pivot_solve(const double *a, size_t rows, size_t cols, const double *s,
		double tolerance, double *y, struct reach *out);
