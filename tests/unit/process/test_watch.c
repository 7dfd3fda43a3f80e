/* SPDX-License-Identifier: BSD-3-Clause */
/* Timers, limits and signals while a process is waited for. */
#include "tests/unit/testing.h"

#include <signal.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "process/process.h"

#define MS 1000000u

static pid_t sleeper(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		pause();
		_exit(0);
	}
	assert_true(pid > 0);
	return pid;
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

struct seen {
	unsigned times;
	uint64_t last_ns;
	bool in_order;
	pid_t kill_at_third;
	volatile sig_atomic_t stop;
};

static void note(void *context, uint64_t elapsed_ns)
{
	struct seen *s = context;

	s->in_order = s->times == 0 || elapsed_ns > s->last_ns;
	s->last_ns = elapsed_ns;
	if (++s->times == 3 && s->kill_at_third)
		kill(s->kill_at_third, SIGKILL);
	else if (s->times == 3)
		s->stop = 1;
}

TEST(test_timers_fire_until_the_process_ends)
{
	struct seen seen = { .kill_at_third = sleeper() };
	struct watch watch = { .timers = { { MS, note, &seen } } };

	watch_process(seen.kill_at_third, &watch, clock_real_ns());
	assert_true(seen.times >= 3);
	assert_true(seen.in_order);
	assert_true(seen.last_ns >= 3 * MS);
	assert_int_equal(waitpid(seen.kill_at_third, NULL, WNOHANG),
			 seen.kill_at_third);
}

TEST(test_a_limit_ends_the_wait_and_not_the_process)
{
	struct watch watch = { .limit_ns = 5 * MS };
	uint64_t start = clock_real_ns();
	pid_t pid = sleeper();

	watch_process(pid, &watch, start);
	assert_true(clock_real_ns() - start >= 5 * MS);
	assert_int_equal(waitpid(pid, NULL, WNOHANG), 0);
	end(pid);
}

TEST(test_a_signal_handlers_wish_ends_the_wait)
{
	struct seen seen = { 0 };
	struct watch watch = { .timers = { { MS, note, &seen } },
			       .stop = &seen.stop };
	pid_t pid = sleeper();

	watch_process(pid, &watch, clock_real_ns());
	assert_true(seen.stop);
	end(pid);
}

TEST(test_a_process_that_is_gone_is_not_waited_for)
{
	struct watch watch = { .limit_ns = 0 };
	pid_t pid = sleeper();

	end(pid);
	watch_process(pid, &watch, clock_real_ns());
}

RUN_ALL_TESTS
