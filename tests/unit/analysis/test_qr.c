/* SPDX-License-Identifier: BSD-3-Clause */
/* QR factors multiplied back, and least squares with known solutions. */
#include <math.h>
#include <stdlib.h>

#include "analysis/pivot.h"
#include "analysis/qr.h"
#include "tests/unit/testing.h"

enum {
	ROWS = 7,
	COLS = 4
};

static double draw(unsigned *seed)
{
	*seed = *seed * 1103515245u + 12345u;
	return (double)(*seed >> 16 & 0x7fff) / 16384 - 1;
}

/* Q R, by applying the reflectors back to the columns of R. */
static void multiply(const struct qr *q, double *product)
{
	for (size_t c = 0; c < COLS; c++) {
		double *x = product + c * ROWS;

		for (size_t r = 0; r < ROWS; r++)
			x[r] = r < c    ? q->a[c * ROWS + r]
			       : r == c ? q->diagonal[c]
					: 0;
		qr_apply_back(q, COLS, x);
	}
}

TEST(test_factors_multiply_to_the_matrix)
{
	double a[ROWS * COLS], kept[ROWS * COLS], product[ROWS * COLS];
	double diagonal[COLS];
	size_t order[COLS] = { 0, 1, 2, 3 };
	unsigned seed = 1;

	for (int round = 0; round < 100; round++) {
		struct qr q = { ROWS, COLS, a, diagonal,
				round % 2 ? order : NULL };

		for (size_t c = 0; c < COLS; c++)
			order[c] = c;
		for (size_t i = 0; i < ROWS * COLS; i++)
			kept[i] = a[i] = draw(&seed);
		for (size_t k = 0; k < COLS; k++)
			assert_true(qr_step(&q, k, 0));
		multiply(&q, product);
		for (size_t c = 0; c < COLS; c++)
			for (size_t r = 0; r < ROWS; r++)
				assert_true(fabs(product[c * ROWS + r] -
						 kept[order[c] * ROWS + r]) <
					    1e-13);
		for (size_t k = 1; q.order && k < COLS; k++)
			assert_true(fabs(diagonal[k]) <=
				    fabs(diagonal[k - 1]) * (1 + 1e-12));
	}
}

TEST(test_of_many_solutions_the_shortest)
{
	static const double ones[3] = { 1, 1, 1 };
	/* x + y + z = 3 and twice the same */
	static const double twice[6] = { 1, 2, 1, 2, 1, 2 };
	static const double wanted[2] = { 3, 6 };
	double y[3];
	struct reach reach;

	assert_int_equal(pivot_solve(twice, 2, 3, wanted, 1e-10, y, &reach), 0);
	assert_int_equal(reach.rank, 1);
	assert_true(reach.residual < 1e-15);
	for (size_t i = 0; i < 3; i++)
		assert_true(fabs(y[i] - ones[i]) < 1e-14);
}

TEST(test_zero_matrix_has_no_rank)
{
	static const double zero[4] = { 0 }, wanted[2] = { 1, 2 };
	double y[2] = { 5, 5 };
	struct reach reach;
	size_t order[2], rank;

	assert_int_equal(pivot_choose(zero, 2, 2, NULL, 1e-9, order, &rank), 0);
	assert_int_equal(rank, 0);
	assert_int_equal(pivot_solve(zero, 2, 2, wanted, 1e-9, y, &reach), 0);
	assert_int_equal(reach.rank, 0);
	assert_true(y[0] == 0 && y[1] == 0 && reach.residual == 1);
}

TEST(test_norm_does_not_overflow)
{
	static const double large[2] = { 3e300, 4e300 };

	assert_true(fabs(qr_norm(large, 2) / 5e300 - 1) < 1e-15);
}

RUN_ALL_TESTS
