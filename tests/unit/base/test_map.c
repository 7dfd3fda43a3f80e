/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>

#include "base/map.h"
#include "tests/unit/testing.h"

static void test_finds_what_was_set(void **state)
{
	static char keys[1000][8];
	struct map map = { 0 };
	size_t value;

	(void)state;
	for (size_t i = 0; i < 1000; i++) {
		snprintf(keys[i], sizeof(keys[i]), "k%zu", i);
		assert_int_equal(map_set(&map, keys[i], i), 0);
	}
	for (size_t i = 0; i < 1000; i++) {
		assert_true(map_find(&map, keys[i], &value));
		assert_int_equal(value, i);
	}
	assert_false(map_find(&map, "k1000", NULL));
	map_fini(&map);
}

static void test_later_value_replaces_earlier(void **state)
{
	struct map map = { 0 };
	size_t value;

	(void)state;
	map_set(&map, "a", 1);
	map_set(&map, "a", 2);
	assert_int_equal(map.n, 1);
	assert_true(map_find(&map, "a", &value));
	assert_int_equal(value, 2);
	map_fini(&map);
}

static void test_empty_map_has_nothing(void **state)
{
	struct map map = { 0 };

	(void)state;
	assert_false(map_find(&map, "", NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_finds_what_was_set),
		cmocka_unit_test(test_later_value_replaces_earlier),
		cmocka_unit_test(test_empty_map_has_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
