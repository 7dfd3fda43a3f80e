/* SPDX-License-Identifier: BSD-3-Clause */
/* Files below a root that is a folder of the test. */
#include <errno.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/fs.h"
#include "tests/unit/testing.h"

static const struct fs fixture = { .root = FIXTURES "/fs" };

TEST(test_reads_below_the_root)
{
	char *text = fs_read(&fixture, "sys/words");

	assert_string_equal(text, "words");
	free(text);
	assert_null(fs_read(&fixture, "sys/none"));
	assert_null(fs_read(&fixture, "sys")); /* a folder */
	assert_int_equal(errno, EIO);
}

TEST(test_number_or_error)
{
	long n = 7;

	assert_int_equal(fs_read_long(&fixture, "sys/words", &n), PAPI_ESYS);
	assert_int_equal(n, 7);
	assert_int_equal(fs_read_long(&fixture, "sys/number", &n), 0);
	assert_int_equal(n, 42);
}

TEST(test_says_what_is_there)
{
	assert_true(fs_exists(&fixture, "sys/number"));
	assert_false(fs_exists(&fixture, "sys/none"));
}

TEST(test_lists_names_sorted)
{
	char **names;
	size_t n;

	assert_int_equal(fs_list(&fixture, "sys", &names, &n), 0);
	assert_int_equal(n, 2);
	assert_string_equal(names[0], "number");
	fs_free_names(names, n);
	assert_int_equal(fs_list(&fixture, "none", &names, &n), 0);
	assert_int_equal(n, 0);
}

RUN_ALL_TESTS
