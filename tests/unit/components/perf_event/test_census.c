/* SPDX-License-Identifier: BSD-3-Clause */
/* What each thread of another process counted. */
#include <pthread.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "tests/unit/components/perf_event/fixture.h"

#define TEAM 6

static const char *const names[] = { "page-faults", "context-switches",
				     "task-clock", NULL };

enum {
	N = 3
};

/* Thread i touches PAGES fresh pages i times, and leaves the CPU as often. */
static void *work(void *times)
{
	prctl(PR_SET_NAME, times == (void *)2 ? "second" : "worker");
	for (long i = 0; i < (long)times; i++) {
		touch_fresh_pages();
		leave_cpu(1);
	}
	return NULL;
}

/* The process that is counted: it begins when told, @fd is closed. */
static void team(int fd)
{
	pthread_t threads[TEAM];
	char byte;

	while (read(fd, &byte, 1) > 0)
		;
	for (long i = 0; i < TEAM; i++)
		pthread_create(&threads[i], NULL, work, (void *)(i + 1));
	for (int i = 0; i < TEAM; i++)
		pthread_join(threads[i], NULL);
	_exit(0);
}

static struct {
	int n;
	pid_t tid[TEAM + 2];
	char name[TEAM + 2][16];
	struct count counts[TEAM + 2][N];
} seen;

static int look(const struct thread_counts *t, void *data)
{
	(void)data;
	assert_true(seen.n < TEAM + 2);
	seen.tid[seen.n] = t->tid;
	snprintf(seen.name[seen.n], sizeof(seen.name[0]), "%s", t->name);
	memcpy(seen.counts[seen.n], t->counts, sizeof(seen.counts[0]));
	seen.n++;
	return 0;
}

/* How many threads have touched pages @times times, give or take a few. */
static int with_faults(long times)
{
	int found = 0;

	for (int i = 1; i < seen.n; i++) {
		uint64_t more =
			seen.counts[i][0].value - (uint64_t)times * PAGES;

		if (more < PAGES / 2 &&
		    seen.counts[i][1].value >= (uint64_t)times)
			found++;
	}
	return found;
}

TEST(test_threads_have_their_own)
{
	struct component *c = *state;
	struct count counts[N];
	uint64_t sum[N] = { 0 };
	struct slice *s;
	int pipe_fds[2];
	pid_t pid;

	SKIP_IF_DISABLED(c);
	skip_if_refused(c, names);
	SKIP_IF_DISTORTED();
	memset(&seen, 0, sizeof(seen));
	assert_int_equal(pipe(pipe_fds), 0);
	pid = fork();
	if (pid == 0) {
		close(pipe_fds[1]);
		team(pipe_fds[0]);
	}
	s = closed_slice(c, names);
	s->opt.target = TARGET_TASK;
	s->opt.tid = pid;
	s->opt.inherit = true;
	s->opt.per_thread = true;
	if (slice_open(s))
		fail_msg("%s", s->diag.text);
	assert_int_equal(slice_start(s, counts), 0);
	close(pipe_fds[0]);
	close(pipe_fds[1]);
	waitpid(pid, NULL, 0);
	assert_int_equal(slice_stop(s, counts), 0);
	assert_int_equal(c->ops->threads(s, look, NULL), 0);
	assert_int_equal(seen.n, TEAM + 1);
	assert_int_equal(seen.tid[0], pid);
	for (int i = 0; i < seen.n; i++) {
		for (int e = 0; e < N; e++) {
			sum[e] += seen.counts[i][e].value;
			assert_int_equal(seen.counts[i][e].enabled_ns,
					 seen.counts[i][e].running_ns);
		}
	}
	for (int e = 0; e < N; e++) {
		assert_int_equal(sum[e], counts[e].value);
		assert_int_equal(counts[e].enabled_ns, counts[e].running_ns);
	}
	for (long times = 1; times <= TEAM; times++)
		assert_int_equal(with_faults(times), 1);
	for (int i = 1; i < seen.n; i++)
		assert_string_equal(seen.name[i],
				    seen.counts[i][0].value / PAGES == 2
					    ? "second"
					    : "worker");
	slice_free(s);
}

TEST(test_only_for_others_that_inherit)
{
	struct component *c = *state;
	struct slice *s;

	SKIP_IF_DISABLED(c);
	skip_if_refused(c, names);
	s = closed_slice(c, names);
	s->opt.per_thread = true;
	assert_int_equal(slice_open(s), PAPI_EINVAL);
	assert_non_null(strstr(s->diag.text, "inherited"));
	s->opt.per_thread = false;
	assert_int_equal(slice_open(s), 0);
	assert_int_equal(c->ops->threads(s, look, NULL), PAPI_ENOSUPP);
	slice_free(s);
}

RUN_ALL_TESTS_WITH(setup_component, free_component)
