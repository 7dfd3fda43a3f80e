/* SPDX-License-Identifier: BSD-3-Clause */
/* Independent columns of small matrices whose rank is known. */
#include <math.h>

#include "analysis/pivot.h"
#include "base/err.h"
#include "tests/unit/analysis/table1.h"
#include "tests/unit/testing.h"

enum {
	EVENTS = 4
};

/* CR, T, all branches (CR + D), not taken (CR - T): rank 3. */
static void fill(double *a)
{
	for (int b = 0; b < BENCHES; b++) {
		a[b] = table1[CR][b];
		a[BENCHES + b] = table1[T][b];
		a[2 * BENCHES + b] = table1[CR][b] + table1[D][b];
		a[3 * BENCHES + b] = table1[CR][b] - table1[T][b];
	}
}

TEST(test_rank_and_choice)
{
	static const double favour[EVENTS] = { 1, 1, 1, 0.1 };
	double a[EVENTS * BENCHES];
	size_t order[EVENTS], rank;
	int err;

	fill(a);
	err = pivot_choose(a, BENCHES, EVENTS, favour, 1e-9, order, &rank);
	assert_int_equal(err, 0);
	assert_int_equal(rank, 3);
	for (size_t i = 0; i < rank; i++)
		assert_int_not_equal(order[i], 3);
}

TEST(test_reach)
{
	double a[EVENTS * BENCHES], y[EVENTS], zero[BENCHES] = { 0 };
	struct reach r;
	int err;

	fill(a);
	err = pivot_solve(a, BENCHES, EVENTS, table1[D], 1e-10, y, &r);
	assert_int_equal(err, 0);
	assert_true(r.backward_error < 1e-14 && r.residual < 1e-12);
	assert_int_equal(r.rank, 3);
	/* what is executed cannot be had from what is retired */
	assert_int_equal(
		pivot_solve(a, BENCHES, EVENTS, table1[M], 1e-10, y, &r), 0);
	assert_true(r.residual > 0.5 && r.backward_error > 0.01);
	assert_int_equal(pivot_solve(a, BENCHES, EVENTS, zero, 1e-10, y, &r),
			 0);
	assert_true(r.residual == 0);
}

RUN_ALL_TESTS
