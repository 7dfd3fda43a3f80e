/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the core refuses: components that are off, derived events that cannot
 * interrupt, threads that cannot be told; and every allocation in turn.
 */
#include <string.h>

#include "tests/unit/core/toy.h"
#include "tests/unit/refuse.h"
#include "tests/unit/testing.h"

#define MOST 1000 /* more allocations than a set needs */

static const struct native natives[] = { { 1, 0 }, { 1, 1 }, { 1, 2 },
					 { 1, 3 }, { 1, 4 }, { 1, 5 } };
static const struct recipe recipes[] = {
	{ .code = 1, .n = 1, .natives = &natives[0] },
	{ .code = 2, .n = 1, .natives = &natives[1] },
	{ .code = 3, .n = 1, .natives = &natives[2] },
	{ .code = 4, .n = 1, .natives = &natives[3] },
	{ .code = 5, .n = 1, .natives = &natives[4] },
	{ .code = 6, .n = 1, .natives = &natives[5] },
};
static const int once[] = { 1, -1 };
static const struct recipe difference = {
	.code = 7, .n = 2, .natives = natives, .weights = once
};

static void on_overflow(int id, void *address, long long which, void *context,
			void *data)
{
	(void)id;
	(void)address;
	(void)which;
	(void)context;
	(void)data;
}

TEST(test_a_component_that_is_off)
{
	static const char *const reasons[] = { "told to be", NULL };
	struct registry *r = toy_registry();
	struct component *c = r->components[1];
	struct eventset *set;

	assert_int_equal(eventset_new(r, 5, &set), 0);
	for (int i = 0; i < 2; i++) {
		struct diag diag = { .text = "" };
		char *kept = c->reason;
		char want[32];
		size_t event;

		snprintf(want, sizeof(want), "plain: %s",
			 reasons[i] ? reasons[i] : "off");
		c->reason = (char *)(uintptr_t)reasons[i];
		c->disabled = true;
		assert_int_equal(component_find_event(c, "e0", &event, &diag),
				 PAPI_ECMP_DISABLED);
		assert_string_equal(diag.text, want);
		diag.text[0] = '\0';
		assert_int_equal(eventset_add(set, &recipes[0], &diag),
				 PAPI_ECMP_DISABLED);
		assert_string_equal(diag.text, want);
		c->disabled = false;
		c->reason = kept;
	}
	eventset_free(set);
	registry_close(r);
}

TEST(test_a_derived_event_cannot_interrupt)
{
	struct registry *r = toy_registry();
	struct diag diag = { .text = "" };
	struct eventset *set;

	assert_int_equal(eventset_new(r, 5, &set), 0);
	assert_int_equal(eventset_add(set, &difference, NULL), 0);
	assert_int_equal(eventset_set_overflow(set, 0, 9, false, on_overflow,
					       NULL, &diag),
			 PAPI_EINVAL);
	assert_string_equal(diag.text,
			    "a derived event cannot interrupt on overflow");
	eventset_free(set);
	registry_close(r);
}

static int no_threads(struct slice *s, thread_visitor visit, void *data)
{
	(void)visit;
	(void)data;
	return slice_fail(s, PAPI_ECLOST, "they are gone");
}

static int two_threads(struct slice *s, thread_visitor visit, void *data)
{
	struct count counts[8] = { { 0 } };
	struct thread_counts t = { .pid = 1, .name = "", .counts = counts };
	int err = 0;

	(void)s;
	for (t.tid = 1; t.tid <= 2 && !err; t.tid++)
		err = visit(&t, data);
	return err;
}

static void look(const struct thread_counts *t, const struct value *values,
		 void *data)
{
	(void)t;
	(void)values;
	++*(int *)data;
}

/* A set of one event whose threads @ops tells; 0 or what reading them gave. */
static int read_threads(const struct component_ops *ops, struct diag *diag)
{
	static const struct native first = { 0, 0 };
	static const struct recipe recipe = { .code = 1,
					      .n = 1,
					      .natives = &first };
	struct eventset_options options;
	struct eventset *set = NULL;
	struct registry *r;
	int threads = 0, err = registry_open(&ops, 1, "", &r);

	if (err)
		return err;
	err = eventset_new(r, 1, &set);
	if (!err)
		err = eventset_add(set, &recipe, diag);
	if (!err) {
		options = *eventset_options(set);
		options.slice.per_thread = true;
		err = eventset_set_options(set, &options, diag);
	}
	if (!err)
		err = eventset_read_threads(set, look, &threads, diag);
	if (set)
		eventset_free(set);
	registry_close(r);
	return err || threads == 2 ? err : PAPI_EBUG;
}

TEST(test_threads_that_cannot_be_told)
{
	struct component_ops ops = toy_component;
	struct diag diag = { .text = "" };

	memset(&toy, 0, sizeof(toy));
	toy.counters = 4;
	ops.threads = no_threads;
	assert_int_equal(read_threads(&ops, &diag), PAPI_ECLOST);
	assert_string_equal(diag.text, "they are gone");
}

/* Not even alone: then it is in no part. */
TEST(test_an_event_that_no_counter_takes)
{
	struct eventset_options options;
	struct registry *r = toy_registry();
	struct diag diag = { .text = "" };
	struct eventset *set;

	assert_int_equal(eventset_new(r, 1, &set), 0);
	options = *eventset_options(set);
	options.slice.multiplex = true;
	assert_int_equal(eventset_set_options(set, &options, NULL), 0);
	assert_int_equal(eventset_add(set, &recipes[0], &diag), 0);
	toy.counters = 0; /* somebody else has them now */
	assert_int_equal(eventset_add(set, &recipes[1], &diag), PAPI_ECNFLCT);
	assert_string_equal(diag.text, "only 0 counters");
	assert_int_equal(eventset_size(set), 1);
	toy.counters = 1;
	assert_int_equal(eventset_add(set, &recipes[1], &diag), 0);
	assert_int_equal(eventset_size(set), 2);
	eventset_free(set);
	registry_close(r);
}

/* A set whose component cannot multiplex, so that the core does. */
static int multiplex(void)
{
	struct eventset_options options;
	struct registry *r = NULL;
	struct eventset *set = NULL;
	long long values[6];
	int err = registry_open(toy_list, 2, "", &r);

	if (err)
		return err;
	err = eventset_new(r, 1, &set);
	if (!err) {
		options = *eventset_options(set);
		options.slice.multiplex = true;
		err = eventset_set_options(set, &options, NULL);
	}
	for (int i = 0; i < 6 && !err; i++)
		err = eventset_add(set, &recipes[i], NULL);
	if (!err)
		err = eventset_set_overflow(set, 0, 1000000, true, on_overflow,
					    NULL, NULL);
	if (!err)
		err = eventset_start(set, NULL);
	if (!err)
		err = eventset_stop(set, values);
	if (set)
		eventset_free(set);
	registry_close(r);
	return err;
}

static int tell_threads(void)
{
	struct component_ops ops = toy_component;
	struct diag diag = { .text = "" };

	ops.threads = two_threads;
	return read_threads(&ops, &diag);
}

TEST(test_no_memory)
{
	static int (*const uses[])(void) = { multiplex, tell_threads };

	if (!REFUSE_WORKS)
		skip();
	for (size_t i = 0; i < sizeof(uses) / sizeof(uses[0]); i++) {
		long n = 1;

		for (; n < MOST; n++) {
			int err;

			memset(&toy, 0, sizeof(toy));
			toy.counters = 2;
			refuse_nth(n);
			err = uses[i]();
			refuse_countdown = 0;
			if (err && err != PAPI_ENOMEM)
				fail_msg("%zu, %ld: %d", i, n, err);
			assert_int_equal(toy.open, 0);
			if (!refused)
				break;
			assert_true(err || i == 0);
		}
		assert_in_range(n, 5, MOST - 1);
		assert_int_equal(uses[i](), 0);
	}
}

RUN_ALL_TESTS
