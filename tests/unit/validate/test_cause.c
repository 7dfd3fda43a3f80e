/* SPDX-License-Identifier: BSD-3-Clause */
/* Causes of counts that are off: looked for while there is time. */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "tests/unit/testing.h"
#include "validate/validate.h"

/* No kernel is run after the budget: the status tells, as there is none. */
TEST(test_no_cause_is_looked_for_after_the_budget)
{
	struct validate_check check = { .event = "PAPI_TOT_INS",
					.kernel = "no-such-kernel" };
	struct validate_event event = { .check = &check,
					.name = (char *)"PAPI_TOT_INS",
					.verdict = VERDICT_FAIL };
	struct validate_options options = { .budget_s = 600 };
	struct validation v = { .events = &event, .n = 1 };
	struct console console = { 0 };

	for (size_t i = 0; i < VALIDATE_SIZES; i++)
		event.rows[i].verdict = VERDICT_NONE;
	event.rows[2] = (struct validate_row){ .predicted = 100,
					       .mean = 150,
					       .min = 150,
					       .max = 150,
					       .verdict = VERDICT_FAIL };
	v.began_ns = clock_real_ns() - 601000000000ULL;
	assert_int_equal(validate_explain(&console, &options, &v), 0);
	assert_non_null(event.cause);
	assert_non_null(strstr(event.cause, "there was no time to look"));
	free(event.cause);
}

TEST(test_time_that_is_left)
{
	struct validate_options options = { .budget_s = 600 };
	struct validation v = { .began_ns = clock_real_ns() - 100000000000ULL };

	assert_true(validate_time_left(&options, &v) <= 500);
	assert_true(validate_time_left(&options, &v) > 0);
	options.budget_s = 0;
	assert_true(validate_time_left(&options, &v) > 1e30);
}

RUN_ALL_TESTS
