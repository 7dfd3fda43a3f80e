/* SPDX-License-Identifier: BSD-3-Clause */
/* Start, read, accumulate, reset, write and stop, in and out of turn. */
#include "tests/unit/papi/open_toys.h"

TEST_WITH(test_start_and_stop_in_turn_only, open_toys, close_toys)
{
	int set = toy_set(1);
	long long values[1] = { -1 };

	assert_int_equal(PAPI_stop(set, values), PAPI_ENOTRUN);
	assert_int_equal(values[0], -1);
	assert_int_equal(PAPI_start(set), PAPI_OK);
	assert_int_equal(PAPI_start(set), PAPI_EISRUN);
	toy_count(0, 12, 1, 1);
	assert_int_equal(PAPI_stop(set, values), PAPI_OK);
	assert_int_equal(values[0], 12);
	assert_int_equal(PAPI_stop(set, values), PAPI_ENOTRUN);
	assert_int_equal(PAPI_start(set), PAPI_OK);
	assert_int_equal(PAPI_stop(set, NULL), PAPI_OK);
}

TEST_WITH(test_empty_set_cannot_start, open_toys, close_toys)
{
	int set = toy_set(0);
	long long value;

	assert_int_equal(PAPI_start(set), PAPI_ENOCMP);
	assert_int_equal(PAPI_stop(set, &value), PAPI_ENOCMP);
}

TEST_WITH(test_null_values_are_refused, open_toys, close_toys)
{
	int set = toy_set(1);
	long long value, cyc;

	assert_int_equal(PAPI_start(set), PAPI_OK);
	assert_int_equal(PAPI_read(set, NULL), PAPI_EINVAL);
	assert_int_equal(PAPI_read_ts(set, NULL, &cyc), PAPI_EINVAL);
	assert_int_equal(PAPI_read_ts(set, &value, NULL), PAPI_EINVAL);
	assert_int_equal(PAPI_accum(set, NULL), PAPI_EINVAL);
	assert_int_equal(PAPI_write(set, NULL), PAPI_EINVAL);
}

TEST_WITH(test_start_begins_at_zero, open_toys, close_toys)
{
	int set = toy_set(1);
	long long value;

	toy_count(0, 1000, 1, 1);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(PAPI_start(set), PAPI_OK);
		toy_count(0, 5, 1, 1);
		assert_int_equal(PAPI_stop(set, &value), PAPI_OK);
		assert_int_equal(value, 5);
	}
}

TEST_WITH(test_read_goes_on_and_accum_begins_anew, open_toys, close_toys)
{
	int set = toy_set(2);
	long long values[2], sum[2] = { 100, 200 };

	assert_int_equal(PAPI_start(set), PAPI_OK);
	toy_count(0, 1, 1, 1);
	toy_count(1, 2, 1, 1);
	assert_int_equal(PAPI_read(set, values), PAPI_OK);
	assert_int_equal(values[0], 1);
	assert_int_equal(values[1], 2);
	toy_count(0, 10, 1, 1);
	assert_int_equal(PAPI_accum(set, sum), PAPI_OK);
	assert_int_equal(sum[0], 111);
	assert_int_equal(sum[1], 202);
	assert_int_equal(PAPI_read(set, values), PAPI_OK);
	assert_int_equal(values[0], 0);
	assert_int_equal(values[1], 0);
	assert_int_equal(PAPI_accum(set, sum), PAPI_OK);
	assert_int_equal(sum[0], 111);
}

TEST_WITH(test_accum_takes_any_number_of_events, open_toys, close_toys)
{
	enum {
		MANY = 20
	};
	long long sum[MANY];
	int set;

	toy.counters = TOY_EVENTS;
	set = toy_set(TOY_EVENTS);
	for (int i = 0; i < MANY; i++)
		sum[i] = i;
	for (int i = TOY_EVENTS; i < MANY; i++) {
		char name[16];

		snprintf(name, sizeof(name), "plain::e%d", i - TOY_EVENTS);
		assert_int_equal(PAPI_add_named_event(set, name), PAPI_OK);
	}
	assert_int_equal(PAPI_start(set), PAPI_OK);
	for (int i = 0; i < TOY_EVENTS; i++)
		toy_count(i, 3, 1, 1);
	assert_int_equal(PAPI_accum(set, sum), PAPI_OK);
	for (int i = 0; i < MANY; i++)
		assert_int_equal(sum[i], i + 3);
}

TEST_WITH(test_reset_and_write_move_the_zero, open_toys, close_toys)
{
	int set = toy_set(1);
	long long value = 1000;

	assert_int_equal(PAPI_start(set), PAPI_OK);
	toy_count(0, 7, 1, 1);
	assert_int_equal(PAPI_reset(set), PAPI_OK);
	toy_count(0, 2, 1, 1);
	assert_int_equal(PAPI_write(set, &value), PAPI_OK);
	toy_count(0, 3, 1, 1);
	assert_int_equal(PAPI_stop(set, &value), PAPI_OK);
	assert_int_equal(value, 1003);
}

TEST_WITH(test_stopped_set_keeps_its_values, open_toys, close_toys)
{
	int set = toy_set(1);
	long long value = -1;

	assert_int_equal(PAPI_start(set), PAPI_OK);
	toy_count(0, 4, 1, 1);
	assert_int_equal(PAPI_stop(set, NULL), PAPI_OK);
	toy_count(0, 9, 1, 1);
	assert_int_equal(PAPI_read(set, &value), PAPI_OK);
	assert_int_equal(value, 4);
	assert_int_equal(PAPI_reset(set), PAPI_OK);
	assert_int_equal(PAPI_read(set, &value), PAPI_OK);
	assert_int_equal(value, 0);
}

TEST_WITH(test_several_sets_run_in_one_thread, open_toys, close_toys)
{
	int a = toy_set(1), b = toy_set(1);
	long long va, vb;

	assert_int_equal(PAPI_start(a), PAPI_OK);
	toy_count(0, 1, 1, 1);
	assert_int_equal(PAPI_start(b), PAPI_OK);
	toy_count(0, 2, 1, 1);
	assert_int_equal(PAPI_stop(a, &va), PAPI_OK);
	toy_count(0, 4, 1, 1);
	assert_int_equal(PAPI_stop(b, &vb), PAPI_OK);
	assert_int_equal(va, 3);
	assert_int_equal(vb, 6);
}

TEST_WITH(test_time_stamp_lies_between, open_toys, close_toys)
{
	int set = toy_set(1);
	long long value, cyc, before, after;

	assert_int_equal(PAPI_start(set), PAPI_OK);
	before = PAPI_get_real_cyc();
	assert_int_equal(PAPI_read_ts(set, &value, &cyc), PAPI_OK);
	after = PAPI_get_real_cyc();
	assert_true(before <= cyc && cyc <= after);
}

TEST_WITH(test_failed_start_gives_its_code_and_sentence, open_toys, close_toys)
{
	int set = toy_set(1), bits = 0;

	toy.fail_start = PAPI_EPERM;
	assert_int_equal(PAPI_start(set), PAPI_EPERM);
	assert_string_equal(assay_error(), "told to fail");
	assert_int_equal(PAPI_state(set, &bits), PAPI_OK);
	assert_int_equal(bits, PAPI_STOPPED);
	toy.fail_start = 0;
	assert_int_equal(PAPI_start(set), PAPI_OK);
}

RUN_ALL_TESTS
