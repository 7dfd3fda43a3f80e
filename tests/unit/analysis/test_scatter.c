/* SPDX-License-Identifier: BSD-3-Clause */
/* Noise told from curves that are the same each time. */
#include "analysis/scatter.h"

#include <math.h>
#include <stdint.h>

#include "tests/unit/testing.h"

enum {
	LEVELS = 6,
	POINTS = 2 * LEVELS
};

/* Twice @count(x, draw) at each of six lengths; draws are from -1 to 1. */
static void add_kernel(struct scatter *s, double (*count)(double, double),
		       uint32_t *random)
{
	double x[POINTS], y[POINTS];
	struct slope line;

	for (int i = 0; i < POINTS; i++) {
		*random = *random * 1664525 + 1013904223;
		x[i] = 128 << (i / 2);
		y[i] = round(
			count(x[i], (double)(*random >> 8) / (1 << 23) - 1));
	}
	assert_int_equal(slope_fit(x, y, POINTS, &line), 0);
	scatter_add(s, x, y, POINTS, &line);
}

static double curve(double x, double draw)
{
	(void)draw;
	return x * x / 8192;
}

static double noisy_line(double x, double draw)
{
	return 2 * x * (1 + draw / 4);
}

static double noisy_curve(double x, double draw)
{
	return curve(x, 0) * (1 + draw / 4);
}

static double line(double x, double draw)
{
	(void)draw;
	return 2 * x + 7;
}

static double over(size_t kernels, double (*count)(double, double),
		   uint32_t seed)
{
	struct scatter s = { 0 };

	for (size_t i = 0; i < kernels; i++)
		add_kernel(&s, count, &seed);
	return scatter_p_value(&s);
}

TEST(test_same_curve_each_time_is_no_noise)
{
	assert_true(over(8, curve, 1) < 1e-6);
	assert_true(over(2, curve, 1) < 1e-3);
}

/* Hardly ever: of a thousand noisy events not one is taken for a curve. */
TEST(test_noise_is_not_taken_for_a_curve)
{
	size_t taken = 0;

	for (uint32_t seed = 0; seed < 1000; seed++) {
		taken += over(1, noisy_line, seed * 77) < 1e-4;
		taken += over(4, noisy_line, seed * 99) < 1e-4;
	}
	assert_int_equal(taken, 0);
}

/* Noise may hide a curve; what is said of it is no matter, but defined. */
TEST(test_noisy_curve_has_a_probability)
{
	double p = over(8, noisy_curve, 5);

	assert_true(p >= 0 && p <= 1);
}

TEST(test_line_is_no_curve)
{
	assert_true(over(8, line, 1) == 1);
}

TEST(test_nothing_to_go_by)
{
	const double x[] = { 1, 2, 3 }, y[] = { 1, 5, 2 }, none[] = { 0, 0, 0 };
	struct scatter s = { 0 };
	struct slope fit;

	assert_true(scatter_p_value(&s) == 1);
	assert_int_equal(slope_fit(x, y, 3, &fit), 0);
	scatter_add(&s, x, y, 3, &fit); /* no repeats */
	scatter_add(&s, x, none, 3, &fit);
	assert_true(scatter_p_value(&s) == 1);
}

RUN_ALL_TESTS
