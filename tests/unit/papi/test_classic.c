/* SPDX-License-Identifier: BSD-3-Clause */
/* The high level of 2000: lists of events, started, read and stopped. */
#include <pthread.h>

#include "tests/unit/papi/open_toys.h"

static void start_two(void)
{
	int events[2] = { toy_code(0), toy_code(1) };

	assert_int_equal(PAPI_start_counters(events, 2), PAPI_OK);
}

static void test_read_copies_and_goes_on_from_zero(void **state)
{
	long long values[2] = { 99, 99 };

	(void)state;
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

static void test_accum_adds_and_goes_on_from_zero(void **state)
{
	long long values[2] = { 100, 200 };

	(void)state;
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

static void test_calls_out_of_turn(void **state)
{
	int event = toy_code(0);
	long long value;

	(void)state;
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

static void test_wrong_arguments(void **state)
{
	int events[6];
	long long values[2];

	(void)state;
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
static void test_each_thread_has_its_own(void **state)
{
	long long values[2];
	pthread_t thread;

	(void)state;
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
static void test_counters_end_with_the_library(void **state)
{
	long long values[2];
	int set;

	(void)state;
	start_two();
	PAPI_shutdown();
	assert_int_equal(PAPI_stop_counters(values, 2), PAPI_ENOTRUN);
	assert_int_equal(library_open(toy_list, 2, ""), 0);
	set = toy_set(2);
	assert_int_equal(PAPI_start(set), PAPI_OK);
	assert_int_equal(PAPI_stop_counters(values, 2), PAPI_ENOTRUN);
	assert_int_equal(PAPI_stop(set, values), PAPI_OK);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TOY_TEST(test_read_copies_and_goes_on_from_zero),
		TOY_TEST(test_accum_adds_and_goes_on_from_zero),
		TOY_TEST(test_calls_out_of_turn),
		TOY_TEST(test_wrong_arguments),
		TOY_TEST(test_each_thread_has_its_own),
		TOY_TEST(test_counters_end_with_the_library),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
