/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Inherited events are read without system calls, however many children there
 * are, and what is read is what the kernel says, before, across and after that.
 */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "components/perf_event/slice.h"
#include "components/perf_event/tally.h"
#include "components/perf_event/twins.h"
#include "tests/unit/components/perf_event/fixture.h"

extern char **environ;

static const char *const names[] = { "page-faults", "minor-faults", NULL };

enum {
	N = 2,
	OFTEN = 200
};

static const struct count zero[N];

static struct slice *inherited_slice(struct component *c)
{
	struct count counts[N];
	struct slice *s = closed_slice(c, names);

	s->opt.inherit = true;
	if (slice_open(s))
		fail_msg("%s", s->diag.text);
	assert_int_equal(slice_start(s, counts), 0);
	return s;
}

static bool is_read_without_call(const struct slice *s)
{
	struct pe_slice *ps = s->priv;

	return ps->tally && pe_tally_read(ps);
}

/* Read until it is read without system calls. */
static void read_often(struct slice *s)
{
	long long values[N];

	for (int i = 0; i < OFTEN && !is_read_without_call(s); i++)
		assert_true(s->component->ops->read_plain(s, zero, values));
}

static struct slice *busy_slice(struct component *c)
{
	struct slice *s = inherited_slice(c);
	struct pe_slice *ps = s->priv;

	touch_fresh_pages(); /* a sanitizer's pages for these are there now */
	read_often(s);
	if (!ps->tally) {
		print_message("the kernel lends no buffer\n");
		slice_free(s);
		skip();
	}
	assert_true(is_read_without_call(s));
	return s;
}

/* The faults so far, read in the short way; the kernel says the same. */
static long long faults(struct slice *s)
{
	struct count before[N], after[N];
	long long values[N];

	do {
		assert_int_equal(slice_read(s, before), 0);
		assert_true(s->component->ops->read_plain(s, zero, values));
		assert_int_equal(slice_read(s, after), 0);
	} while (before[0].value != after[0].value);
	assert_int_equal(values[0], after[0].value);
	return values[0];
}

TEST(test_alone_it_is_exact_and_without_calls)
{
	struct component *c = *state;
	long long before;
	struct slice *s;

	SKIP_IF_DISABLED(c);
	skip_if_refused(c, names);
	SKIP_IF_DISTORTED();
	s = busy_slice(c);
	before = faults(s);
	touch_fresh_pages();
	assert_int_equal(faults(s) - before, PAGES);
	read_often(s); /* not given up: it agreed with the kernel */
	assert_true(is_read_without_call(s));
	slice_free(s);
}

static void *touch_in_thread(void *unused)
{
	touch_fresh_pages();
	return unused;
}

static void by_thread(void)
{
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, touch_in_thread, NULL),
			 0);
	pthread_join(thread, NULL);
}

static void finish(pid_t pid)
{
	if (pid == 0) {
		touch_fresh_pages();
		_exit(0);
	}
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static void by_fork(void)
{
	finish(fork());
}

/* Behind the C library's back: nobody is told. */
static void by_raw_fork(void)
{
	finish((pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0));
}

/* More than PAGES faults, in any shell. */
static void by_spawn(void)
{
	char sh[] = "sh", c[] = "-c", nothing[] = ":;:";
	char *words[] = { sh, c, nothing, NULL };
	pid_t pid;

	for (int i = 0; i < 20; i++) {
		assert_int_equal(posix_spawn(&pid, "/bin/sh", NULL, NULL, words,
					     environ),
				 0);
		assert_int_equal(waitpid(pid, NULL, 0), pid);
	}
}

TEST(test_children_of_every_kind_are_counted)
{
	static void (*const ways[])(void) = { by_thread, by_fork, by_raw_fork,
					      by_spawn };
	struct component *c = *state;

	SKIP_IF_DISABLED(c);
	skip_if_refused(c, names);
	SKIP_IF_DISTORTED();
	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		struct slice *s = busy_slice(c);
		long long before = faults(s);

		ways[i]();
		read_often(s);
		assert_true(is_read_without_call(s));
		assert_true(faults(s) - before >= PAGES);
		before = faults(s);
		touch_fresh_pages();
		assert_int_equal(faults(s) - before, PAGES);
		slice_free(s);
	}
}

struct helper {
	struct slice *s;
	pthread_barrier_t opened;
	pthread_barrier_t seen;
	bool without_call;
	long long faults;
};

static void *read_from_elsewhere(void *data)
{
	struct helper *h = data;

	pthread_barrier_wait(&h->opened);
	touch_fresh_pages(); /* was there before, so is not counted */
	h->without_call = is_read_without_call(h->s);
	h->faults = faults(h->s);
	pthread_barrier_wait(&h->seen);
	return NULL;
}

/* It is nobody's child that counts here, and may read all the same. */
TEST(test_an_older_thread_reads_the_same)
{
	struct component *c = *state;
	struct helper h = { 0 };
	pthread_t thread;

	SKIP_IF_DISABLED(c);
	skip_if_refused(c, names);
	SKIP_IF_DISTORTED();
	pthread_barrier_init(&h.opened, NULL, 2);
	pthread_barrier_init(&h.seen, NULL, 2);
	assert_int_equal(pthread_create(&thread, NULL, read_from_elsewhere, &h),
			 0);
	h.s = busy_slice(c);
	faults(h.s);
	pthread_barrier_wait(&h.opened);
	pthread_barrier_wait(&h.seen);
	assert_true(h.without_call);
	assert_int_equal(faults(h.s), h.faults);
	pthread_join(thread, NULL);
	slice_free(h.s);
}

/* What happens often is read by calls, and without again later. */
TEST(test_it_goes_and_comes)
{
	struct component *c = *state;
	long long values[N], before;
	struct slice *s;

	SKIP_IF_DISABLED(c);
	skip_if_refused(c, names);
	SKIP_IF_DISTORTED();
	s = busy_slice(c);
	before = faults(s);
	for (int i = 0; i < 200; i++) {
		touch_fresh_pages();
		assert_true(c->ops->read_plain(s, zero, values));
	}
	assert_int_equal(values[0] - before, 200 * PAGES);
	assert_false(is_read_without_call(s));
	read_often(s);
	assert_true(is_read_without_call(s));
	assert_int_equal(faults(s) - before, 200 * PAGES);
	slice_free(s);
}

/* Much that happens once, as when a program creates its threads, is no reason
 * to read by calls. */
TEST(test_a_burst_does_not_end_it)
{
	struct component *c = *state;
	struct slice *s;

	SKIP_IF_DISABLED(c);
	skip_if_refused(c, names);
	SKIP_IF_DISTORTED();
	s = busy_slice(c);
	for (int i = 0; i < 200; i++)
		touch_fresh_pages();
	for (int i = 0; i < 200; i++)
		assert_true(is_read_without_call(s));
	slice_free(s);
}

/* In the child the buffers are not there, and nothing may look at them. */
TEST(test_a_child_leaves_them_alone)
{
	struct component *c = *state;
	struct slice *s;

	SKIP_IF_DISABLED(c);
	skip_if_refused(c, names);
	s = busy_slice(c);
	for (int raw = 0; raw < 2; raw++) {
		pid_t pid = raw ? (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0)
				: fork();
		int status;

		if (pid == 0) {
			struct count counts[N];
			long long values[N];

			if (c->ops->read_plain(s, zero, values))
				_exit(1);
			_exit(slice_read(s, counts) || slice_stop(s, counts) ||
			      slice_start(s, counts));
		}
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_int_equal(status, 0);
	}
	slice_free(s);
}

RUN_ALL_TESTS_WITH(setup_component, free_component)
