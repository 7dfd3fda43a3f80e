/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two channels hold a child between fork and exec. It runs when a byte comes
 * through "go"; "told" brings what it had used by then, and is closed by a
 * successful exec, or brings the errno.
 * "go" is a socket because writing to a pipe whose reader died is a signal.
 */

#include "process/process.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/array.h"
#include "base/clock.h"

/*
 * Wait for a byte; 0 or errno. If the parent is gone so is the reason to run.
 */
static int hold(int go)
{
	char byte;
	ssize_t n;

	do {
		n = read(go, &byte, 1);
	} while (n < 0 && errno == EINTR);
	if (n == 0)
		_exit(125);
	return n < 0 ? errno : 0;
}

/* 0 or errno. */
static int let_go(int go)
{
	ssize_t n;
	int error;

	do {
		n = send(go, "g", 1, MSG_NOSIGNAL);
	} while (n < 0 && errno == EINTR);
	error = n < 0 ? errno : 0;
	close(go);
	return error;
}

/* A parent that is gone needs no answer, and no child. */
static void tell(int to, const void *what, size_t size)
{
	if (write(to, what, size) != (ssize_t)size)
		_exit(125);
}

static void be_child(const int *go, const int *told, char **argv,
		     child_exec_fn exec, void *context)
{
	struct rusage used;
	int error;

	close(go[1]);
	close(told[0]);
	error = hold(go[0]);
	getrusage(RUSAGE_SELF, &used);
	tell(told[1], &used, sizeof(used));
	if (!error) {
		exec(context, argv);
		error = errno;
	}
	tell(told[1], &error, sizeof(error));
	_exit(127);
}

int child_start(struct child *child, char **argv, child_exec_fn exec,
		void *context)
{
	int go[2], told[2];
	int error;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, go))
		return errno;
	if (pipe2(told, O_CLOEXEC)) {
		error = errno;
		goto close_go;
	}
	child->pid = fork();
	if (child->pid < 0) {
		error = errno;
		goto close_told;
	}
	if (child->pid == 0)
		be_child(go, told, argv, exec, context);
	close(go[0]);
	close(told[1]);
	child->go = go[1];
	child->told = told[0];
	return 0;

close_told:
	close(told[0]);
	close(told[1]);
close_go:
	close(go[0]);
	close(go[1]);
	return error;
}

/*
 * The child that signals are passed to. A handler has no context, so this is
 * the one thing here that has to be global.
 */
static volatile sig_atomic_t passed_to;

/*
 * Whether a key was pressed: the terminal sends to every process of the group
 * in the foreground, so the child has had its own. Of what other processes
 * send, nothing tells whether it was meant for us alone, so it is passed on.
 */
static bool is_of_keyboard(int signal, const siginfo_t *info)
{
	return (signal == SIGINT || signal == SIGQUIT) &&
	       info->si_code == SI_KERNEL;
}

static void pass_on(int signal, siginfo_t *info, void *context)
{
	int error = errno;

	(void)context;
	if (passed_to > 0 && !is_of_keyboard(signal, info))
		kill((pid_t)passed_to, signal);
	errno = error;
}

static const int passed_signals[] = {
	SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2,
};

struct handlers {
	struct sigaction old[ARRAY_SIZE(passed_signals)];
};

static void set_handlers(struct handlers *h, pid_t pid)
{
	passed_to = (sig_atomic_t)pid;
	for (size_t i = 0; i < ARRAY_SIZE(passed_signals); i++) {
		struct sigaction action = {
			.sa_sigaction = pass_on,
			.sa_flags = SA_RESTART | SA_SIGINFO,
		};

		sigaction(passed_signals[i], &action, &h->old[i]);
	}
}

static void restore_handlers(const struct handlers *h)
{
	for (size_t i = 0; i < ARRAY_SIZE(passed_signals); i++)
		sigaction(passed_signals[i], &h->old[i], NULL);
	passed_to = 0;
}

/* Whether the child told it, and all of it. */
static bool hear(int told, void *what, size_t size)
{
	ssize_t n;

	do {
		n = read(told, what, size);
	} while (n < 0 && errno == EINTR);
	return n == (ssize_t)size;
}

/* What the child used before exec is ours, not the program's. */
static void subtract(struct rusage *all, const struct rusage *ours)
{
	timersub(&all->ru_utime, &ours->ru_utime, &all->ru_utime);
	timersub(&all->ru_stime, &ours->ru_stime, &all->ru_stime);
	all->ru_minflt -= ours->ru_minflt;
	all->ru_majflt -= ours->ru_majflt;
	all->ru_nvcsw -= ours->ru_nvcsw;
	all->ru_nivcsw -= ours->ru_nivcsw;
}

static int shell_status(int status)
{
	if (WIFSIGNALED(status))
		return 128 + WTERMSIG(status);
	return WEXITSTATUS(status);
}

/* Let the child go and exec; @heard: whether it told what it had used. */
static int let_exec(const struct child *child, struct rusage *ours, bool *heard)
{
	int error = let_go(child->go);

	*heard = !error && hear(child->told, ours, sizeof(*ours));
	if (error)
		kill(child->pid, SIGKILL);
	else if (*heard && !hear(child->told, &error, sizeof(error)))
		error = 0;
	close(child->told);
	return error;
}

int child_run(struct child *child, const struct watch *watch,
	      struct child_result *result)
{
	struct handlers handlers;
	struct rusage ours = { 0 };
	bool heard;
	uint64_t start;
	int status = 0;
	int error;

	memset(result, 0, sizeof(*result));
	result->pid = child->pid;
	set_handlers(&handlers, child->pid);
	start = clock_real_ns();
	error = let_exec(child, &ours, &heard);
	if (watch && !error)
		watch_process(child->pid, watch, start);
	while (wait4(child->pid, &status, 0, &result->usage) < 0 &&
	       errno == EINTR)
		continue;
	if (!error && !heard && WIFEXITED(status))
		error = EIO; /* it could not tell, and did not exec */
	result->wall_ns = clock_real_ns() - start;
	subtract(&result->usage, &ours);
	result->rss_before_kb = ours.ru_maxrss;
	restore_handlers(&handlers);
	result->status = shell_status(status);
	return error;
}

static double seconds_of(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec * 1e-6;
}

double child_busy_seconds(const struct child_result *result)
{
	return fmin((double)result->wall_ns * 1e-9,
		    seconds_of(result->usage.ru_utime) +
			    seconds_of(result->usage.ru_stime));
}

void child_abandon(struct child *child)
{
	kill(child->pid, SIGKILL);
	close(child->go);
	close(child->told);
	while (waitpid(child->pid, NULL, 0) < 0 && errno == EINTR)
		continue;
}
