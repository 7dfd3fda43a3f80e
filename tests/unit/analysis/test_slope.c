/* SPDX-License-Identifier: BSD-3-Clause */
/* Straight lines through points, with errors worked out by hand. */
#include <math.h>

#include "analysis/slope.h"
#include "base/err.h"
#include "tests/unit/testing.h"

TEST(test_exact_line_has_no_error)
{
	const double x[] = { 512, 1024, 2048, 4096 };
	const double y[] = { 2 * 512 + 37, 2 * 1024 + 37, 2 * 2048 + 37,
			     2 * 4096 + 37 };
	struct slope s;

	assert_int_equal(slope_fit(x, y, 4, &s), 0);
	assert_true(fabs(s.slope - 2) < 1e-12);
	assert_true(fabs(s.intercept - 37) < 1e-8);
	assert_true(s.error < 1e-12 && s.r2 == 1 && s.misfit == 1);
}

/* By hand: x 1..4, y 2 3 5 4: slope .8, ss 1.8, se = sqrt(.9/5). */
TEST(test_error_by_hand)
{
	const double x[] = { 1, 2, 3, 4 }, y[] = { 2, 3, 5, 4 };
	struct slope s;

	assert_int_equal(slope_fit(x, y, 4, &s), 0);
	assert_true(fabs(s.slope - 0.8) < 1e-12);
	assert_true(fabs(s.intercept - 1.5) < 1e-12);
	assert_true(fabs(s.error - sqrt(0.9 / 5)) < 1e-12);
	assert_true(fabs(s.r2 - 0.64) < 1e-12);
}

TEST(test_constant_data_is_flat_and_certain)
{
	const double x[] = { 1, 2, 3, 3 }, y[] = { 7, 7, 7, 7 };
	struct slope s;

	assert_int_equal(slope_fit(x, y, 4, &s), 0);
	assert_true(s.slope == 0 && s.error == 0 && s.r2 == 1);
	assert_true(s.misfit == 1 && s.spread == 0);
	assert_true(isnan(pearson(x, y, 4)));
}

/* Means of so many numbers are rounded. */
TEST(test_rounding_is_no_slope)
{
	struct slope s;

	for (double constant = 3; constant < 5000; constant *= 1.37) {
		double x[12], y[12];

		for (int i = 0; i < 12; i++) {
			x[i] = 128 << i % 6;
			y[i] = constant;
		}
		assert_int_equal(slope_fit(x, y, 12, &s), 0);
		assert_true(s.slope == 0 && s.r2 == 1 && s.misfit == 1);
		y[7] += 1e-6 * constant; /* this is none */
		assert_int_equal(slope_fit(x, y, 12, &s), 0);
		assert_true(s.slope != 0 && s.r2 < 1);
	}
}

TEST(test_one_x_determines_no_line)
{
	const double x[] = { 5, 5, 5 }, y[] = { 1, 2, 3 };
	struct slope s;

	assert_int_equal(slope_fit(x, y, 3, &s), PAPI_EINVAL);
	assert_int_equal(slope_fit(x, y, 0, &s), PAPI_EINVAL);
}

/* An event that counts nothing below 100 is no line, and repeats say so. */
TEST(test_threshold_is_a_misfit)
{
	double x[16], y[16];
	struct slope s;

	for (int i = 0; i < 16; i++) {
		x[i] = 25 << (i / 2 % 8);
		y[i] = x[i] < 100 ? 0 : x[i] + i % 2;
	}
	x[15] = x[14] = 150;
	y[14] = 0;
	y[15] = 1;
	assert_int_equal(slope_fit(x, y, 16, &s), 0);
	assert_true(s.misfit < 0.01);
}

TEST(test_repeats_give_the_spread)
{
	const double x[] = { 1, 1, 2, 2 }, y[] = { 90, 110, 200, 200 };
	struct slope s;

	assert_int_equal(slope_fit(x, y, 4, &s), 0);
	assert_true(fabs(s.spread - sqrt(199. / 10000 / 2)) < 1e-12);
}

/* Correlation cannot tell branches from instructions from cycles. */
TEST(test_correlation_fails_as_the_paper_says)
{
	static const double per_iteration[] = { 2, 2.5, 41, 17.3, 130 };
	double x[12], y[12];

	for (size_t e = 0; e < 5; e++) {
		for (int i = 0; i < 12; i++) {
			x[i] = 512 * pow(2, i / 4.);
			y[i] = per_iteration[e] * x[i] + 300 + i % 3;
		}
		assert_true(pearson(x, y, 12) > 0.9999);
	}
}

RUN_ALL_TESTS
