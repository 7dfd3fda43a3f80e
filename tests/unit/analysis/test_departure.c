/* SPDX-License-Identifier: BSD-3-Clause */
/* What is left out, counted twice or counted too, found in made-up slopes. */
#include "tests/unit/testing.h"

#include <math.h>

#include "analysis/departure.h"
#include "base/array.h"

#define KERNELS 8

/* Three kinds, their sum, and something else, over eight kernels. */
enum {
	ADD,
	MUL,
	DIV,
	ALL,
	OTHER,
	TERMS
};

static const double values[TERMS][KERNELS] = {
	[ADD] = { 8, 0, 0, 4, 2, 0, 1, 0 },
	[MUL] = { 0, 8, 0, 4, 3, 0, 1, 0 },
	[DIV] = { 0, 0, 8, 0, 4, 0, 1, 0 },
	[ALL] = { 8, 8, 8, 8, 9, 0, 3, 0 },
	[OTHER] = { 1, 1, 1, 1, 1, 1, 1, 5 },
};

static void expect_terms(struct expectation x[TERMS])
{
	for (size_t t = 0; t < TERMS; t++)
		x[t] = (struct expectation){ .value = values[t] };
}

/* Slopes that are all, and so much more of each term. */
static struct departure find(const double more[TERMS], double tolerance)
{
	struct expectation x[TERMS];
	struct departure d;
	double slope[KERNELS];
	const double error[KERNELS] = { 0 };
	const struct evidence e = { .slope = slope,
				    .error = error,
				    .n = KERNELS };

	expect_terms(x);
	for (size_t b = 0; b < KERNELS; b++) {
		slope[b] = values[ALL][b];
		for (size_t t = 0; t < TERMS; t++)
			slope[b] += more[t] * values[t][b];
	}
	assert_int_equal(
		departure_find(&e, &x[ALL], x, TERMS, NULL, tolerance, &d), 0);
	return d;
}

TEST(test_what_is_as_claimed_has_none)
{
	struct departure d = find((double[TERMS]){ 0 }, 0.01);

	assert_int_equal(d.kernels, KERNELS);
	assert_int_equal(d.off, 0);
	assert_int_equal(d.n, 0);
}

TEST(test_one_kind_is_named)
{
	static const struct {
		int line;
		int term;
		double amount;
	} rows[] = {
		{ __LINE__, MUL, -4.0 / 9 }, { __LINE__, DIV, -1 },
		{ __LINE__, ADD, 2 },        { __LINE__, ALL, 0.02 },
		{ __LINE__, ALL, -0.5 },     { __LINE__, OTHER, 0.3 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		double more[TERMS] = { 0 };
		struct departure d;

		more[rows[i].term] = rows[i].amount;
		d = find(more, 0.01);
		CHECK_AT(rows[i].line, d.off > 0 && d.left == 0);
		CHECK_AT(rows[i].line, d.n == 1);
		CHECK_AT(rows[i].line, d.term[0] == (size_t)rows[i].term);
		CHECK_AT(rows[i].line,
			 fabs(d.amount[0] - rows[i].amount) < 1e-9);
	}
}

TEST(test_two_kinds_are_named)
{
	struct departure d =
		find((double[TERMS]){ [MUL] = -1, [OTHER] = 0.5 }, 0.01);

	assert_int_equal(d.n, 2);
	assert_int_equal(d.left, 0);
	assert_true((d.term[0] == MUL && d.term[1] == OTHER) ||
		    (d.term[0] == OTHER && d.term[1] == MUL));
}

TEST(test_what_is_within_tolerance_is_none)
{
	struct departure d = find((double[TERMS]){ [ALL] = 0.009 }, 0.01);

	assert_int_equal(d.off, 0);
	d = find((double[TERMS]){ [ALL] = 0.011 }, 0.01);
	assert_true(d.off > 0);
	d = find((double[TERMS]){ [ALL] = 0.011 }, 0.02);
	assert_int_equal(d.off, 0);
}

TEST(test_noise_is_allowed_for)
{
	struct expectation x[TERMS];
	const double slope[KERNELS] = { 8.3, 8, 8, 8, 9, 0, 3, 0 };
	double error[KERNELS] = { 0.1 };
	const struct evidence e = { .slope = slope,
				    .error = error,
				    .n = KERNELS };
	struct departure d;

	expect_terms(x);
	assert_int_equal(departure_find(&e, &x[ALL], x, TERMS, NULL, 0.01, &d),
			 0);
	assert_int_equal(d.off, 0);
	error[0] = 0.01;
	assert_int_equal(departure_find(&e, &x[ALL], x, TERMS, NULL, 0.01, &d),
			 0);
	assert_int_equal(d.off, 1);
	assert_int_equal(d.worst, 0);
}

TEST(test_what_was_not_measured_says_nothing)
{
	struct expectation x[TERMS];
	const double slope[KERNELS] = { NAN, 8, 8, 8, 9, 0, 3, 0 };
	const double error[KERNELS] = { 0 };
	const struct evidence e = { .slope = slope,
				    .error = error,
				    .n = KERNELS };
	struct departure d;

	expect_terms(x);
	assert_int_equal(departure_find(&e, &x[ALL], x, TERMS, NULL, 0.01, &d),
			 0);
	assert_int_equal(d.kernels, KERNELS - 1);
	assert_int_equal(d.off, 0);
}

TEST(test_fractions)
{
	int over, under;

	departure_fraction(5.0 / 9, 0.001, &over, &under);
	assert_int_equal(over, 5);
	assert_int_equal(under, 9);
	departure_fraction(3.0004, 0.001, &over, &under);
	assert_int_equal(over, 3);
	assert_int_equal(under, 1);
	departure_fraction(1.0173, 0.001, &over, &under);
	assert_int_equal(under, 0);
}

RUN_ALL_TESTS
