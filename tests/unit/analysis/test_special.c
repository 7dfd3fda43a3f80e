/* SPDX-License-Identifier: BSD-3-Clause */
/* Distributions against published tables. */
#include <math.h>

#include "analysis/special.h"
#include "tests/unit/testing.h"

/* Quantiles as printed tables have them, put back in. */
TEST(test_chi_square_is_the_tables)
{
	static const struct {
		int line;
		double x, df, tail;
	} rows[] = {
		{ __LINE__, 3.8415, 1, 0.05 },  { __LINE__, 6.6349, 1, 0.01 },
		{ __LINE__, 14.0671, 7, 0.05 }, { __LINE__, 18.4753, 7, 0.01 },
		{ __LINE__, 2.1673, 7, 0.95 },  { __LINE__, 67.5048, 50, 0.05 },
		{ __LINE__, 0, 3, 1 },          { __LINE__, INFINITY, 3, 0 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		CHECK_AT(rows[i].line,
			 fabs(chi_square_tail(rows[i].x, rows[i].df) -
			      rows[i].tail) < 1e-5);
	/* two degrees of freedom: exp(-x/2) */
	for (double x = 0.1; x < 40; x *= 1.7)
		assert_true(fabs(chi_square_tail(x, 2) / exp(-x / 2) - 1) <
			    1e-12);
}

TEST(test_fisher_is_the_tables)
{
	assert_true(fabs(fisher_tail(3.3258, 5, 10) - 0.05) < 1e-5);
	assert_true(fabs(fisher_tail(10.0443, 1, 10) - 0.01) < 1e-5);
	assert_true(fisher_tail(0, 3, 4) == 1);
	assert_true(fisher_tail(INFINITY, 3, 4) == 0);
}

RUN_ALL_TESTS
