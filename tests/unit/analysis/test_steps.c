/* SPDX-License-Identifier: BSD-3-Clause */
/* Levels and transitions of made-up curves. */
#include <math.h>

#include "analysis/steps.h"
#include "base/err.h"
#include "tests/unit/testing.h"

enum {
	POINTS = 24
};

/* Footprints of 8 KB times sqrt(2) each; L1 32 KB, L2 256 KB. */
static void make_curve(double *x, double *y, double in1, double in2, double out)
{
	for (int i = 0; i < POINTS; i++) {
		x[i] = 8192 * pow(2, i / 2.);
		y[i] = x[i] <= 32768 ? in1 : x[i] <= 262144 ? in2 : out;
	}
}

TEST(test_levels_between_bounds)
{
	static const double bounds[] = { 32768, 262144 };
	double x[POINTS], y[POINTS], levels[3];

	make_curve(x, y, 0.25, 0.75, 0.5);
	y[4] = 9; /* on the bound: not looked at */
	steps_levels(x, y, POINTS, bounds, 2, 1.2, levels);
	assert_true(levels[0] == 0.25 && levels[1] == 0.75 && levels[2] == 0.5);
	steps_levels(x, y, 3, bounds, 2, 1.2, levels);
	assert_true(isnan(levels[1]) && isnan(levels[2]));
}

TEST(test_transition_lies_at_the_capacity)
{
	double x[POINTS], y[POINTS], before, after;

	make_curve(x, y, 0, 1, 0);
	assert_int_equal(steps_transition(x, y, POINTS, 0, 1, &before, &after),
			 0);
	assert_true(before <= 32769 && after > 32769);
	assert_int_equal(steps_transition(x, y, POINTS, 1, 0, &before, &after),
			 0);
	assert_true(before <= 262145 && after > 262145);
	make_curve(x, y, 1, 1, 1);
	assert_int_equal(steps_transition(x, y, POINTS, 0, 1, &before, &after),
			 PAPI_EINVAL);
}

TEST(test_signs)
{
	assert_int_equal(steps_sign(0, 1, 0.1), '+');
	assert_int_equal(steps_sign(1, 0, 0.1), '-');
	assert_int_equal(steps_sign(1, 1.05, 0.1), '0');
	assert_int_equal(steps_sign(1, NAN, 0.1), '?');
}

RUN_ALL_TESTS
