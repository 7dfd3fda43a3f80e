/* SPDX-License-Identifier: BSD-3-Clause */
/* Wanted counts as formulas over few events, with few counters. */
#include <math.h>

#include "analysis/recipe.h"
#include "tests/unit/analysis/table1.h"
#include "tests/unit/testing.h"

enum {
	EVENTS = 3
};

/* Events: all branches, taken of any kind, conditional. */
static double events[EVENTS][BENCHES];

static void fill(struct expectation *x)
{
	for (int b = 0; b < BENCHES; b++) {
		events[0][b] = table1[CR][b] + table1[D][b];
		events[1][b] = table1[T][b] + table1[D][b];
		events[2][b] = table1[CR][b];
	}
	for (int i = 0; i < EVENTS; i++)
		x[i] = (struct expectation){ events[i], NULL };
}

static int make(int row, const struct expectation *x, size_t counters,
		struct recipe *r)
{
	const struct expectation target = { table1[row], NULL };

	return recipe_make(&target, BENCHES, x, EVENTS, counters, r);
}

/* Conditional taken = taken - (all - conditional). */
TEST(test_difference_of_three)
{
	struct expectation x[EVENTS];
	struct recipe r;

	fill(x);
	assert_int_equal(make(T, x, 4, &r), 0);
	assert_true(r.made);
	assert_int_equal(r.formula.n, 3);
	assert_true(r.formula.factor[0] == -1 && r.formula.factor[1] == 1 &&
		    r.formula.factor[2] == 1);
	assert_true(r.worst < 1e-12 && r.held_out < 1e-9);
	assert_int_equal(r.kernels, BENCHES);
	if (!isnan(r.reach.backward_error))
		assert_true(r.reach.backward_error < 1e-14);
}

TEST(test_too_few_counters)
{
	struct expectation x[EVENTS];
	struct recipe r;

	fill(x);
	assert_int_equal(make(T, x, 2, &r), 0);
	assert_false(r.made);
}

TEST(test_out_of_reach)
{
	struct expectation x[EVENTS];
	struct recipe r;

	fill(x);
	assert_int_equal(make(CE, x, 4, &r), 0);
	assert_false(r.made);
	if (!isnan(r.reach.residual))
		assert_true(r.reach.residual > 0.01);
}

/* An event that is known to be it is taken, whatever else gives the same. */
TEST(test_event_that_is_it)
{
	const struct expectation target = { table1[CR], NULL };
	struct expectation x[EVENTS];
	struct recipe r;

	fill(x);
	assert_int_equal(recipe_take(&target, BENCHES, &x[2], x, EVENTS, &r),
			 0);
	assert_true(r.made && r.formula.n == 1 && r.formula.factor[0] == 1);
	assert_true(r.worst == 0 && r.held_out < 1e-12);
	assert_int_equal(recipe_take(&target, BENCHES, &x[0], x, EVENTS, &r),
			 0);
	assert_true(r.worst > 0.4 && r.held_out > 0.1);
}

RUN_ALL_TESTS
