/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A slice of software events that is read often is read without system calls,
 * and what is read is what the kernel says.
 */
#include <sched.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "components/perf_event/slice.h"
#include "components/perf_event/tally.h"
#include "tests/unit/components/perf_event/fixture.h"

static const char *const names[] = { "page-faults", "context-switches",
				     "cpu-migrations", "minor-faults", NULL };

enum {
	N = 4,
	OFTEN = 200
};

static const struct count zero[N];

static bool read_plain(struct slice *s, long long *values)
{
	return s->component->ops->read_plain(s, zero, values);
}

static void read_often(struct slice *s)
{
	long long values[N];

	for (int i = 0; i < OFTEN; i++)
		assert_true(read_plain(s, values));
}

/* Started, and read until it is read without system calls. */
static struct slice *busy_slice(struct component *c)
{
	struct count counts[N];
	struct slice *s = open_slice(c, names);
	struct pe_slice *ps = s->priv;
	long long values[N];
	bool without_call = false;

	touch_fresh_pages(); /* a sanitizer's pages for these are there now */
	assert_int_equal(slice_start(s, counts), 0);
	assert_non_null(ps->tally);
	assert_false(pe_tally_read(ps));
	read_often(s);
	if (!ps->tally) {
		print_message("the kernel lends no buffer\n");
		slice_free(s);
		skip();
	}
	/* Another switch may come in between, so not always at once. */
	for (int i = 0; i < 100 && !without_call; i++) {
		read_plain(s, values);
		without_call = pe_tally_read(ps);
	}
	assert_true(without_call);
	return s;
}

/* What the kernel says; @values are read by the tally next to it. */
static void read_both(struct slice *s, struct count *counts, long long *values)
{
	struct count again[N];

	do {
		assert_int_equal(slice_read(s, counts), 0);
		assert_true(read_plain(s, values));
		assert_int_equal(slice_read(s, again), 0);
	} while (counts[1].value != again[1].value ||
		 counts[2].value != again[2].value);
}

TEST(test_faults_and_switches_are_exact)
{
	struct component *c = *state;
	struct count counts[N];
	long long before[N], after[N];
	struct slice *s;

	SKIP_IF_DISABLED(c);
	skip_if_refused(c, names);
	SKIP_IF_DISTORTED();
	s = busy_slice(c);
	assert_true(read_plain(s, before));
	touch_fresh_pages();
	assert_true(read_plain(s, after));
	assert_int_equal(after[0] - before[0], PAGES);
	assert_int_equal(after[3] - before[3], PAGES);

	leave_cpu(20);
	assert_true(read_plain(s, after));
	assert_true(after[1] - before[1] >= 20);
	read_both(s, counts, after);
	for (size_t i = 0; i < N; i++)
		assert_int_equal(counts[i].value, after[i]);
	slice_free(s);
}

/* Going over to it and back touches nothing that is counted. */
TEST(test_going_over_costs_no_fault)
{
	struct component *c = *state;
	struct count counts[N];
	long long values[N];
	struct slice *s;

	SKIP_IF_DISABLED(c);
	skip_if_refused(c, names);
	SKIP_IF_DISTORTED();
	s = busy_slice(c); /* all pages of the way are there now */
	slice_free(s);
	s = open_slice(c, names);
	assert_int_equal(slice_start(s, counts), 0);
	assert_true(read_plain(s, values));
	read_often(s);
	assert_int_equal(slice_read(s, counts), 0);
	assert_true(counts[0].value - (uint64_t)values[0] <= 1);
	slice_free(s);
}

TEST(test_what_happens_often_is_read_again)
{
	struct component *c = *state;
	long long before[N], after[N];
	struct slice *s;

	SKIP_IF_DISABLED(c);
	skip_if_refused(c, names);
	SKIP_IF_DISTORTED();
	s = busy_slice(c);
	for (int i = 0; i < 100; i++) {
		assert_true(read_plain(s, before));
		touch_fresh_pages();
		assert_true(read_plain(s, after));
		assert_int_equal(after[0] - before[0], PAGES);
	}
	assert_false(pe_tally_read(s->priv));
	slice_free(s);
}

TEST(test_stops_and_resets_go_on_from_there)
{
	struct component *c = *state;
	struct count counts[N], base[N];
	long long values[N];
	struct slice *s;

	SKIP_IF_DISABLED(c);
	skip_if_refused(c, names);
	SKIP_IF_DISTORTED();
	s = busy_slice(c);
	assert_int_equal(slice_stop(s, counts), 0);
	touch_fresh_pages(); /* not counted */
	assert_int_equal(slice_start(s, base), 0);
	assert_int_equal(base[0].value, counts[0].value);
	touch_fresh_pages();
	assert_true(c->ops->read_plain(s, base, values));
	assert_int_equal(values[0], PAGES);
	if (!c->ops->reset_plain(s, base, values)) /* a switch in between */
		assert_true(c->ops->reset_plain(s, base, values));
	assert_int_equal(values[0], PAGES);
	touch_fresh_pages();
	assert_true(c->ops->read_plain(s, base, values));
	assert_int_equal(values[0], PAGES);
	slice_free(s);
}

TEST(test_a_child_does_not_touch_the_buffer)
{
	struct component *c = *state;
	struct slice *s;
	int status;
	pid_t pid;

	SKIP_IF_DISABLED(c);
	skip_if_refused(c, names);
	s = busy_slice(c);
	pid = fork();
	if (pid == 0) {
		struct count counts[N];
		long long values[N];

		if (s->component->ops->read_plain(s, zero, values))
			_exit(1);
		_exit(slice_read(s, counts) || slice_stop(s, counts) ||
		      slice_start(s, counts));
	}
	waitpid(pid, &status, 0);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	slice_free(s);
}

/* Clocks do not happen one at a time; who counts others has no buffer. */
TEST(test_not_for_everything)
{
	struct component *c = *state;
	struct slice *s;

	SKIP_IF_DISABLED(c);
	skip_if_refused(c, names);
	s = closed_slice(c, names);
	assert_true(pe_tally_wanted(s));
	s->opt.inherit = true;
	assert_false(pe_tally_wanted(s));
	s->opt.inherit = false;
	s->thresholds[0] = 100;
	assert_false(pe_tally_wanted(s));
	slice_free(s);
	s = closed_slice(c,
			 (const char *[]){ "page-faults", "task-clock", NULL });
	assert_false(pe_tally_wanted(s));
	slice_free(s);
}

/* With a clock among them they are read by a call, times and all. */
TEST(test_resets_by_call_take_the_times_along)
{
	struct component *c = *state;
	struct count base[2], counts[2];
	long long values[2];
	struct slice *s;

	SKIP_IF_DISABLED(c);
	skip_if_refused(c, names);
	SKIP_IF_DISTORTED();
	s = open_slice(c,
		       (const char *[]){ "page-faults", "task-clock", NULL });
	assert_int_equal(slice_start(s, base), 0);
	touch_fresh_pages();
	assert_true(c->ops->reset_plain(s, base, values));
	assert_int_equal(values[0], PAGES);
	assert_true(values[1] > 0);
	assert_int_equal(slice_read(s, counts), 0);
	assert_true(counts[0].enabled_ns > base[0].enabled_ns);
	assert_true(counts[0].enabled_ns - base[0].enabled_ns <
		    base[0].enabled_ns);
	assert_true(c->ops->reset_plain(s, base, values));
	assert_int_equal(values[0], 0);
	slice_free(s);
}

RUN_ALL_TESTS_WITH(setup_component, free_component)
