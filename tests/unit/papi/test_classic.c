/* SPDX-License-Identifier: BSD-3-Clause */
/* The high level of 2000: lists of events, started, read and stopped. */
#include <pthread.h>

#include "tests/unit/papi/open_toys.h"

static void start_two(void)
{
	int events[2] = { toy_code(0), toy_code(1) };

	assert_int_equal(PAPI_start_counters(events, 2), PAPI_OK);
}

TEST_WITH(test_read_copies_and_goes_on_from_zero, open_toys, close_toys)
{
	long long values[2] = { 99, 99 };

	start_two();
	toy_count(0, 5, 1, 1);
	toy_count(1, 7, 1, 1);
	assert_int_equal(PAPI_read_counters(values, 2), PAPI_OK);
	assert_int_equal(values[0], 5);
	assert_int_equal(values[1], 7);
	toy_count(0, 2, 1, 1);
	assert_int_equal(PAPI_read_counters(values, 2), PAPI_OK);
	assert_int_equal(values[0], 2);
	assert_int_equal(values[1], 0);
	assert_int_equal(PAPI_stop_counters(values, 2), PAPI_OK);
}

TEST_WITH(test_accum_adds_and_goes_on_from_zero, open_toys, close_toys)
{
	long long values[2] = { 100, 200 };

	start_two();
	toy_count(0, 5, 1, 1);
	assert_int_equal(PAPI_accum_counters(values, 2), PAPI_OK);
	toy_count(0, 1, 1, 1);
	toy_count(1, 3, 1, 1);
	assert_int_equal(PAPI_accum_counters(values, 2), PAPI_OK);
	assert_int_equal(values[0], 106);
	assert_int_equal(values[1], 203);
	toy_count(0, 4, 1, 1);
	assert_int_equal(PAPI_stop_counters(values, 2), PAPI_OK);
	assert_int_equal(values[0], 4);
	assert_int_equal(values[1], 0);
}

TEST_WITH(test_calls_out_of_turn, open_toys, close_toys)
{
	int event = toy_code(0);
	long long value;

	assert_int_equal(PAPI_read_counters(&value, 1), PAPI_ENOTRUN);
	assert_int_equal(PAPI_accum_counters(&value, 1), PAPI_ENOTRUN);
	assert_int_equal(PAPI_stop_counters(&value, 1), PAPI_ENOTRUN);
	assert_int_equal(PAPI_start_counters(&event, 1), PAPI_OK);
	assert_int_equal(PAPI_start_counters(&event, 1), PAPI_EISRUN);
	assert_int_equal(PAPI_stop_counters(&value, 1), PAPI_OK);
	assert_int_equal(PAPI_stop_counters(&value, 1), PAPI_ENOTRUN);
	assert_int_equal(PAPI_start_counters(&event, 1), PAPI_OK);
	assert_int_equal(PAPI_stop_counters(&value, 1), PAPI_OK);
}

TEST_WITH(test_wrong_arguments, open_toys, close_toys)
{
	int events[6];
	long long values[2];

	for (int i = 0; i < 6; i++)
		events[i] = toy_code(i);
	assert_int_equal(PAPI_start_counters(NULL, 1), PAPI_EINVAL);
	assert_int_equal(PAPI_start_counters(events, 0), PAPI_EINVAL);
	assert_int_equal(PAPI_start_counters(events, -1), PAPI_EINVAL);
	/* Four counters cannot count six events; nothing stays open. */
	assert_int_equal(PAPI_start_counters(events, 6), PAPI_ECNFLCT);
	assert_int_equal(toy.open, 0);
	events[1] = 0x7fffffff;
	assert_true(PAPI_start_counters(events, 2) < 0);
	assert_int_equal(toy.open, 0);
	start_two();
	assert_int_equal(PAPI_read_counters(NULL, 2), PAPI_EINVAL);
	assert_int_equal(PAPI_read_counters(values, 1), PAPI_EINVAL);
	assert_int_equal(PAPI_stop_counters(values, 1), PAPI_EINVAL);
	assert_int_equal(PAPI_stop_counters(values, 2), PAPI_OK);
}

static void *start_and_end(void *unused)
{
	(void)unused;
	start_two();
	return NULL;
}

/* Each thread has its own, and what it leaves running ends with it. */
TEST_WITH(test_each_thread_has_its_own, open_toys, close_toys)
{
	long long values[2];
	pthread_t thread;

	start_two();
	assert_int_equal(pthread_create(&thread, NULL, start_and_end, NULL), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_int_equal(toy.open, 1);
	toy_count(0, 3, 1, 1);
	assert_int_equal(PAPI_stop_counters(values, 2), PAPI_OK);
	assert_int_equal(values[0], 3);
	assert_int_equal(toy.open, 0);
}

/* After a shutdown its number may be another set's: it is not touched. */
TEST_WITH(test_counters_end_with_the_library, open_toys, close_toys)
{
	long long values[2];
	int set;

	start_two();
	PAPI_shutdown();
	assert_int_equal(PAPI_stop_counters(values, 2), PAPI_ENOTRUN);
	assert_int_equal(library_open(toy_list, 2, ""), 0);
	set = toy_set(2);
	assert_int_equal(PAPI_start(set), PAPI_OK);
	assert_int_equal(PAPI_stop_counters(values, 2), PAPI_ENOTRUN);
	assert_int_equal(PAPI_stop(set, values), PAPI_OK);
}

RUN_ALL_TESTS
