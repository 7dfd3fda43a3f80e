/* SPDX-License-Identifier: BSD-3-Clause */
/* Student's quantiles against published tables. */
#include <math.h>

#include "analysis/student.h"
#include "tests/unit/testing.h"

/* Quantiles as tables of the distribution print them. */
TEST(test_quantiles_are_the_tables)
{
	static const struct {
		int line;
		double p, df, t;
	} rows[] = {
		{ __LINE__, 0.975, 1, 12.7062 },
		{ __LINE__, 0.975, 2, 4.3027 },
		{ __LINE__, 0.975, 5, 2.5706 },
		{ __LINE__, 0.975, 30, 2.0423 },
		{ __LINE__, 0.95, 10, 1.8125 },
		{ __LINE__, 0.995, 7, 3.4995 },
		{ __LINE__, 0.025, 5, -2.5706 },
		{ __LINE__, 0.5, 3, 0 },
		{ __LINE__, 0.975, 1e6, 1.95997 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		double t = student_quantile(rows[i].p, rows[i].df);

		CHECK_AT(rows[i].line, fabs(t - rows[i].t) < 6e-5);
		CHECK_AT(rows[i].line,
			 fabs(student_cdf(t, rows[i].df) - rows[i].p) < 1e-9);
	}
}

/*
 * Two samples of Welch's kind: means 20.6 and 22.1, standard deviations 2.1
 * and 1.4, sizes 10 and 15. By hand: se = sqrt(.441 + .13067) = .75609,
 * df = 14.37, t = 2.1396, so the half width is 1.6178.
 */
TEST(test_interval_by_hand)
{
	const struct sample a = { 20.6, 2.1, 10 }, b = { 22.1, 1.4, 15 };
	struct difference d;

	assert_true(welch_difference(&a, &b, &d));
	assert_true(fabs(d.delta - 1.5) < 1e-12);
	assert_true(fabs(d.high - d.delta - 1.6178) < 2e-3);
	assert_false(d.resolved);
}

TEST(test_no_spread_needs_no_interval)
{
	const struct sample a = { 100, 0, 3 }, b = { 101, 0, 3 };
	const struct sample one = { 100, 0, 1 };
	struct difference d;

	assert_true(welch_difference(&a, &b, &d));
	assert_true(d.resolved && d.low == 1 && d.high == 1);
	assert_true(welch_difference(&a, &a, &d));
	assert_false(d.resolved);
	assert_false(welch_difference(&a, &one, &d));
}

RUN_ALL_TESTS
