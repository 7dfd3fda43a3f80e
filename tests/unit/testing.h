/* SPDX-License-Identifier: BSD-3-Clause */
/* cmocka with what it needs included first, and a check that names a row. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

/*
 * TEST(name) { ... } defines a test and enters it; RUN_ALL_TESTS, once at the
 * end of a file, is a main() that runs them in the order of the file.
 */
#define TESTS_MOST 200
__attribute__((unused)) static struct CMUnitTest testing_all[TESTS_MOST];
__attribute__((unused)) static size_t testing_n;

#define TEST(name) TEST_WITH(name, NULL, NULL)

/* The same with what comes before and after it. */
#define TEST_WITH(name, setup_, teardown_)                                     \
	static void name(void **state);                                        \
	__attribute__((constructor)) static void enter_##name(void)            \
	{                                                                      \
		const struct CMUnitTest test =                                 \
			cmocka_unit_test_setup_teardown(name, setup_,          \
							teardown_);            \
                                                                               \
		if (testing_n == TESTS_MOST)                                   \
			abort();                                               \
		testing_all[testing_n++] = test;                               \
	}                                                                      \
	static void name(__attribute__((unused)) void **state)

#define RUN_ALL_TESTS RUN_ALL_TESTS_WITH(NULL, NULL)

/* The same with what comes before and after all of them. */
#define RUN_ALL_TESTS_WITH(setup_, teardown_)                                  \
	int main(void)                                                         \
	{                                                                      \
		return _cmocka_run_group_tests(__FILE__, testing_all,          \
					       testing_n, setup_, teardown_);  \
	}

#define CHECK_AT(line, condition)                                              \
	do {                                                                   \
		if (!(condition))                                              \
			fail_msg("row at line %d: %s", line, #condition);      \
	} while (0)
