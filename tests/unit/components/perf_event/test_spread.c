/* SPDX-License-Identifier: BSD-3-Clause */
/* The arithmetic of the error of a multiplexed count. */
#include <math.h>
#include <stdlib.h>

#include "components/perf_event/spread.h"
#include "tests/unit/testing.h"

#define MS 1000000ULL

/* @n pieces of 2 ms with counts from @count; seen a quarter of the time. */
static double variance_of(double (*count)(unsigned), unsigned n)
{
	struct pe_spread sp = { 0 };
	struct count now = { 0 };

	for (unsigned i = 0; i < n; i++) {
		now.value += (uint64_t)count(i);
		now.running_ns += 2 * MS;
		now.enabled_ns += 8 * MS;
		pe_spread_add(&sp, now.value, now.running_ns);
	}
	return pe_spread_more(&sp, &now);
}

static double equal(unsigned i)
{
	(void)i;
	return 1e6;
}

/* Pieces that vary by themselves: 1e6 with a standard deviation of 3e5. */
static double scattered(unsigned i)
{
	static unsigned seed = 1;

	(void)i;
	return 1e6 +
	       3e5 * sqrt(3) * (2.0 * rand_r(&seed) / (double)RAND_MAX - 1);
}

/* Long phases: each of 16 pieces is like its neighbours. */
static double phases(unsigned i)
{
	return i / 16 % 2 ? 1.9e6 : 1e5;
}

TEST(test_equal_pieces_give_a_small_error_that_shrinks)
{
	double some = sqrt(variance_of(equal, 20)) / (20 * 4e6);
	double many = sqrt(variance_of(equal, 2000)) / (2000 * 4e6);

	assert_true(some > 0 && some < 0.1);
	assert_true(many > 0 && many < 0.001);
}

/* v U E / R with v = (3e5)^2 / 2 ms, U/R = 3: known, up to the margins. */
TEST(test_scattered_pieces_give_the_known_error)
{
	double n = 3000;
	double known = 3e5 * 3e5 * n * 3 * 4;
	double got = variance_of(scattered, (unsigned)n);

	assert_true(got > known);
	assert_true(got < 2.5 * known);
}

/* Blocks see what single pieces cannot: the error is that of the phases. */
TEST(test_phases_count_as_a_whole)
{
	double n = 16 * 64;
	double pieces = 9e5 * 9e5 * n * 3 * 4;
	double got = variance_of(phases, (unsigned)n);

	assert_true(got > 8 * pieces);
	assert_true(got < 64 * pieces);
}

TEST(test_counted_all_the_time_has_no_error)
{
	struct pe_spread sp = { 0 };
	struct count now = { .value = 7,
			     .enabled_ns = 50 * MS,
			     .running_ns = 50 * MS };

	assert_true(pe_spread_more(&sp, &now) == 0);
}

TEST(test_without_samples_a_turn_may_deviate_by_all)
{
	struct pe_spread sp = { 0 };
	struct count now = { .value = 1000000,
			     .enabled_ns = 80 * MS,
			     .running_ns = 20 * MS };
	double error = sqrt(pe_spread_more(&sp, &now));

	/* five turns: about 1/sqrt(5) of the estimate, 4e6, unseen by 3/4 */
	assert_true(error > 1.2e6 && error < 2.0e6);
}

TEST(test_never_running_is_finite)
{
	struct pe_spread sp = { 0 };
	struct count now = { .enabled_ns = 80 * MS };

	assert_true(isfinite(pe_spread_more(&sp, &now)));
}

RUN_ALL_TESTS
