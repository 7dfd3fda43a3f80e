/* SPDX-License-Identifier: BSD-3-Clause */
/* Order and median of numbers. */
#include <math.h>

#include "base/doubles.h"
#include "tests/unit/testing.h"

TEST(test_numbers_are_put_in_order)
{
	double values[] = { 3, -1, INFINITY, 2, -1 };
	static const double sorted[] = { -1, -1, 2, 3, INFINITY };

	doubles_sort(values, 5);
	for (size_t i = 0; i < 5; i++)
		assert_true(values[i] == sorted[i]);
}

TEST(test_a_median_is_the_middle)
{
	double odd[] = { 5, 1, 9 }, even[] = { 4, 1, 2, 8 };

	assert_true(doubles_median(odd, 3) == 5);
	assert_true(doubles_median(even, 4) == 3);
	assert_true(isnan(doubles_median(even, 0)));
}

RUN_ALL_TESTS
