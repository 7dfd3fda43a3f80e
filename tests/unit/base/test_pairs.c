/* SPDX-License-Identifier: BSD-3-Clause */
/* The map from pairs of numbers. */
#include "testing.h"

#include "base/pairs.h"

static void test_finds_each_of_many(void **state)
{
	struct pairs pairs = { 0 };
	size_t value = 7;

	(void)state;
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_finds_each_of_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
