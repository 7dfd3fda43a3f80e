/* SPDX-License-Identifier: BSD-3-Clause */
/* Which known names are suggested for a wrong one. */
#include "tests/unit/testing.h"

#include <string.h>

#include "base/array.h"
#include "console/console.h"

TEST(test_distance_counts_edits)
{
	static const struct {
		int line;
		const char *a, *b;
		unsigned distance;
	} rows[] = {
		{ __LINE__, "", "", 0 },
		{ __LINE__, "count", "count", 0 },
		{ __LINE__, "count", "Count", 0 },
		{ __LINE__, "cuont", "count", 1 },
		{ __LINE__, "cont", "count", 1 },
		{ __LINE__, "counts", "count", 1 },
		{ __LINE__, "", "list", 4 },
		{ __LINE__, "list", "", 4 },
		{ __LINE__, "kitten", "sitting", 3 },
		{ __LINE__, "ab", "ba", 1 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		CHECK_AT(rows[i].line, edit_distance(rows[i].a, rows[i].b) ==
					       rows[i].distance);
}

TEST(test_very_long_names_are_survived)
{
	char a[500], b[500];

	memset(a, 'x', sizeof(a) - 1);
	memset(b, 'y', sizeof(b) - 1);
	a[sizeof(a) - 1] = b[sizeof(b) - 1] = '\0';
	assert_int_equal(edit_distance(a, b), 64);
	assert_int_equal(edit_distance(a, a), 0);
}

TEST(test_best_names_come_first)
{
	struct nearest near;

	nearest_init(&near, "dif");
	nearest_add(&near, "view");
	nearest_add(&near, "dig");
	nearest_add(&near, "diff");
	nearest_add(&near, "record");
	assert_string_equal(nearest_text(&near, "--"),
			    "did you mean --diff or --dig?");
}

TEST(test_only_the_best_three_are_kept)
{
	struct nearest near;

	nearest_init(&near, "abcd");
	nearest_add(&near, "abxy"); /* 2 */
	nearest_add(&near, "abcx"); /* 1 */
	nearest_add(&near, "abcy"); /* 1 */
	nearest_add(&near, "abcz"); /* 1 */
	assert_string_equal(nearest_text(&near, ""),
			    "did you mean abcx, abcy or abcz?");
}

TEST(test_nothing_close_gives_no_text)
{
	struct nearest near;

	nearest_init(&near, "xyzzy");
	nearest_add(&near, "count");
	assert_null(nearest_text(&near, ""));
}

RUN_ALL_TESTS
