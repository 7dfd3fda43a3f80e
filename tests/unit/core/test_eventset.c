/* SPDX-License-Identifier: BSD-3-Clause */
/* EventSets through all states, on a component whose counts are known. */
#include <math.h>
#include <string.h>

#include "tests/unit/core/toy.h"
#include "tests/unit/testing.h"

static const struct native e[] = {
	{ 0, 0 }, { 0, 1 }, { 0, 2 }, { 0, 3 },         { 0, 4 },
	{ 0, 5 }, { 1, 0 }, { 1, 1 }, { 0, TOY_LEVEL },
};

/* Single events under codes 100.. and formulas over e0 and e1. */
static const struct recipe single[] = {
	{ .code = 100, .n = 1, .natives = &e[0] },
	{ .code = 101, .n = 1, .natives = &e[1] },
	{ .code = 102, .n = 1, .natives = &e[2] },
	{ .code = 103, .n = 1, .natives = &e[3] },
	{ .code = 104, .n = 1, .natives = &e[4] },
	{ .code = 105, .n = 1, .natives = &e[5] },
	{ .code = 106, .n = 1, .natives = &e[6] },
	{ .code = 107, .n = 1, .natives = &e[7] },
	{ .code = 108, .n = 1, .natives = &e[8] },
};

static const int one_minus_other[] = { 1, -1 };
static const struct recipe difference = { .code = 200,
					  .n = 2,
					  .natives = e,
					  .weights = one_minus_other,
					  .is_count = true };

static double divide(const void *program, const double *counts)
{
	(void)program;
	return counts[1] == 0 ? NAN : counts[0] / counts[1];
}

static const struct recipe ratio = {
	.code = 201, .n = 2, .natives = e, .eval = divide
};

struct fixture {
	struct registry *registry;
	struct eventset *set;
};

static int setup(void **state)
{
	static struct fixture f;

	f.registry = toy_registry();
	*state = &f;
	return f.registry ? eventset_new(f.registry, 7, &f.set) : -1;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	if (eventset_state(f->set) & PAPI_RUNNING)
		eventset_stop(f->set, NULL);
	assert_int_equal(eventset_free(f->set), 0);
	registry_close(f->registry);
	return toy.open; /* every slice was closed */
}

static struct eventset *set_of(void **state)
{
	return ((struct fixture *)*state)->set;
}

static void add(struct eventset *set, const struct recipe *recipe)
{
	assert_int_equal(eventset_add(set, recipe, NULL), 0);
}

TEST_WITH(test_counts_from_start_to_stop, setup, teardown)
{
	struct eventset *set = set_of(state);
	long long values[2] = { -1, -1 };

	add(set, &single[1]);
	add(set, &single[0]);
	toy_count(0, 1000, 10, 10);
	assert_int_equal(eventset_start(set, NULL), 0);
	toy_count(0, 5, 10, 10);
	toy_count(1, 7, 10, 10);
	assert_int_equal(eventset_read(set, values), 0);
	assert_int_equal(values[0], 7);
	assert_int_equal(values[1], 5);
	toy_count(0, 5, 10, 10);
	assert_int_equal(eventset_stop(set, values), 0);
	assert_int_equal(values[1], 10);
	toy_count(0, 99, 10, 10);
	assert_int_equal(eventset_read(set, values), 0);
	assert_int_equal(values[1], 10); /* as it was stopped */
	assert_int_equal(eventset_start(set, NULL), 0);
	assert_int_equal(eventset_stop(set, values), 0);
	assert_int_equal(values[1], 0);
}

TEST_WITH(test_each_call_in_each_state, setup, teardown)
{
	struct eventset *set = set_of(state);
	struct eventset_options options = *eventset_options(set);
	long long v[1] = { 0 };

	assert_int_equal(eventset_start(set, NULL), PAPI_ENOCMP);
	assert_int_equal(eventset_stop(set, v), PAPI_ENOCMP);
	assert_int_equal(eventset_read(set, v), PAPI_ENOCMP);
	assert_int_equal(eventset_remove(set, 100), PAPI_EINVAL);
	add(set, &single[0]);
	assert_int_equal(eventset_state(set), PAPI_STOPPED);
	assert_int_equal(eventset_stop(set, v), PAPI_ENOTRUN);
	assert_int_equal(eventset_remove(set, 999), PAPI_ENOEVNT);
	assert_int_equal(eventset_start(set, NULL), 0);
	assert_int_equal(eventset_state(set), PAPI_RUNNING);
	assert_int_equal(eventset_start(set, NULL), PAPI_EISRUN);
	assert_int_equal(eventset_add(set, &single[1], NULL), PAPI_EISRUN);
	assert_int_equal(eventset_remove(set, 100), PAPI_EISRUN);
	assert_int_equal(eventset_clear(set), PAPI_EISRUN);
	assert_int_equal(eventset_free(set), PAPI_EISRUN);
	assert_int_equal(eventset_set_options(set, &options, NULL),
			 PAPI_EISRUN);
	assert_int_equal(
		eventset_set_overflow(set, 0, 1, false, NULL, NULL, NULL),
		PAPI_EISRUN);
}

TEST_WITH(test_too_many_events_leave_the_set_as_it_was, setup, teardown)
{
	struct eventset *set = set_of(state);
	struct diag diag = { 0 };
	long long v[4];

	for (int i = 0; i < 4; i++)
		add(set, &single[i]);
	assert_int_equal(eventset_add(set, &single[4], &diag), PAPI_ECNFLCT);
	assert_string_equal(diag.text, "only 4 counters");
	assert_int_equal(eventset_add(set, &single[0], &diag), PAPI_ECNFLCT);
	assert_int_equal(eventset_size(set), 4);
	assert_int_equal(eventset_start(set, NULL), 0);
	toy_count(3, 3, 1, 1);
	assert_int_equal(eventset_stop(set, v), 0);
	assert_int_equal(v[3], 3);
	assert_int_equal(eventset_remove(set, 101), 0);
	add(set, &single[4]);
	assert_int_equal(eventset_start(set, NULL), 0);
	toy_count(4, 44, 1, 1);
	toy_count(2, 22, 1, 1);
	assert_int_equal(eventset_stop(set, v), 0);
	assert_int_equal(v[1], 22);
	assert_int_equal(v[3], 44);
}

TEST_WITH(test_set_spans_components, setup, teardown)
{
	struct eventset *set = set_of(state);
	long long v[3];

	add(set, &single[0]);
	add(set, &single[6]);
	add(set, &difference);
	assert_int_equal(toy.open, 2);
	assert_int_equal(eventset_start(set, NULL), 0);
	toy_count(0, 9, 1, 1);
	toy_count(1, 4, 1, 1);
	assert_int_equal(eventset_stop(set, v), 0);
	assert_int_equal(v[0], 9);
	assert_int_equal(v[1], 9); /* the other component's e0 */
	assert_int_equal(v[2], 5);
	assert_int_equal(eventset_remove(set, 100), 0);
	assert_int_equal(eventset_start(set, NULL), 0);
	toy_count(0, 1, 1, 1);
	assert_int_equal(eventset_stop(set, v), 0);
	assert_int_equal(v[0], 1);
	assert_int_equal(v[1], 1); /* the difference keeps its e0 */
}

TEST_WITH(test_accumulate_and_write, setup, teardown)
{
	struct eventset *set = set_of(state);
	const long long forty = 40;
	long long v[1];

	add(set, &single[0]);
	assert_int_equal(eventset_start(set, NULL), 0);
	toy_count(0, 3, 1, 1);
	assert_int_equal(eventset_read_reset(set, v), 0);
	assert_int_equal(v[0], 3);
	toy_count(0, 4, 1, 1);
	assert_int_equal(eventset_read(set, v), 0);
	assert_int_equal(v[0], 4);
	assert_int_equal(eventset_write(set, &forty), 0);
	toy_count(0, 2, 1, 1);
	assert_int_equal(eventset_read(set, v), 0);
	assert_int_equal(v[0], 42);
	assert_int_equal(eventset_reset(set), 0);
	assert_int_equal(eventset_stop(set, v), 0);
	assert_int_equal(v[0], 0);
}

TEST_WITH(test_part_of_the_time_is_scaled, setup, teardown)
{
	struct eventset *set = set_of(state);
	struct value value;
	long long v[1];

	add(set, &single[0]);
	assert_int_equal(eventset_start(set, NULL), 0);
	/* beyond 2^53, where a double would lose the last digits */
	toy_count(0, 9007199254740993, 3000, 1000);
	toy.counts[0].variance = 16;
	/* nobody asked for events to take turns, so it is not passed over */
	assert_int_equal(eventset_stop(set, v), PAPI_ECNFLCT);
	assert_true(v[0] == 27021597764222979);
	eventset_values(set, &value);
	assert_true(value.scaled);
	assert_true(value.error == 4);
	assert_int_equal(value.enabled_ns, 3000);
	assert_int_equal(value.running_ns, 1000);
	assert_string_equal(value.source->ops->name, "toy");
}

TEST_WITH(test_what_never_ran_has_no_value, setup, teardown)
{
	struct eventset *set = set_of(state);
	struct value values[2];
	long long v[2];

	add(set, &single[0]);
	add(set, &ratio);
	assert_int_equal(eventset_start(set, NULL), 0);
	toy_count(0, 0, 3000, 0);
	toy_count(1, 8, 3000, 3000);
	assert_int_equal(eventset_stop(set, v), PAPI_ECNFLCT);
	assert_int_equal(v[0], 0);
	assert_int_equal(v[1], 0);
	eventset_values(set, values);
	assert_true(isnan(values[0].real));
	assert_true(isnan(values[1].real));
}

TEST_WITH(test_formula_carries_its_error, setup, teardown)
{
	struct eventset *set = set_of(state);
	struct value values[2];

	add(set, &ratio);
	add(set, &difference);
	assert_int_equal(eventset_start(set, NULL), 0);
	toy_count(0, 400, 400, 100);
	toy_count(1, 200, 200, 200);
	toy.counts[0].variance = 400;
	assert_int_equal(eventset_stop(set, NULL), 0);
	eventset_values(set, values);
	assert_true(values[0].real == 8);
	assert_true(fabs(values[0].error - 0.1) < 1e-12); /* 20 / 200 */
	assert_true(values[1].real == 1400);
	assert_true(values[1].error == 20);
	assert_int_equal(values[0].running_ns, 100);
}

TEST_WITH(test_negative_count_is_zero_and_marked, setup, teardown)
{
	struct eventset *set = set_of(state);
	struct value value;
	long long v[1];

	add(set, &difference);
	assert_int_equal(eventset_start(set, NULL), 0);
	toy_count(0, 5, 10, 10);
	toy_count(1, 3, 30, 10);
	assert_int_equal(eventset_stop(set, v), PAPI_ECNFLCT);
	assert_int_equal(v[0], 0);
	eventset_values(set, &value);
	assert_true(value.real == 0);
	assert_true(value.clamped);
}

TEST_WITH(test_level_is_not_a_difference, setup, teardown)
{
	struct eventset *set = set_of(state);
	long long v[1];

	add(set, &single[8]);
	toy.counts[TOY_LEVEL].value = 50;
	assert_int_equal(eventset_start(set, NULL), 0);
	toy.counts[TOY_LEVEL].value = 47;
	assert_int_equal(eventset_stop(set, v), 0);
	assert_int_equal(v[0], 47);
}

TEST_WITH(test_failed_start_stops_what_had_started, setup, teardown)
{
	struct eventset *set = set_of(state);
	struct diag diag = { 0 };

	add(set, &single[0]);
	toy.fail_start = PAPI_EPERM;
	assert_int_equal(eventset_start(set, &diag), PAPI_EPERM);
	assert_string_equal(diag.text, "told to fail");
	assert_int_equal(eventset_state(set), PAPI_STOPPED);
	toy.fail_start = 0;
	assert_int_equal(eventset_start(set, &diag), 0);
}

TEST_WITH(test_refused_option_is_undone, setup, teardown)
{
	struct eventset *set = set_of(state);
	struct eventset_options options = *eventset_options(set);

	options.slice.multiplex = true;
	assert_int_equal(eventset_set_options(set, &options, NULL), 0);
	for (int i = 0; i < 6; i++)
		add(set, &single[i]);
	assert_true(eventset_state(set) & PAPI_MULTIPLEXING);
	options.slice.multiplex = false;
	assert_int_equal(eventset_set_options(set, &options, NULL),
			 PAPI_ECNFLCT);
	assert_true(eventset_options(set)->slice.multiplex);
	assert_int_equal(eventset_start(set, NULL), 0);
}

RUN_ALL_TESTS
