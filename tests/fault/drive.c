/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An interface, call by call, while the n-th allocation or system call fails:
 * drive FOLDER KIND [STRIDE]. For each n there is a child, until n is more than
 * a whole round needs. The kind "signals" lets nothing fail, but interrupts a
 * number of rounds at every moment.
 *
 * A child must not crash or hang; a call that met the failure returns an error
 * code or does its work; and afterwards, with failures off, everything works
 * and neither memory nor a descriptor is lost.
 */
#include <dirent.h>
#include <ftw.h>
#include <papi.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/fault/faults.h"
#include "tests/fault/use.h"

#define CHILD_SECONDS 60

void note(struct round *r, int code, const char *call)
{
	if (code == PAPI_OK)
		return;
	if (!r->bad++)
		r->first = call;
}

static int count_descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	int n = 0;

	while (dir && readdir(dir))
		n++;
	if (dir)
		closedir(dir);
	return n;
}

enum {
	CHILD_FINE = 0,
	CHILD_PAST = 10, /* there is no n-th call */
	CHILD_BROKEN,    /* works no more after a failure */
	CHILD_LEAKS,
};

/* How many blocks of memory stay after a round without failures. */
static long measure_kept(void)
{
	long before = fault_live_blocks();
	struct round r = { 0 };

	use_library(&r);
	return fault_live_blocks() - before;
}

/* @cold: the failure meets the first use of the library in the process. */
static int child(enum fault_kind kind, unsigned long n, bool cold)
{
	struct round first = { 0 }, hit = { 0 }, after = { 0 };
	int before = count_descriptors(), happened;
	long blocks, kept = 0;

	alarm(CHILD_SECONDS);
	if (!cold) /* the first use keeps some memory for good */
		use_library(&first);
	if (!cold && use_keeps >= 0)
		kept = 2 * measure_kept() + use_keeps;
	blocks = fault_live_blocks() + kept;
	fault_arm(kind, n);
	use_library(&hit);
	happened = fault_disarm();
	if (!happened && hit.bad) {
		printf("without a failure: %s\n", hit.first);
		return CHILD_BROKEN;
	}
	use_library(&after);
	if (hit.spoilt || after.spoilt) {
		printf("%s %lu: %s\n", fault_names[kind], n,
		       hit.spoilt ? hit.spoilt : after.spoilt);
		return CHILD_BROKEN;
	}
	if (after.bad) {
		printf("after %s %lu (met by %s): %s\n", fault_names[kind], n,
		       hit.first ? hit.first : "no call", after.first);
		return CHILD_BROKEN;
	}
	if (count_descriptors() != before) {
		printf("after %s %lu: %d descriptors, not %d\n",
		       fault_names[kind], n, count_descriptors(), before);
		return CHILD_LEAKS;
	}
	if (!cold && fault_live_blocks() > blocks) {
		printf("after %s %lu (met by %s): %ld blocks lost\n",
		       fault_names[kind], n, hit.first ? hit.first : "no call",
		       fault_live_blocks() - blocks);
		return CHILD_LEAKS;
	}
	return happened ? CHILD_FINE : CHILD_PAST;
}

/* The exit status of a child for @n, or 128 plus its signal. */
static int run_child(enum fault_kind kind, unsigned long n, bool cold)
{
	pid_t pid;
	int status;

	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		int result = child(kind, n, cold);

		fflush(stdout);
		exit(result); /* as programs end: coverage is written then */
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return CHILD_BROKEN;
	if (!WIFSIGNALED(status))
		return WEXITSTATUS(status);
	printf("%s %lu: %s\n", fault_names[kind], n,
	       strsignal(WTERMSIG(status)));
	return 128 + WTERMSIG(status);
}

static int run_kind(enum fault_kind kind, bool cold, unsigned long stride)
{
	unsigned long n = 1, bad = 0, tried = 0;

	for (;; n += stride) {
		int status = run_child(kind, n, cold);

		tried++;
		if (status == CHILD_PAST)
			break;
		bad += status != CHILD_FINE;
		if (bad > 9) {
			puts("and so on");
			break;
		}
	}
	printf("%s, %s: %lu of about %lu calls failed in turn, %lu badly\n",
	       fault_names[kind], cold ? "first use" : "later use", tried, n,
	       bad);
	return bad ? 1 : 0;
}

static void on_tick(int signal)
{
	static atomic_ulong ticks;

	(void)signal;
	atomic_fetch_add(&ticks, 1);
}

/* A signal every 200 us, that interrupts calls unless @flags restarts them. */
static int start_ticks(int flags, timer_t *timer)
{
	struct sigaction action = { .sa_handler = on_tick, .sa_flags = flags };
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL,
				  .sigev_signo = SIGUSR2 };
	struct itimerspec every = { .it_interval.tv_nsec = 200000,
				    .it_value.tv_nsec = 200000 };

	return sigaction(SIGUSR2, &action, NULL) ||
	       timer_create(CLOCK_MONOTONIC, &event, timer) ||
	       timer_settime(*timer, 0, &every, NULL);
}

/* Everything works and nothing is lost while signals come all the time. */
static int under_signals(int flags, unsigned long rounds)
{
	struct round warm = { 0 }, r = { 0 };
	int before, after;
	timer_t timer;
	long blocks;

	use_library(&warm);
	before = count_descriptors();
	blocks = use_keeps < 0 ? 0 : measure_kept() * (long)rounds;
	blocks += fault_live_blocks();
	if (start_ticks(flags, &timer))
		return 1;
	for (unsigned long i = 0; i < rounds && !r.bad; i++)
		use_library(&r);
	timer_delete(timer);
	after = count_descriptors();
	if (r.bad)
		printf("interrupted: %s\n", r.first);
	if (after != before || fault_live_blocks() > blocks)
		printf("%d descriptors, not %d; %ld blocks lost\n", after,
		       before, fault_live_blocks() - blocks);
	return r.bad || r.spoilt || after != before ||
	       fault_live_blocks() > blocks;
}

static int remove_entry(const char *path, const struct stat *status, int kind,
			struct FTW *where)
{
	(void)status;
	(void)kind;
	(void)where;
	return remove(path);
}

/* In a child, whose end is an end of the library as well. */
static int run_signals(int flags, unsigned long rounds)
{
	pid_t pid = fork();
	int status;

	if (pid == 0)
		exit(under_signals(flags, rounds));
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return 1;
	return status != 0;
}

static int run(const char *what, unsigned long number)
{
	if (strcmp(what, "signals") == 0)
		return run_signals(SA_RESTART, number) | run_signals(0, number);
	for (enum fault_kind k = 0; k < FAULT_KINDS; k++)
		if (strcmp(what, fault_names[k]) == 0)
			return run_kind(k, true, number) |
			       run_kind(k, false, number);
	fprintf(stderr, "drive: no kind '%s'\n", what);
	return 2;
}

int main(int argc, char **argv)
{
	unsigned long number = argc > 3 ? strtoul(argv[3], NULL, 10) : 1;
	char scratch[] = "/tmp/assay-fault-XXXXXX";
	int status;

	if (argc < 3) {
		fputs("usage: drive FOLDER KIND [STRIDE]\n", stderr);
		return 2;
	}
	if (!mkdtemp(scratch)) {
		perror(scratch);
		return 2;
	}
	use_prepare(argv[1], scratch);
	status = run(argv[2], number ? number : 1);
	nftw(scratch, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
	return status;
}
