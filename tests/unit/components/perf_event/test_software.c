/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counting, on this machine, what every kernel can count: software events.
 * Skips where perf_event_open() is forbidden.
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "tests/unit/components/perf_event/fixture.h"

/* One fault a page, and at most one more for a new page table. */
TEST(test_page_faults_are_the_pages_touched)
{
	struct component *c = *state;
	struct count before, after;
	struct slice *s;

	SKIP_IF_DISABLED(c);
	SKIP_IF_DISTORTED();
	s = open_slice(c, (const char *[]){ "page-faults", NULL });
	for (int i = 0; i < 20; i++) {
		assert_int_equal(slice_start(s, &before), 0);
		touch_fresh_pages();
		assert_int_equal(slice_stop(s, &after), 0);
		if (i > 0) /* the first brings in the code itself */
			assert_in_range(after.value - before.value, PAGES,
					PAGES + 1);
	}
	slice_free(s);
}

TEST(test_nothing_counts_between_stop_and_start)
{
	struct component *c = *state;
	struct count first, second;
	struct slice *s;

	SKIP_IF_DISABLED(c);
	s = open_slice(c, (const char *[]){ "faults", NULL });
	assert_int_equal(slice_start(s, &first), 0);
	assert_int_equal(slice_stop(s, &first), 0);
	touch_fresh_pages();
	assert_int_equal(slice_start(s, &second), 0);
	assert_int_equal(second.value, first.value);
	assert_int_equal(second.enabled_ns, first.enabled_ns);
	slice_free(s);
}

#define SLEEPS 25

/* Others may take the thread off its CPU as well. */
TEST(test_context_switches_are_counted_by_default)
{
	struct component *c = *state;
	struct count before, after;
	struct slice *s;

	SKIP_IF_DISABLED(c);
	skip_if_refused(c, (const char *[]){ "context-switches", NULL });
	s = open_slice(c, (const char *[]){ "context-switches", NULL });
	assert_int_equal(slice_start(s, &before), 0);
	leave_cpu(SLEEPS);
	assert_int_equal(slice_stop(s, &after), 0);
	assert_true(after.value - before.value >= SLEEPS);
	assert_true(after.value - before.value < SLEEPS + 500);
	slice_free(s);
}

TEST(test_a_group_keeps_its_order)
{
	struct component *c = *state;
	struct count before[3], after[3];
	struct slice *s;

	SKIP_IF_DISABLED(c);
	SKIP_IF_DISTORTED();
	s = open_slice(c, (const char *[]){ "perf::TASK-CLOCK", "minor-faults",
					    "dummy", NULL });
	assert_int_equal(slice_start(s, before), 0);
	touch_fresh_pages();
	assert_int_equal(slice_read(s, after), 0);
	assert_in_range(after[1].value - before[1].value, PAGES, PAGES + 4);
	assert_int_equal(after[2].value, 0);
	assert_true(after[0].value - before[0].value > 1000);
	assert_int_equal(after[0].enabled_ns, after[0].running_ns);
	assert_int_equal(slice_stop(s, after), 0);
	slice_free(s);
}

TEST(test_a_child_counts_for_itself)
{
	struct component *c = *state;
	struct count before, after;
	struct slice *s;
	int status;
	pid_t pid;

	SKIP_IF_DISABLED(c);
	s = open_slice(c, (const char *[]){ "page-faults", NULL });
	assert_int_equal(slice_start(s, &before), 0);
	assert_int_equal(slice_stop(s, &before), 0);
	pid = fork();
	if (pid == 0) {
		struct count a, b;
		int bad = slice_start(s, &a);

		touch_fresh_pages();
		bad |= slice_stop(s, &b);
		bad |= a.value != before.value;
		bad |= b.value - a.value < PAGES;
		slice_free(s);
		_exit(bad ? 1 : 0);
	}
	waitpid(pid, &status, 0);
	assert_int_equal(status, 0);
	assert_int_equal(slice_start(s, &after), 0);
	assert_int_equal(after.value, before.value);
	touch_fresh_pages();
	assert_int_equal(slice_stop(s, &after), 0);
	assert_true(after.value - before.value >= PAGES);
	slice_free(s);
}

TEST(test_children_are_counted_when_inherited)
{
	struct component *c = *state;
	struct count before, after;
	struct slice *s;
	size_t i;
	pid_t pid;

	SKIP_IF_DISABLED(c);
	assert_int_equal(slice_new(c, &s), 0);
	assert_int_equal(component_find_event(c, "faults", &i, NULL), 0);
	assert_int_equal(slice_append(s, i), 0);
	s->opt.inherit = true;
	assert_int_equal(slice_open(s), 0);
	assert_int_equal(slice_start(s, &before), 0);
	pid = fork();
	if (pid == 0) {
		touch_fresh_pages();
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	assert_int_equal(slice_stop(s, &after), 0);
	assert_true(after.value - before.value >= PAGES);
	slice_free(s);
}

/*
 * A child that waits for a byte, touches pages and says so. It has begun when
 * this returns: the faults of a fork, which a sanitizer adds to, are behind it.
 */
static pid_t start_victim(int *go, int *done)
{
	int to[2], from[2];
	char byte;
	pid_t pid;

	assert_int_equal(pipe(to), 0);
	assert_int_equal(pipe(from), 0);
	pid = fork();
	if (pid == 0) {
		close(to[1]);
		if (write(from[1], "x", 1) == 1 && read(to[0], &byte, 1) == 1)
			touch_fresh_pages();
		if (write(from[1], "x", 1) == 1 && read(to[0], &byte, 1) == 1)
			_exit(0);
		_exit(1);
	}
	close(to[0]);
	close(from[1]);
	*go = to[1];
	*done = from[0];
	assert_int_equal(read(*done, &byte, 1), 1);
	return pid;
}

TEST(test_attaches_to_another_process)
{
	struct component *c = *state;
	struct count before, after;
	struct slice *s;
	int go, done;
	char byte;
	size_t i;
	pid_t pid;

	SKIP_IF_DISABLED(c);
	SKIP_IF_DISTORTED();
	pid = start_victim(&go, &done);
	assert_int_equal(slice_new(c, &s), 0);
	assert_int_equal(component_find_event(c, "faults", &i, NULL), 0);
	assert_int_equal(slice_append(s, i), 0);
	s->opt.target = TARGET_TASK;
	s->opt.tid = pid;
	assert_int_equal(slice_open(s), 0);
	assert_int_equal(slice_start(s, &before), 0);
	assert_int_equal(write(go, "x", 1), 1);
	assert_int_equal(read(done, &byte, 1), 1);
	assert_int_equal(slice_stop(s, &after), 0);
	assert_in_range(after.value - before.value, PAGES, PAGES + 100);
	assert_int_equal(write(go, "x", 1), 1);
	waitpid(pid, NULL, 0);
	close(go);
	close(done);
	slice_close(s);
	assert_int_equal(slice_open(s), PAPI_EINVAL);
	assert_non_null(strstr(s->diag.text, "no thread or process"));
	slice_free(s);
}

/* Names are found, slices opened and counts read by many threads at once. */
static void *cycle(void *arg)
{
	struct component *c = arg;
	bool bad = false;

	for (int i = 0; i < 20; i++) {
		struct slice *s = NULL;
		struct count counts[2];
		char name[32];
		size_t own = 0, shared = 0;

		snprintf(name, sizeof(name), "r%lx%02x",
			 (unsigned long)gettid(), i);
		bad |= component_find_event(c, name, &own, NULL) != 0;
		bad |= component_find_event(c, "faults", &shared, NULL) != 0;
		bad |= slice_new(c, &s) || slice_append(s, shared);
		bad |= slice_open(s) != 0;
		for (int k = 0; k < 10 && !bad; k++)
			bad = slice_start(s, counts) || slice_read(s, counts) ||
			      slice_stop(s, counts);
		slice_free(s);
	}
	return bad ? arg : NULL;
}

#define THREADS 30

TEST(test_threads_do_not_meet)
{
	struct component *c = *state;
	pthread_t threads[THREADS];

	SKIP_IF_DISABLED(c);
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, cycle, c),
				 0);
	for (int i = 0; i < THREADS; i++) {
		void *bad = NULL;

		pthread_join(threads[i], &bad);
		assert_null(bad);
	}
}

RUN_ALL_TESTS_WITH(setup_component, free_component)
