/* SPDX-License-Identifier: BSD-3-Clause */
/* The clock: a value that a disturbed ruler made too small does not count. */
#include "tests/unit/testing.h"
#include "workload/ruler.h"

TEST(test_the_least_of_many_that_agree_counts)
{
	const double runs[] = { 100, 100.1, 100.2, 101, 120, 150, 200, 300 };

	assert_true(ruler_least(runs, 8) == 100);
}

TEST(test_one_or_two_that_are_too_small_do_not_count)
{
	const double one[] = { 87, 100, 100.1, 100.2, 101, 102, 110, 130 };
	const double two[] = { 87, 90, 100, 100.1, 100.2, 101, 102, 110 };

	assert_true(ruler_least(one, 8) == 100);
	assert_true(ruler_least(two, 8) == 100);
}

TEST(test_the_quartile_counts_where_all_are_far_apart)
{
	const double runs[] = { 100, 110, 120, 130, 140, 150, 160, 170 };
	const double few[] = { 100, 110 };

	assert_true(ruler_least(runs, 8) == 120);
	assert_true(ruler_least(few, 2) == 100);
}

TEST(test_a_cycle_takes_some_time)
{
	double before = ruler_cpu_ns(), ns = ruler_ns();

	assert_true(ns > 0.05 && ns < 20); /* 50 MHz to 20 GHz */
	assert_true(ruler_cpu_ns() - before >= ns * 400000);
}

RUN_ALL_TESTS
