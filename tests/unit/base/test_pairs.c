/* SPDX-License-Identifier: BSD-3-Clause */
/* The map from pairs of numbers. */
#include "testing.h"

#include "base/err.h"
#include "base/pairs.h"
#include "refuse.h"

TEST(test_finds_each_of_many)
{
	struct pairs pairs = { 0 };
	size_t value = 7;

	assert_false(pairs_find(&pairs, 1, 2, &value));
	for (size_t i = 0; i < 5000; i++)
		assert_int_equal(pairs_set(&pairs, i % 50, i / 50, i), 0);
	assert_int_equal(pairs_set(&pairs, 3, 4, 9), 0);
	for (size_t i = 0; i < 5000; i++) {
		assert_true(pairs_find(&pairs, i % 50, i / 50, &value));
		assert_int_equal(value, i == 203 ? 9 : i);
	}
	assert_int_equal(pairs.n, 5000);
	assert_false(pairs_find(&pairs, 50, 0, &value));
	pairs_fini(&pairs);
}

TEST(test_a_refused_pair_changes_nothing)
{
	struct pairs pairs = { 0 };
	size_t value, i = 0;

	if (!REFUSE_WORKS)
		skip();
	refuse_nth(3); /* the table has grown twice */
	while (i < 5000 && pairs_set(&pairs, i, i, i) == 0)
		i++;
	assert_in_range(i, 1, 4999);
	assert_true(refused);
	assert_int_equal(pairs.n, i);
	assert_false(pairs_find(&pairs, i, i, &value));
	for (size_t k = 0; k < i; k++)
		assert_true(pairs_find(&pairs, k, k, &value) && value == k);
	assert_int_equal(pairs_set(&pairs, i, i, i), 0);
	pairs_fini(&pairs);
}

RUN_ALL_TESTS
