/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Start, read and stop take few system calls, whatever the number of events:
 * on; the counts; off and the counts. And what happens when descriptors run
 * out.
 */
#include <signal.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "tests/unit/components/perf_event/fixture.h"

static const char *const names[] = {
	"page-faults",      "task-clock",       "context-switches",
	"cpu-migrations",   "minor-faults",     "major-faults",
	"alignment-faults", "emulation-faults", NULL
};

/* Make one known call, so that the tracer sees where a section ends. */
static void mark(void)
{
	syscall(SYS_getppid);
}

/* The traced child: n events, sections between marks. */
static void traced(struct component *c, size_t n)
{
	struct count counts[8];
	const char *some[9] = { NULL };
	struct slice *s;

	memcpy(some, names, n * sizeof(*some));
	s = open_slice(c, some);
	slice_start(s, counts);
	slice_stop(s, counts);
	ptrace(PTRACE_TRACEME, 0, NULL, NULL);
	raise(SIGSTOP);
	mark();
	slice_start(s, counts);
	mark();
	slice_read(s, counts);
	mark();
	slice_stop(s, counts);
	mark();
	_exit(0);
}

/* Calls in each of the sections between marks; how many marks were seen. */
static int count_calls(pid_t pid, int *calls, int sections)
{
	int status, section = -1;
	bool entering = true;

	waitpid(pid, &status, 0);
	ptrace(PTRACE_SETOPTIONS, pid, NULL, PTRACE_O_TRACESYSGOOD);
	for (;;) {
		struct __ptrace_syscall_info info;

		ptrace(PTRACE_SYSCALL, pid, NULL, NULL);
		if (waitpid(pid, &status, 0) != pid || WIFEXITED(status) ||
		    WIFSIGNALED(status))
			return section;
		if (!WIFSTOPPED(status) || WSTOPSIG(status) != (SIGTRAP | 0x80))
			continue;
		if (entering) {
			ptrace(PTRACE_GET_SYSCALL_INFO, pid, sizeof(info),
			       &info);
			if (info.entry.nr == SYS_getppid)
				section++;
			else if (section >= 0 && section < sections)
				calls[section]++;
		}
		entering = !entering;
	}
}

TEST(test_few_calls)
{
	struct component *c = *state;
	static const size_t sizes[] = { 1, 4, 8 };
	static const int few[] = { 1, 1, 2 };

	SKIP_IF_DISABLED(c);
	skip_if_refused(c, names);
	for (size_t i = 0; i < 3; i++) {
		int calls[3] = { 0 };
		pid_t pid = fork();

		if (pid == 0)
			traced(c, sizes[i]);
		assert_int_equal(count_calls(pid, calls, 3), 3);
		for (int k = 0; k < 3; k++)
			assert_int_equal(calls[k], few[k]);
	}
}

/* All or nothing: a failed open leaves no descriptor behind. */
TEST(test_descriptors_run_out)
{
	struct component *c = *state;
	struct rlimit before, few;
	struct slice *s;
	int next, err;

	SKIP_IF_DISABLED(c);
	skip_if_refused(c, names);
	s = closed_slice(c, names);
	next = dup(0);
	close(next);
	getrlimit(RLIMIT_NOFILE, &before);
	few = before;
	few.rlim_cur = (rlim_t)next + 3;
	setrlimit(RLIMIT_NOFILE, &few);
	err = slice_open(s);
	setrlimit(RLIMIT_NOFILE, &before);
	assert_int_equal(err, PAPI_ESYS);
	assert_non_null(strstr(s->diag.text, "ulimit -n"));
	assert_int_equal(dup(0), next);
	close(next);
	assert_int_equal(slice_open(s), 0);
	slice_free(s);
}

TEST(test_no_pmu_is_said)
{
	struct component *c = *state;
	struct slice *s;

	SKIP_IF_DISABLED(c);
	if (c->pmu) {
		print_message("this machine has a PMU\n");
		skip();
	}
	s = closed_slice(c, (const char *[]){ "page-faults", "cycles", NULL });
	assert_int_equal(slice_open(s), PAPI_ENOEVNT);
	assert_non_null(strstr(s->diag.text, "no hardware PMU"));
	slice_free(s);
}

RUN_ALL_TESTS_WITH(setup_component, free_component)
