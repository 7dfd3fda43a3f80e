/* SPDX-License-Identifier: BSD-3-Clause */
/* How probable explanations are: exact, slightly off, equal and silent ones. */
#include <math.h>

#include "analysis/posterior.h"
#include "tests/unit/analysis/table1.h"
#include "tests/unit/testing.h"

static struct verdict judge(const double *slope, const double *error,
			    double *posterior)
{
	const struct evidence e = { .slope = slope,
				    .error = error,
				    .n = BENCHES };
	struct expectation x[ROWS];

	expect_table1(x);
	return posterior_judge(&e, x, ROWS, NULL, posterior);
}

TEST(test_perfect_events_are_certain)
{
	double p[ROWS + 1];

	for (size_t i = 0; i < ROWS; i++) {
		struct verdict v = judge(table1[i], no_error, p);

		assert_int_equal(v.best, i);
		assert_true(v.confidence > 0.9999 && v.p_value > 0.99);
		assert_true(v.margin > 10);
	}
}

TEST(test_small_errors_do_no_harm)
{
	double error[BENCHES], slope[BENCHES], p[ROWS + 1];

	for (int i = 0; i < BENCHES; i++) {
		error[i] = 0.02;
		slope[i] = table1[CE][i] + (i % 2 ? 0.02 : -0.02);
	}
	assert_int_equal(judge(slope, error, p).best, CE);
	assert_true(p[CE] > 0.999);
}

/* As errors grow past the difference of CE and CR, certainty goes. */
TEST(test_large_errors_cost_confidence)
{
	double error[BENCHES], p[ROWS + 1];
	struct verdict v;

	for (int i = 0; i < BENCHES; i++)
		error[i] = 3;
	v = judge(table1[CE], error, p);
	assert_true(p[CE] < 0.7 && p[CR] > 0.2);
	assert_true(v.confidence < 0.7);
}

TEST(test_other_events_are_none_of_these)
{
	static const double instructions[BENCHES] = { 305, 306, 305, 570,
						      304, 308, 8,   580 };
	static const double one_wrong[BENCHES] = { 2, 2, 2, 2, 2, 2, 1.5, 6 };
	static const double twice[BENCHES] = { 4, 4, 4, 4, 4, 4, 2, 12 };
	double p[ROWS + 1];

	assert_int_equal(judge(instructions, no_error, p).best, ROWS);
	assert_int_equal(judge(one_wrong, no_error, p).best, ROWS);
	assert_int_equal(judge(twice, no_error, p).best, ROWS);
	assert_true(p[ROWS] > 0.999);
}

TEST(test_dead_events_are_none_of_these)
{
	double p[ROWS + 1];

	assert_int_equal(judge(no_error, no_error, p).best, ROWS);
}

/* What two explanations agree on decides nothing between them. */
TEST(test_equal_explanations_share)
{
	const struct evidence e = { .slope = table1[T],
				    .error = no_error,
				    .n = BENCHES };
	const struct expectation x[2] = { { table1[T], NULL },
					  { table1[T], NULL } };
	double p[3];
	struct verdict v = posterior_judge(&e, x, 2, NULL, p);

	assert_true(fabs(v.confidence - 0.5) < 1e-6);
	assert_true(fabs(p[0] - p[1]) < 1e-12);
}

/* Silence about all kernels but one that fits is no explanation. */
TEST(test_silence_does_not_win)
{
	double silent[BENCHES], p[3];
	const struct evidence e = { .slope = table1[CR],
				    .error = no_error,
				    .n = BENCHES };
	const struct expectation x[2] = { { silent, NULL },
					  { table1[CR], NULL } };

	for (int i = 0; i < BENCHES; i++)
		silent[i] = NAN;
	silent[6] = 1;
	assert_int_equal(posterior_judge(&e, x, 2, NULL, p).best, 1);
	assert_true(p[1] > 0.999);
}

TEST(test_unmeasured_kernels_are_left_out)
{
	double slope[BENCHES], p[ROWS + 1];

	for (int i = 0; i < BENCHES; i++)
		slope[i] = i == 2 ? NAN : table1[T][i];
	assert_int_equal(judge(slope, no_error, p).best, T);
}

RUN_ALL_TESTS
