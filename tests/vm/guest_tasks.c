/* SPDX-License-Identifier: BSD-3-Clause */
/* Whose counts they are: threads, children, other processes. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/vm/guest.h"

#define N 1000000
#define IS_ABOUT(value, due)                                                   \
	CHECK((value) >= (due) && (value) < (due) + 20000, "%lld, not %lld",   \
	      (long long)(value), (long long)(due))

static void *counting_thread(void *arg)
{
	uint64_t n = (uint64_t)(uintptr_t)arg;
	int set = guest_set((const char *[]){ "instructions", NULL });

	for (int i = 0; i < 5; i++) {
		long long value = 0;

		EXPECT(PAPI_OK, PAPI_start(set));
		guest_loop(n);
		EXPECT(PAPI_OK, PAPI_stop(set, &value));
		IS_ABOUT(value, (long long)(2 * n));
	}
	return NULL;
}

/* Four at once on one CPU: each sees its own loop only. */
static void threads_count_for_themselves(void)
{
	pthread_t threads[4];

	guest_init();
	EXPECT(PAPI_OK, PAPI_thread_init(pthread_self));
	for (uintptr_t i = 0; i < 4; i++)
		CHECK(!pthread_create(&threads[i], NULL, counting_thread,
				      (void *)(N * (i + 1))),
		      "pthread_create");
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
}

static int inheriting_set(void)
{
	PAPI_option_t option = { 0 };
	int set = PAPI_NULL;

	EXPECT(PAPI_OK, PAPI_create_eventset(&set));
	EXPECT(PAPI_OK, PAPI_assign_eventset_component(set, 0));
	option.inherit.inherit = PAPI_INHERIT_ALL;
	option.inherit.eventset = set;
	EXPECT(PAPI_OK, PAPI_set_opt(PAPI_INHERIT, &option));
	EXPECT(PAPI_OK, PAPI_add_named_event(set, "instructions"));
	return set;
}

static void *looping_thread(void *arg)
{
	(void)arg;
	guest_loop(N);
	return NULL;
}

static void children_are_inherited(void)
{
	long long value = 0;
	pthread_t thread;
	pid_t pid;
	int set;

	guest_init();
	set = inheriting_set();
	EXPECT(PAPI_OK, PAPI_start(set));
	guest_loop(N);
	pid = fork();
	if (pid == 0) {
		guest_loop(N);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	CHECK(!pthread_create(&thread, NULL, looping_thread, NULL), "thread");
	pthread_join(thread, NULL);
	EXPECT(PAPI_OK, PAPI_stop(set, &value));
	IS_ABOUT(value, 6 * N);
}

static void children_are_not_counted_else(void)
{
	long long value = 0;
	pid_t pid;
	int set;

	guest_init();
	set = guest_set((const char *[]){ "instructions", NULL });
	EXPECT(PAPI_OK, PAPI_start(set));
	pid = fork();
	if (pid == 0) {
		guest_loop(N);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	EXPECT(PAPI_OK, PAPI_stop(set, &value));
	CHECK(value < 20000, "%lld", value);
}

/* The child's use of the parent's set leaves the parent's counts alone. */
static void a_fork_does_not_disturb(void)
{
	long long value = 0;
	int set, status;
	pid_t pid;

	guest_init();
	set = guest_set((const char *[]){ "instructions", NULL });
	EXPECT(PAPI_OK, PAPI_start(set));
	guest_loop(N);
	pid = fork();
	if (pid == 0) {
		long long mine = 0;

		PAPI_stop(set, &mine);
		if (PAPI_start(set) != PAPI_OK)
			_exit(1);
		guest_loop(2 * N);
		if (PAPI_stop(set, &mine) != PAPI_OK)
			_exit(2);
		_exit(mine >= 4 * N && mine < 4 * N + 20000 ? 0 : 3);
	}
	waitpid(pid, &status, 0);
	CHECK(status == 0, "the child ends with %d", WEXITSTATUS(status));
	guest_loop(N);
	EXPECT(PAPI_OK, PAPI_stop(set, &value));
	IS_ABOUT(value, 4 * N);
}

static void another_process_is_attached(void)
{
	long long value = 0;
	int to[2], from[2], set = PAPI_NULL;
	char byte;
	pid_t pid;

	guest_init();
	CHECK(!pipe(to) && !pipe(from), "pipe");
	pid = fork();
	if (pid == 0) {
		if (read(to[0], &byte, 1) == 1)
			guest_loop(N);
		if (write(from[1], "x", 1) == 1 && read(to[0], &byte, 1) == 1)
			_exit(0);
		_exit(1);
	}
	EXPECT(PAPI_OK, PAPI_create_eventset(&set));
	EXPECT(PAPI_OK, PAPI_assign_eventset_component(set, 0));
	EXPECT(PAPI_OK, PAPI_attach(set, (unsigned long)pid));
	EXPECT(PAPI_OK, PAPI_add_named_event(set, "instructions"));
	EXPECT(PAPI_OK, PAPI_start(set));
	guest_loop(3 * N); /* not its */
	CHECK(write(to[1], "x", 1) == 1 && read(from[0], &byte, 1) == 1,
	      "the child does not answer");
	EXPECT(PAPI_OK, PAPI_stop(set, &value));
	IS_ABOUT(value, 2 * N);
	CHECK(write(to[1], "x", 1) == 1, "write");
	waitpid(pid, NULL, 0);
}

static void a_cpu_is_attached(void)
{
	PAPI_option_t option = { 0 };
	long long value = 0;
	int set = PAPI_NULL, status;
	pid_t pid;

	guest_init();
	EXPECT(PAPI_OK, PAPI_create_eventset(&set));
	EXPECT(PAPI_OK, PAPI_assign_eventset_component(set, 0));
	option.cpu.eventset = set;
	option.cpu.cpu_num = 0;
	EXPECT(PAPI_OK, PAPI_set_opt(PAPI_CPU_ATTACH, &option));
	EXPECT(PAPI_OK, PAPI_add_named_event(set, "instructions"));
	EXPECT(PAPI_OK, PAPI_start(set));
	pid = fork();
	if (pid == 0) {
		guest_loop(N);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	EXPECT(PAPI_OK, PAPI_stop(set, &value));
	CHECK(value >= 2 * N && value < 2 * N + 100000, "%lld", value);
}

static void *sized_thread(void *n)
{
	guest_loop((uintptr_t)n);
	return NULL;
}

/* A process that, once told, runs three threads, each with its own loop. */
static pid_t start_team(int *go)
{
	int ends[2];
	pid_t pid;

	CHECK(!pipe(ends), "pipe");
	pid = fork();
	if (pid == 0) {
		pthread_t threads[3];
		char byte;

		close(ends[1]);
		while (read(ends[0], &byte, 1) > 0)
			;
		for (uintptr_t i = 0; i < 3; i++)
			pthread_create(&threads[i], NULL, sized_thread,
				       (void *)(N * (i + 1)));
		for (int i = 0; i < 3; i++)
			pthread_join(threads[i], NULL);
		_exit(0);
	}
	close(ends[0]);
	*go = ends[1];
	return pid;
}

static struct {
	int n;
	double values[8];
} team;

static void keep_thread(const struct assay_thread *thread,
			const struct assay_value *values, void *data)
{
	(void)data;
	CHECK(team.n < 8, "too many threads");
	CHECK(values->quality == ASSAY_COUNTED, "thread %d is scaled",
	      thread->tid);
	team.values[team.n++] = values->value;
}

static void threads_of_another_process_are_told_apart(void)
{
	PAPI_option_t option = { 0 };
	int set = PAPI_NULL, go, err;
	pid_t pid = start_team(&go);
	long long sum = 0;

	guest_init();
	EXPECT(PAPI_OK, PAPI_create_eventset(&set));
	EXPECT(PAPI_OK, PAPI_assign_eventset_component(set, 0));
	EXPECT(PAPI_OK, PAPI_attach(set, (unsigned long)pid));
	option.inherit.inherit = PAPI_INHERIT_ALL;
	option.inherit.eventset = set;
	EXPECT(PAPI_OK, PAPI_set_opt(PAPI_INHERIT, &option));
	EXPECT(PAPI_OK, assay_set_per_thread(set));
	EXPECT(PAPI_OK, PAPI_add_named_event(set, "instructions"));
	EXPECT(PAPI_OK, PAPI_start(set));
	close(go);
	CHECK(waitpid(pid, NULL, 0) == pid, "waitpid");
	EXPECT(PAPI_OK, PAPI_stop(set, &sum));
	IS_ABOUT(sum, 12LL * N);
	err = assay_read_threads(set, keep_thread, NULL);
	if (err == PAPI_ENOSUPP) { /* Linux 6.1 */
		CHECK(strstr(assay_error(), "this kernel does not report"),
		      "%s", assay_error());
		return;
	}
	EXPECT(PAPI_OK, err);
	CHECK(team.n == 4, "%d threads", team.n);
	for (int i = 1; i < 4; i++)
		IS_ABOUT(team.values[i], 2LL * N * i);
	CHECK(team.values[0] + team.values[1] + team.values[2] +
			      team.values[3] ==
		      (double)sum,
	      "the sum is %lld", sum);
}

const struct guest_test tasks_tests[] = {
	{ "threads count for themselves", threads_count_for_themselves, false },
	{ "children are inherited", children_are_inherited, false },
	{ "children are not counted else", children_are_not_counted_else,
	  false },
	{ "a fork does not disturb", a_fork_does_not_disturb, false },
	{ "another process is attached", another_process_is_attached, false },
	{ "a CPU is attached", a_cpu_is_attached, false },
	{ "threads of another process are told apart",
	  threads_of_another_process_are_told_apart, false },
	{ NULL, NULL, false },
};
