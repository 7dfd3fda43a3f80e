/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sums of events that make a wanted count, out of exact and of noisy vectors.
 */
#include <math.h>

#include "analysis/compose.h"
#include "tests/unit/analysis/table1.h"
#include "tests/unit/testing.h"

static const struct compose_options options = { .terms = 4,
						.beam = 8,
						.widths = true };

static size_t explain(const double *slope, const double *error, struct blend *f)
{
	const struct evidence e = { .slope = slope,
				    .error = error,
				    .n = BENCHES };
	struct expectation x[ROWS];
	size_t found = 0;

	expect_table1(x);
	assert_int_equal(compose(&e, x, ROWS, &options, f, 1, &found), 0);
	return found;
}

/* Sums, differences, multiples. */
TEST(test_formulas_are_found)
{
	static const struct {
		int line;
		double factor[ROWS];
	} rows[] = {
		{ __LINE__, { [CR] = 1 } },
		{ __LINE__, { [CR] = 3 } },
		{ __LINE__, { [CR] = 1, [D] = 1 } },
		{ __LINE__, { [CR] = 1, [T] = -1 } },
		{ __LINE__, { [CR] = 1, [D] = 2, [M] = 1 } },
		{ __LINE__, { [T] = 1, [D] = 64 } },
		{ __LINE__, { [M] = 0.5 } },
	};

	for (size_t r = 0; r < sizeof(rows) / sizeof(rows[0]); r++) {
		double slope[BENCHES] = { 0 };
		struct blend f = { 0 };
		double total = 0;

		for (int b = 0; b < BENCHES; b++)
			for (int i = 0; i < ROWS; i++)
				slope[b] += rows[r].factor[i] * table1[i][b];
		CHECK_AT(rows[r].line, explain(slope, no_error, &f) == 1);
		for (size_t i = 0; i < f.n; i++) {
			CHECK_AT(rows[r].line,
				 f.factor[i] == rows[r].factor[f.term[i]]);
			CHECK_AT(rows[r].line, f.error[i] < 0.5);
			total += 1;
		}
		for (int i = 0; i < ROWS; i++)
			total -= rows[r].factor[i] != 0;
		CHECK_AT(rows[r].line, total == 0);
	}
}

TEST(test_noise_is_allowed_for)
{
	double slope[BENCHES], error[BENCHES];
	struct blend f;

	for (int b = 0; b < BENCHES; b++) {
		error[b] = 0.01;
		slope[b] = table1[CR][b] + table1[D][b] + (b % 3 - 1) * 0.012;
	}
	assert_int_equal(explain(slope, error, &f), 1);
	assert_int_equal(f.n, 2);
	assert_true(f.factor[0] == 1 && f.factor[1] == 1);
}

TEST(test_what_no_sum_explains_is_left_alone)
{
	static const double cycles[BENCHES] = { 101.3, 77.8, 99.1, 260.7,
						190.2, 88.8, 5.1,  301.9 };
	struct blend f;

	assert_int_equal(explain(cycles, no_error, &f), 0);
	assert_int_equal(explain(no_error, no_error, &f), 0);
}

TEST(test_barred_terms_are_not_used)
{
	static const unsigned char barred[ROWS] = { [CR] = 1 };
	const struct compose_options without = { 4, 8, barred, true };
	const struct evidence e = { .slope = table1[CR],
				    .error = no_error,
				    .n = BENCHES };
	struct expectation x[ROWS];
	struct blend f;
	size_t found;

	expect_table1(x);
	assert_int_equal(compose(&e, x, ROWS, &without, &f, 1, &found), 0);
	for (size_t i = 0; found && i < f.n; i++)
		assert_int_not_equal(f.term[i], CR);
}

TEST(test_silence_spreads_to_the_sum)
{
	double silent[BENCHES] = { 1, NAN, 1, 1, 1, 1, 1, 1 };
	double value[BENCHES], sigma[BENCHES];
	const struct expectation x[2] = { { silent, NULL },
					  { table1[M], chance } };
	const struct blend f = { .n = 2, .term = { 0, 1 }, .factor = { 1, 2 } };

	blend_expect(&f, x, BENCHES, value, sigma);
	assert_true(isnan(value[1]));
	assert_true(value[3] == 2 && fabs(sigma[3] - 0.004) < 1e-15);
}

RUN_ALL_TESTS
