/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/fs.h"
#include "tests/unit/testing.h"

static const struct fs fixture = { .root = FIXTURES "/fs" };

static void test_reads_below_the_root(void **state)
{
	char *text = fs_read(&fixture, "sys/words");

	(void)state;
	assert_string_equal(text, "words");
	free(text);
	assert_null(fs_read(&fixture, "sys/none"));
	assert_null(fs_read(&fixture, "sys")); /* a folder */
	assert_int_equal(errno, EIO);
}

static void test_number_or_error(void **state)
{
	long n = 7;

	(void)state;
	assert_int_equal(fs_read_long(&fixture, "sys/words", &n), PAPI_ESYS);
	assert_int_equal(n, 7);
	assert_int_equal(fs_read_long(&fixture, "sys/number", &n), 0);
	assert_int_equal(n, 42);
}

static void test_says_what_is_there(void **state)
{
	(void)state;
	assert_true(fs_exists(&fixture, "sys/number"));
	assert_false(fs_exists(&fixture, "sys/none"));
}

static void test_lists_names_sorted(void **state)
{
	char **names;
	size_t n;

	(void)state;
	assert_int_equal(fs_list(&fixture, "sys", &names, &n), 0);
	assert_int_equal(n, 2);
	assert_string_equal(names[0], "number");
	fs_free_names(names, n);
	assert_int_equal(fs_list(&fixture, "none", &names, &n), 0);
	assert_int_equal(n, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reads_below_the_root),
		cmocka_unit_test(test_number_or_error),
		cmocka_unit_test(test_says_what_is_there),
		cmocka_unit_test(test_lists_names_sorted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
