/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads' counts become values, put together from several components. */
#include "tests/unit/core/toy.h"
#include "tests/unit/testing.h"

#include <math.h>

/* Two components that know the same two threads, in different order. */
static int visit_first(struct slice *s, thread_visitor visit, void *data)
{
	const struct count one[] = { { 10, 5, 5, 0 }, { 4, 5, 5, 0 } };
	const struct count two[] = { { 20, 8, 4, 0 }, { 5, 5, 5, 0 } };
	const struct thread_counts a = { 1, 1, "first", one };
	const struct thread_counts b = { 1, 2, "", two };
	int err = visit(&a, data);

	(void)s;
	err = err ? err : visit(&b, data);
	return err ? err : visit(&a, data); /* adds up */
}

static int visit_second(struct slice *s, thread_visitor visit, void *data)
{
	const struct count one[] = { { 100, 1, 1, 0 } };
	const struct thread_counts b = { 1, 2, "second", one };

	(void)s;
	return visit(&b, data);
}

static double quotient(const void *program, const double *counts)
{
	(void)program;
	return counts[0] / counts[1];
}

static const struct native e0 = { 0, 0 }, e0_other = { 1, 0 };
static const struct native both[] = { { 0, 0 }, { 0, 1 } };
static const struct recipe recipes[] = {
	{ .code = 1, .n = 1, .natives = &e0 },
	{ .code = 2, .n = 2, .natives = both, .eval = quotient },
	{ .code = 3, .n = 1, .natives = &e0_other },
};

static struct {
	int n;
	pid_t tid[4];
	char name[4][16];
	struct value values[4][3];
} seen;

static void look(const struct thread_counts *t, const struct value *values,
		 void *data)
{
	(void)data;
	seen.tid[seen.n] = t->tid;
	snprintf(seen.name[seen.n], sizeof(seen.name[0]), "%s", t->name);
	memcpy(seen.values[seen.n], values, sizeof(seen.values[0]));
	seen.n++;
}

static struct eventset *make_set(struct registry *r, bool per_thread)
{
	struct eventset_options options;
	struct eventset *set;

	assert_int_equal(eventset_new(r, 1, &set), 0);
	for (int i = 0; i < 3; i++)
		assert_int_equal(eventset_add(set, &recipes[i], NULL), 0);
	options = *eventset_options(set);
	options.slice.per_thread = per_thread;
	assert_int_equal(eventset_set_options(set, &options, NULL), 0);
	return set;
}

TEST(test_values_of_threads_are_put_together)
{
	struct component_ops first = toy_component, second = toy_component;
	const struct component_ops *const list[] = { &first, &second };
	struct registry *r;
	struct eventset *set;
	long long before[3], after[3];

	memset(&toy, 0, sizeof(toy));
	memset(&seen, 0, sizeof(seen));
	toy.counters = 4;
	first.threads = visit_first;
	second.threads = visit_second;
	second.name = "other";
	assert_int_equal(registry_open(list, 2, "", &r), 0);
	set = make_set(r, true);
	toy.counts[0].value = 7; /* before the start: not theirs */
	assert_int_equal(eventset_start(set, NULL), 0);
	toy.counts[0].value = 47;
	assert_int_equal(eventset_stop(set, before), 0);
	assert_int_equal(eventset_read_threads(set, look, NULL, NULL), 0);
	assert_int_equal(seen.n, 2);
	assert_int_equal(seen.tid[0], 1);
	assert_string_equal(seen.name[0], "first");
	assert_string_equal(seen.name[1], "second");
	assert_int_equal(seen.values[0][0].integer, 20);
	assert_true(seen.values[0][1].real == 20.0 / 8);
	assert_int_equal(seen.values[0][2].integer, 0);
	assert_int_equal(seen.values[1][0].integer, 40); /* half the time */
	assert_true(seen.values[1][0].scaled);
	assert_int_equal(seen.values[1][2].integer, 100);
	/* the set's own are as they were */
	assert_int_equal(eventset_read(set, after), 0);
	assert_memory_equal(before, after, sizeof(before));
	assert_int_equal(after[0], 40);
	eventset_free(set);
	registry_close(r);
}

TEST(test_who_cannot_tell_says_so)
{
	struct component_ops first = toy_component, second = toy_component;
	const struct component_ops *const list[] = { &first, &second };
	struct diag diag = { 0 };
	struct registry *r;
	struct eventset *set;

	memset(&toy, 0, sizeof(toy));
	toy.counters = 4;
	first.threads = visit_first;
	second.name = "other";
	assert_int_equal(registry_open(list, 2, "", &r), 0);
	set = make_set(r, true);
	assert_int_equal(eventset_read_threads(set, look, NULL, &diag),
			 PAPI_ENOSUPP);
	assert_non_null(strstr(diag.text, "other"));
	eventset_free(set);

	set = make_set(r, false);
	assert_int_equal(eventset_read_threads(set, look, NULL, &diag),
			 PAPI_EINVAL);
	eventset_free(set);
	registry_close(r);
}

RUN_ALL_TESTS
