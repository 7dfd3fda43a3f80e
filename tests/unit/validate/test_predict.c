/* SPDX-License-Identifier: BSD-3-Clause */
/* What a count may be off: by mispredictions, as many as there were. */
#include <math.h>

#include "tests/unit/testing.h"
#include "validate/validate.h"

/* One more or less at the end of the loop, also where none are counted. */
TEST(test_an_event_may_be_off_by_one_misprediction)
{
	const struct validate_check *issued = validate_find("PAPI_TOT_IIS");
	double one = validate_restarts(issued, 1);

	assert_true(one > 0);
	assert_true(validate_restarts(issued, 0) == one);
	assert_true(validate_restarts(issued, NAN) == one);
}

TEST(test_each_misprediction_counts_until_a_loop_is_learnt)
{
	const struct validate_check *issued = validate_find("PAPI_TOT_IIS");
	double one = validate_restarts(issued, 1);

	assert_true(validate_restarts(issued, 3) == 3 * one);
	assert_true(validate_restarts(issued, -2) == 2 * one);
	/* a counter that is wrong must not excuse another */
	assert_true(validate_restarts(issued, 1000) <= 5 * one);
}

TEST(test_what_retires_is_not_off_by_them)
{
	assert_true(validate_restarts(validate_find("PAPI_TOT_INS"), 3) == 0);
	assert_true(validate_restarts(validate_find("PAPI_BR_CN"), 3) == 0);
}

RUN_ALL_TESTS
