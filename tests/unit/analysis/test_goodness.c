/* SPDX-License-Identifier: BSD-3-Clause */
/* The 2018 paper's Equation 1, against values worked out by hand. */
#include <math.h>

#include "analysis/goodness.h"
#include "tests/unit/analysis/table1.h"
#include "tests/unit/testing.h"

/* exp(-2 d^2) by hand. */
TEST(test_equation_1)
{
	assert_true(goodness_of(2, 1, 2) == 1);
	assert_true(fabs(goodness_of(2, 1, 2.5) - 0.60653065971) < 1e-10);
	assert_true(fabs(goodness_of(2, 0.5, 2) - 0.13533528324) < 1e-10);
	assert_true(goodness_of(9, 1, 2) < 1e-40);
	assert_true(goodness_of(0, 0.123, 0) == 1);
}

static double product_of(const double *slopes, const double *expected)
{
	double product = 1;

	for (int i = 0; i < 7; i++)
		product *= goodness_of(slopes[i], 1, expected[i]);
	return product;
}

/* Over the paper's seven kernels a perfect CR is 0.607 of a CE. */
TEST(test_cr_is_hard_to_tell_from_ce)
{
	for (int i = 0; i < ROWS; i++)
		assert_true(product_of(table1[i], table1[i]) == 1);
	assert_true(fabs(product_of(table1[CR], table1[CE]) - 0.60653065971) <
		    1e-10);
	assert_true(product_of(table1[T], table1[CR]) < 0.01);
}

RUN_ALL_TESTS
