/* SPDX-License-Identifier: BSD-3-Clause */
/* Knees and ramps found again in curves made from known sets and ways. */

#include "analysis/ramp.h"

#include <math.h>

#include "testing.h"

#define POINTS 60

/* A curve around the end of a cache, with some noise. */
static size_t make_curve(unsigned sets, unsigned ways, double noise, double *x,
			 double *y)
{
	double full = (double)sets * ways;
	double from = 0.7 * full;
	double to = 1.2 * (full + sets);
	unsigned random = 12345;

	for (size_t i = 0; i < POINTS; i++) {
		random = random * 1103515245U + 12345U;
		x[i] = round(from + (to - from) * (double)i / (POINTS - 1));
		y[i] = 4 + 10 * ramp_share(x[i], sets, ways) +
		       noise * ((double)(random >> 16 & 0xff) / 255 - 0.5);
	}
	return POINTS;
}

TEST(test_share_is_zero_then_one)
{
	assert_true(ramp_share(512, 64, 8) == 0);
	assert_true(ramp_share(576, 64, 8) == 1);
	/* One line too many: nine misses in a pass of 513. */
	assert_true(fabs(ramp_share(513, 64, 8) - 9.0 / 513) < 1e-12);
}

TEST(test_known_caches_are_found)
{
	static const struct {
		unsigned sets, ways;
	} cases[] = {
		{ 64, 8 },  { 64, 12 },  { 64, 6 }, { 128, 4 }, { 16, 4 },
		{ 128, 2 }, { 256, 16 }, { 1, 40 }, { 512, 1 }, { 64, 24 }
	};
	double x[POINTS], y[POINTS];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		size_t n = make_curve(cases[i].sets, cases[i].ways, 0.1, x, y);
		struct ramp ramp;

		assert_true(ramp_fit(x, y, n, &ramp));
		assert_int_equal(ramp.sets * ramp.ways,
				 cases[i].sets * cases[i].ways);
		assert_int_equal(ramp.ways, cases[i].ways);
		assert_true(fabs(ramp.base - 4) < 0.2);
		assert_true(fabs(ramp.plateau - 14) < 0.2);
		assert_true(ramp.error < 0.03);
	}
}

TEST(test_a_flat_curve_has_no_ramp)
{
	double x[POINTS], y[POINTS];
	struct ramp ramp;

	for (size_t i = 0; i < POINTS; i++) {
		x[i] = 400 + 4 * (double)i;
		y[i] = 4;
	}
	assert_false(ramp_fit(x, y, POINTS, &ramp));
	assert_false(ramp_fit(x, y, 3, &ramp));
}

TEST(test_random_replacement_fits_badly)
{
	double x[POINTS], y[POINTS];
	struct ramp ramp;

	for (size_t i = 0; i < POINTS; i++) {
		x[i] = 300 + 10 * (double)i;
		y[i] = 4 + 10 * fmax(0, 1 - 512 / x[i]);
	}
	assert_true(!ramp_fit(x, y, POINTS, &ramp) || ramp.error > 0.03);
}

TEST(test_knee_is_the_last_below)
{
	static const double step[] = { 4, 4, 4, 9, 9 };
	static const double spike[] = { 4, 9, 4, 4, 9, 9 };
	static const double flat[] = { 4, 4, 4 };
	static const double high[] = { 9, 9, 9 };
	size_t at;

	assert_true(ramp_knee(step, 5, 5, &at));
	assert_int_equal(at, 2);
	/* One disturbed point is not the end. */
	assert_true(ramp_knee(spike, 6, 5, &at));
	assert_int_equal(at, 3);
	assert_true(ramp_knee(flat, 3, 5, &at));
	assert_int_equal(at, 3);
	assert_false(ramp_knee(high, 3, 5, &at));
}

TEST(test_median_and_power_of_two)
{
	static const double values[] = { 9, 1, 5, 3 };
	double off;

	assert_true(ramp_median(values, 3) == 5);
	assert_true(ramp_median(values, 4) == 4);
	assert_true(isnan(ramp_median(values, 0)));
	assert_true(ramp_power_of_two(30, &off) == 32);
	assert_true(off < 0 && off > -0.1);
	assert_true(ramp_power_of_two(46, &off) == 64);
	assert_true(off < -0.45);
}

RUN_ALL_TESTS
