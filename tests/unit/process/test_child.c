/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs started and waited for: their status, signals and orphans. */
#include "tests/unit/testing.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/array.h"
#include "process/process.h"

static void exec_path(void *context, char **argv)
{
	(void)context;
	execvp(argv[0], argv);
}

static int run_shell(const char *script, struct child_result *result)
{
	char *argv[] = { (char *)"/bin/sh", (char *)"-c", (char *)script,
			 NULL };
	struct child child;

	assert_int_equal(child_start(&child, argv, exec_path, NULL), 0);
	return child_run(&child, NULL, result);
}

TEST(test_exit_status_is_passed_on)
{
	struct child_result result;

	assert_int_equal(run_shell("exit 7", &result), 0);
	assert_int_equal(result.status, 7);
	assert_true(result.wall_ns > 0);
	assert_true(result.usage.ru_maxrss > 0);
}

static double microseconds(struct timeval t)
{
	return 1e6 * (double)t.tv_sec + (double)t.tv_usec;
}

/* One thread cannot use more time than passes. */
TEST(test_what_the_child_used_before_is_not_the_programs)
{
	const size_t size = (size_t)32 << 20;
	char *block = malloc(size);

	assert_non_null(block);
	memset(block, 1, size); /* what a child of ours inherits */
	for (int i = 0; i < 50; i++) {
		struct child_result r;

		assert_int_equal(run_shell(":", &r), 0);
		assert_true(microseconds(r.usage.ru_utime) +
				    microseconds(r.usage.ru_stime) <=
			    (double)r.wall_ns / 1e3 + 2);
		assert_true(r.usage.ru_minflt > 0);
		assert_true(r.rss_before_kb >= (long)(size >> 10));
		assert_true(r.usage.ru_maxrss >= r.rss_before_kb);
	}
	free(block);
}

TEST(test_signals_are_128_and_their_number)
{
	struct child_result result;

	assert_int_equal(run_shell("kill -TERM $$", &result), 0);
	assert_int_equal(result.status, 128 + SIGTERM);
}

TEST(test_failed_exec_gives_its_errno)
{
	char *argv[] = { (char *)"/no/such/file", NULL };
	struct child child;
	struct child_result result;

	assert_int_equal(child_start(&child, argv, exec_path, NULL), 0);
	assert_int_equal(child_run(&child, NULL, &result), ENOENT);
}

TEST(test_nothing_runs_before_it_may)
{
	char path[] = "/tmp/test-child-XXXXXX";
	char *argv[] = { (char *)"/bin/rm", path, NULL };
	int fd = mkstemp(path);
	struct child child;
	struct child_result result;

	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(child_start(&child, argv, exec_path, NULL), 0);
	child_abandon(&child);
	assert_int_equal(access(path, F_OK), 0);

	assert_int_equal(child_start(&child, argv, exec_path, NULL), 0);
	assert_int_equal(child_run(&child, NULL, &result), 0);
	assert_int_equal(access(path, F_OK), -1);
}

TEST(test_orphans_do_not_run)
{
	char path[] = "/tmp/test-child-XXXXXX";
	char *argv[] = { (char *)"/bin/rm", path, NULL };
	int fd = mkstemp(path);
	struct child child;
	int status;

	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(child_start(&child, argv, exec_path, NULL), 0);
	close(child.go); /* as if the parent had died */
	close(child.told);
	assert_int_equal(waitpid(child.pid, &status, 0), child.pid);
	assert_int_equal(access(path, F_OK), 0);
	unlink(path);
}

TEST(test_signals_reach_the_child)
{
	static const struct {
		int line;
		int number;
		const char *name;
	} rows[] = {
		{ __LINE__, SIGINT, "INT" },   { __LINE__, SIGQUIT, "QUIT" },
		{ __LINE__, SIGTERM, "TERM" }, { __LINE__, SIGHUP, "HUP" },
		{ __LINE__, SIGUSR1, "USR1" }, { __LINE__, SIGUSR2, "USR2" },
	};

#ifdef __SANITIZE_THREAD__
	skip(); /* it holds signals back while a call waits */
#endif
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct child_result result;
		void (*before)(int);
		char script[128];

		snprintf(script, sizeof(script),
			 "trap 'exit 9' %s; kill -%s $PPID; "
			 "while :; do sleep 0.01; done",
			 rows[i].name, rows[i].name);
		/* a shell cannot trap what is ignored from the beginning */
		before = signal(rows[i].number, SIG_DFL);
		if (run_shell(script, &result) || result.status != 9)
			fail_msg("line %d: %d", rows[i].line, result.status);
		signal(rows[i].number, before);
	}
}

/* Waiting is not work; work of several at a time takes what passes. */
TEST(test_waiting_takes_no_time_of_ones_own)
{
	const struct child_result several = { .wall_ns = 1000000000,
					      .usage.ru_utime.tv_sec = 3 };
	struct child_result slept;

	assert_int_equal(run_shell("sleep 0.5", &slept), 0);
	assert_true(slept.wall_ns >= 500000000);
	assert_true(child_busy_seconds(&slept) < 0.4);
	assert_true(child_busy_seconds(&slept) > 0);
	assert_true(fabs(child_busy_seconds(&several) - 1) < 1e-9);
}

RUN_ALL_TESTS
