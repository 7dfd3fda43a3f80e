/* SPDX-License-Identifier: BSD-3-Clause */
/* EventSets through PAPI's calls: every refusal has its code. */
#include "tests/unit/papi/open_toys.h"

TEST_WITH(test_variable_must_hold_null, open_toys, close_toys)
{
	int set = 0;

	assert_int_equal(PAPI_create_eventset(NULL), PAPI_EINVAL);
	assert_int_equal(PAPI_create_eventset(&set), PAPI_EINVAL);
	assert_int_equal(set, 0);
}

/* Every call that takes a handle, with those that are none. */
TEST_WITH(test_wrong_handles_are_told, open_toys, close_toys)
{
	static const int wrong[] = { -1, 99, INT_MAX, INT_MIN };
	int codes[4] = { 0 }, n;
	long long values[4], cyc;
	PAPI_option_t option;

	for (size_t i = 0; i < ARRAY_ROWS(wrong); i++) {
		int set = wrong[i];

		n = 4;
#define NO_SET(call) CHECK_AT(__LINE__, (call) == PAPI_ENOEVST)
		NO_SET(PAPI_cleanup_eventset(set));
		NO_SET(PAPI_destroy_eventset(&set));
		assert_int_equal(set, wrong[i]);
		NO_SET(PAPI_assign_eventset_component(set, 0));
		NO_SET(PAPI_get_eventset_component(set));
		NO_SET(PAPI_num_events(set));
		NO_SET(PAPI_list_events(set, codes, &n));
		NO_SET(PAPI_state(set, &n));
		NO_SET(PAPI_add_event(set, toy_code(0)));
		NO_SET(PAPI_add_named_event(set, "toy::e0"));
		NO_SET(PAPI_add_events(set, codes, 1));
		NO_SET(PAPI_remove_event(set, toy_code(0)));
		NO_SET(PAPI_remove_named_event(set, "toy::e0"));
		NO_SET(PAPI_remove_events(set, codes, 1));
		NO_SET(PAPI_start(set));
		NO_SET(PAPI_stop(set, NULL));
		NO_SET(PAPI_read(set, values));
		NO_SET(PAPI_read_ts(set, values, &cyc));
		NO_SET(PAPI_accum(set, values));
		NO_SET(PAPI_reset(set));
		NO_SET(PAPI_write(set, values));
		NO_SET(PAPI_attach(set, 1));
		NO_SET(PAPI_detach(set));
		NO_SET(PAPI_set_multiplex(set));
		NO_SET(PAPI_get_multiplex(set));
		NO_SET(PAPI_overflow(set, toy_code(0), 0, 0, NULL));
		NO_SET(PAPI_get_overflow_event_index(set, 1, codes, &n));
		NO_SET(PAPI_profil(values, 8, NULL, 2, set, 0, 1, 0));
		NO_SET(PAPI_sprofil(NULL, 1, set, 0, 1, 0));
		option.domain.eventset = set;
		NO_SET(PAPI_get_opt(PAPI_DOMAIN, &option));
	}
}

TEST_WITH(test_destroy_wants_it_empty_and_stopped, open_toys, close_toys)
{
	int set = toy_set(1), copy = set;

	assert_int_equal(PAPI_destroy_eventset(NULL), PAPI_EINVAL);
	assert_int_equal(PAPI_destroy_eventset(&set), PAPI_EINVAL);
	assert_int_equal(PAPI_start(set), PAPI_OK);
	assert_int_equal(PAPI_destroy_eventset(&set), PAPI_EISRUN);
	assert_int_equal(PAPI_cleanup_eventset(set), PAPI_EISRUN);
	assert_int_equal(PAPI_stop(set, NULL), PAPI_OK);
	assert_int_equal(PAPI_cleanup_eventset(set), PAPI_OK);
	assert_int_equal(PAPI_num_events(set), 0);
	assert_int_equal(PAPI_destroy_eventset(&set), PAPI_OK);
	assert_int_equal(set, PAPI_NULL);
	assert_int_equal(PAPI_num_events(copy), PAPI_ENOEVST);
}

TEST_WITH(test_events_are_listed_in_order, open_toys, close_toys)
{
	int set = toy_set(3), codes[3] = { 0, 0, 0 }, n = 0;

	assert_int_equal(PAPI_list_events(set, NULL, &n), PAPI_OK);
	assert_int_equal(n, 3);
	assert_int_equal(PAPI_list_events(set, codes, &n), PAPI_OK);
	for (int i = 0; i < 3; i++)
		assert_int_equal(codes[i], toy_code(i));
	n = 2;
	assert_int_equal(PAPI_list_events(set, codes, &n), PAPI_OK);
	assert_int_equal(n, 2);

	assert_int_equal(PAPI_list_events(set, codes, NULL), PAPI_EINVAL);
	assert_int_equal(PAPI_list_events(set, NULL, &n), PAPI_EINVAL);
	n = -1;
	assert_int_equal(PAPI_list_events(set, codes, &n), PAPI_EINVAL);
}

TEST_WITH(test_state_follows_start_and_stop, open_toys, close_toys)
{
	int set = toy_set(1), bits = 0;

	assert_int_equal(PAPI_state(set, NULL), PAPI_EINVAL);
	assert_int_equal(PAPI_state(set, &bits), PAPI_OK);
	assert_int_equal(bits, PAPI_STOPPED);
	assert_int_equal(PAPI_start(set), PAPI_OK);
	assert_int_equal(PAPI_state(set, &bits), PAPI_OK);
	assert_int_equal(bits, PAPI_RUNNING);
	assert_int_equal(PAPI_stop(set, NULL), PAPI_OK);
	assert_int_equal(PAPI_set_multiplex(set), PAPI_OK);
	assert_int_equal(PAPI_state(set, &bits), PAPI_OK);
	assert_int_equal(bits, PAPI_STOPPED | PAPI_MULTIPLEXING);
}

TEST_WITH(test_add_refuses_what_it_must, open_toys, close_toys)
{
	int set = toy_set(1);

	assert_int_equal(PAPI_add_event(set, toy_code(0)), PAPI_ECNFLCT);
	assert_int_equal(PAPI_add_event(set, PAPI_NATIVE_MASK | 0x3ff),
			 PAPI_ENOEVNT);
	assert_int_equal(PAPI_add_event(set, PAPI_NULL), PAPI_ENOEVNT);
	assert_int_equal(PAPI_add_named_event(set, "toy::none"), PAPI_ENOEVNT);
	assert_int_equal(PAPI_add_named_event(set, "no such event"),
			 PAPI_ENOEVNT);
	assert_int_equal(PAPI_add_named_event(set, NULL), PAPI_EINVAL);
	assert_int_equal(PAPI_start(set), PAPI_OK);
	assert_int_equal(PAPI_add_event(set, toy_code(1)), PAPI_EISRUN);
	assert_int_equal(PAPI_num_events(set), 1);
}

TEST_WITH(test_add_events_says_how_far_it_came, open_toys, close_toys)
{
	int set = toy_set(0), codes[6];

	for (int i = 0; i < 6; i++)
		codes[i] = toy_code(i);
	assert_int_equal(PAPI_add_events(set, codes, 6), 4);
	assert_int_equal(PAPI_num_events(set), 4);
	assert_int_equal(PAPI_add_events(set, codes, 1), PAPI_ECNFLCT);
	assert_int_equal(PAPI_add_events(set, codes, 0), PAPI_EINVAL);
	assert_int_equal(PAPI_add_events(set, NULL, 1), PAPI_EINVAL);

	assert_int_equal(PAPI_remove_events(set, codes, 6), 4);
	assert_int_equal(PAPI_num_events(set), 0);
	assert_true(PAPI_remove_events(set, codes, 1) < 0);
}

TEST_WITH(test_remove_wants_a_member, open_toys, close_toys)
{
	int set = toy_set(2);

	assert_int_equal(PAPI_remove_event(set, toy_code(5)), PAPI_ENOEVNT);
	assert_int_equal(PAPI_remove_named_event(set, "toy::e5"), PAPI_ENOEVNT);
	assert_int_equal(PAPI_remove_named_event(set, "none"), PAPI_ENOEVNT);
	assert_int_equal(PAPI_remove_named_event(set, NULL), PAPI_EINVAL);
	assert_int_equal(PAPI_remove_named_event(set, "toy::e0"), PAPI_OK);
	assert_int_equal(PAPI_num_events(set), 1);
	assert_int_equal(PAPI_start(set), PAPI_OK);
	assert_int_equal(PAPI_remove_event(set, toy_code(1)), PAPI_EISRUN);
}

TEST_WITH(test_component_of_a_set, open_toys, close_toys)
{
	int set = toy_set(0), other = toy_set(1);

	assert_int_equal(PAPI_get_eventset_component(set), PAPI_ENOCMP);
	assert_int_equal(PAPI_assign_eventset_component(set, 9), PAPI_ENOCMP);
	assert_int_equal(PAPI_assign_eventset_component(set, -1), PAPI_ENOCMP);
	assert_int_equal(PAPI_assign_eventset_component(set, 1), PAPI_OK);
	assert_int_equal(PAPI_get_eventset_component(set), 1);
	assert_int_equal(PAPI_assign_eventset_component(set, 0), PAPI_EINVAL);
	assert_int_equal(PAPI_get_eventset_component(other), 0);
	assert_int_equal(PAPI_assign_eventset_component(other, 1), PAPI_EINVAL);
}

TEST_WITH(test_set_may_span_components, open_toys, close_toys)
{
	int set = toy_set(1);
	long long values[2];

	assert_int_equal(PAPI_add_named_event(set, "plain::e1"), PAPI_OK);
	assert_int_equal(PAPI_start(set), PAPI_OK);
	toy_count(0, 5, 1, 1);
	toy_count(1, 7, 1, 1);
	assert_int_equal(PAPI_stop(set, values), PAPI_OK);
	assert_int_equal(values[0], 5);
	assert_int_equal(values[1], 7);
}

RUN_ALL_TESTS
