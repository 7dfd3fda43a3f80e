/* SPDX-License-Identifier: BSD-3-Clause */
/* What is set is found, over many keys. */
#include <stdio.h>
#include <string.h>

#include "base/map.h"
#include "tests/unit/testing.h"

TEST(test_finds_what_was_set)
{
	static char keys[1000][8];
	struct map map = { 0 };
	size_t value;

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

/* They are hashed by words of eight bytes: each byte is to count. */
TEST(test_keys_that_differ_in_one_byte)
{
	enum {
		LONGEST = 26
	};
	static char keys[LONGEST * LONGEST][LONGEST + 1];
	struct map map = { 0 };
	size_t n = 0, value;

	for (size_t length = 1; length <= LONGEST; length++)
		for (size_t at = 0; at < length; at++) {
			memset(keys[n], 'a', length);
			keys[n][at] = 'b';
			map_set(&map, keys[n], n);
			n++;
		}
	assert_int_equal(map.n, n);
	for (size_t i = 0; i < n; i++) {
		assert_true(map_find(&map, keys[i], &value));
		assert_int_equal(value, i);
	}
	map_fini(&map);
}

TEST(test_later_value_replaces_earlier)
{
	struct map map = { 0 };
	size_t value;

	map_set(&map, "a", 1);
	map_set(&map, "a", 2);
	assert_int_equal(map.n, 1);
	assert_true(map_find(&map, "a", &value));
	assert_int_equal(value, 2);
	map_fini(&map);
}

TEST(test_empty_map_has_nothing)
{
	struct map map = { 0 };

	assert_false(map_find(&map, "", NULL));
}

RUN_ALL_TESTS
