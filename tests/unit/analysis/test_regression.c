/* SPDX-License-Identifier: BSD-3-Clause */
/* Regression on small samples by hand, and on made-up ones whose law is known.
 */
#include "tests/unit/testing.h"

#include <math.h>
#include <papi.h>
#include <stdlib.h>

#include "analysis/regression.h"

static void assert_near(double got, double want, double tolerance)
{
	if (!(fabs(got - want) <= tolerance))
		fail_msg("%.12g, not %.12g", got, want);
}

/*
 * x = 1..5: mean 3, Sxx 10; y = 2 4 5 4 5: mean 4, Sxy 6, so 2.2 + 0.6 x. Of
 * the squares, 6 in all, 3.6 are explained and 2.4 left, for 3 degrees of
 * freedom.
 */
TEST(test_a_line_by_hand)
{
	static const double x[] = { 1, 2, 3, 4, 5 }, y[] = { 2, 4, 5, 4, 5 };
	const struct samples s = { x, y, 5, 1 };
	struct regression r;

	assert_int_equal(regression_fit(&s, 0, &r, NULL), 0);
	assert_near(r.beta[0], 2.2, 1e-12);
	assert_near(r.beta[1], 0.6, 1e-12);
	assert_near(r.sigma, sqrt(2.4 / 3), 1e-12);
	assert_near(r.error[1], sqrt(2.4 / 3 / 10), 1e-12);
	assert_near(r.error[0], sqrt(2.4 / 3 * (1.0 / 5 + 9.0 / 10)), 1e-12);
	assert_near(r.r2, 0.6, 1e-12);
	regression_fini(&r);
}

/* With one predictor the penalty divides the slope by 1 + ridge. */
TEST(test_a_ridge_shrinks_the_slope)
{
	static const double x[] = { 1, 2, 3, 4, 5 }, y[] = { 2, 4, 5, 4, 5 };
	const struct samples s = { x, y, 5, 1 };
	struct regression r;

	assert_int_equal(regression_fit(&s, 0.5, &r, NULL), 0);
	assert_near(r.beta[1], 0.6 / 1.5, 1e-12);
	assert_near(r.beta[0], 4 - 3 * 0.4, 1e-12);
	assert_near(r.error[1], r.sigma / sqrt(10) / 1.5, 1e-12);
	regression_fini(&r);
}

/* Two predictors, no noise: exact, though one is a billion times the other. */
TEST(test_sizes_of_predictors_do_no_harm)
{
	static const double x[] = { 1e9, 1, 2e9, 5, 3e9, 2, 4e9, 8, 5e9, 3 };
	double y[5];
	const struct samples s = { x, y, 5, 2 };
	struct regression r;

	for (size_t i = 0; i < 5; i++)
		y[i] = 7 + 2e-9 * x[2 * i] - 3 * x[2 * i + 1];
	assert_int_equal(regression_fit(&s, 0, &r, NULL), 0);
	assert_near(r.beta[0], 7, 1e-10);
	assert_near(r.beta[1], 2e-9, 1e-19);
	assert_near(r.beta[2], -3, 1e-10);
	assert_near(r.r2, 1, 1e-12);
	regression_fini(&r);
}

TEST(test_what_cannot_be_fitted_is_named)
{
	static const double y[] = { 1, 2, 3, 4, 5 };
	static const double twice[] = { 1, 2, 2, 4, 5, 10, 3, 6, 9, 18 };
	static const double fixed[] = { 1, 7, 2, 7, 5, 7, 3, 7, 9, 7 };
	const struct samples dependent = { twice, y, 5, 2 };
	const struct samples constant = { fixed, y, 5, 2 };
	const struct samples few = { twice, y, 3, 2 };
	struct regression r;
	size_t bad = 99;

	assert_int_equal(regression_fit(&dependent, 0, &r, &bad), PAPI_EINVAL);
	assert_int_equal(bad, 1);
	assert_int_equal(regression_fit(&constant, 0, &r, &bad), PAPI_EINVAL);
	assert_int_equal(bad, 1);
	assert_int_equal(regression_fit(&few, 0, &r, &bad), PAPI_EINVAL);
	assert_int_equal(bad, 2);
	/* a penalty makes even dependent predictors solvable */
	assert_int_equal(regression_fit(&dependent, 0.1, &r, &bad), 0);
	regression_fini(&r);
}

/* The same numbers on every machine; upper bits of Knuth's MMIX generator. */
static double uniform(unsigned long long *seed)
{
	*seed = *seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (double)(*seed >> 11) / 9007199254740992.0;
}

/* Twelve uniforms: near enough to normal, deviation 1. */
static double noise(unsigned long long *seed)
{
	double sum = -6;

	for (int i = 0; i < 12; i++)
		sum += uniform(seed);
	return sum;
}

#define SAMPLES    400
#define PREDICTORS 7

/* The law of the 2011 paper's table 2, and how large its predictors are. */
static const double law[PREDICTORS + 1] = {
	25.7593,    -2.6158e-05, 5.6177e-05,  46.6053,
	3.6163e-05, 4.5867e-05,  -4.9286e-05, 2.5473e-04,
};
static const double size[PREDICTORS] = { 1e6, 1e6, 0.5, 1e5, 5e5, 4e5, 2e4 };

static void make_samples(double *x, double *y, double deviation)
{
	unsigned long long seed = 2011;

	for (size_t i = 0; i < SAMPLES; i++) {
		y[i] = law[0] + deviation * noise(&seed);
		for (size_t k = 0; k < PREDICTORS; k++) {
			x[i * PREDICTORS + k] =
				size[k] * (0.5 + uniform(&seed));
			y[i] += law[k + 1] * x[i * PREDICTORS + k];
		}
	}
}

TEST(test_a_known_law_is_found_again)
{
	static double x[SAMPLES * PREDICTORS], y[SAMPLES];
	const struct samples s = { x, y, SAMPLES, PREDICTORS };
	struct regression r;

	make_samples(x, y, 2.0);
	assert_int_equal(regression_fit(&s, 0, &r, NULL), 0);
	for (size_t k = 0; k <= PREDICTORS; k++)
		assert_near(r.beta[k], law[k], 3.5 * r.error[k]);
	assert_near(r.sigma, 2.0, 0.2);
	/* 400 samples pin the largest terms to a few percent */
	assert_near(r.beta[2], law[2], 0.05 * fabs(law[2]));
	assert_near(r.beta[3], law[3], 0.05 * fabs(law[3]));
	regression_fini(&r);
}

TEST(test_validation_sees_the_noise)
{
	static double x[SAMPLES * PREDICTORS], y[SAMPLES];
	const struct samples s = { x, y, SAMPLES, PREDICTORS };
	struct validation exact, noisy;

	make_samples(x, y, 0);
	assert_int_equal(regression_validate(&s, 0, 10, &exact), 0);
	assert_true(exact.worst_ape < 1e-10);
	make_samples(x, y, 2.0);
	assert_int_equal(regression_validate(&s, 0, 10, &noisy), 0);
	assert_int_equal(noisy.folds, 10);
	assert_near(noisy.rms, 2.0, 0.2);
	/* half of normal errors are within 0.6745 deviations; y is 60 to 120 */
	assert_true(noisy.median_ape > 0.6745 * 2 / 120 &&
		    noisy.median_ape < 0.6745 * 2 / 60);
	assert_int_equal(regression_validate(&s, 0, 1, &noisy), PAPI_EINVAL);
}

RUN_ALL_TESTS
