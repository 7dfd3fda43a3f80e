/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An interface, call by call, while the n-th allocation or system call fails:
 * drive FOLDER KIND [STRIDE]. For each n there is a child, until n is more than
 * a whole round needs. With "ways" for a stride, the n-th way to such a call:
 * each is taken once, however often the calls of a round come by it. The kind
 * "signals" lets nothing fail, but interrupts a number of rounds at every
 * moment.
 *
 * A child must not crash or hang; a call that met the failure returns an error
 * code or does its work; and afterwards, with failures off, everything works
 * and neither memory nor a descriptor is lost.
 */
#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <papi.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <assay/assay.h>

#include "tests/fault/faults.h"
#include "tests/fault/use.h"

#define CHILD_SECONDS 60
#define CHILDREN      4 /* at once: they mostly wait for the kernel */

static const char *folder;  /* of definitions */
static const char *scratch; /* of files */

void note(struct round *r, int code, const char *call)
{
	if (code == PAPI_OK || r->bad++)
		return;
	r->first = call;
	snprintf(r->why, sizeof(r->why), "%s", assay_error());
}

pid_t make_waiting(int *go)
{
	int ends[2];
	char byte;
	pid_t pid;

	if (pipe(ends))
		return -1;
	pid = fork();
	if (pid == 0) {
		fault_disarm(); /* it is the caller that is to fail */
		close(ends[1]);
		while (read(ends[0], &byte, 1) < 0 && errno == EINTR)
			;
		execl("/bin/true", "true", (char *)NULL);
		_exit(127);
	}
	close(ends[0]);
	*go = ends[1];
	return pid;
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

/* One round to be hit by a failure. */
struct attempt {
	enum fault_kind kind;
	unsigned long n;
	bool cold;   /* the first use of the library in the process */
	bool by_way; /* the n-th way, not the n-th call */
};

/* What is to be said of @r after a failure; CHILD_FINE if nothing. */
static int judge(const struct attempt *a, const struct round *hit,
		 const struct round *after)
{
	const char *name = fault_names[a->kind];

	if (hit->spoilt || after->spoilt) {
		printf("%s %lu: %s\n", name, a->n,
		       hit->spoilt ? hit->spoilt : after->spoilt);
		return CHILD_BROKEN;
	}
	if (after->bad) {
		printf("after %s %lu (met by %s): %s: %s\n", name, a->n,
		       hit->first ? hit->first : "no call", after->first,
		       after->why);
		return CHILD_BROKEN;
	}
	return CHILD_FINE;
}

/* What is lost after a failure; CHILD_FINE if nothing. */
static int judge_rest(const struct attempt *a, const struct round *hit,
		      int descriptors, long blocks)
{
	const char *name = fault_names[a->kind];

	if (count_descriptors() != descriptors) {
		printf("after %s %lu: %d descriptors, not %d\n", name, a->n,
		       count_descriptors(), descriptors);
		return CHILD_LEAKS;
	}
	if (!a->cold && fault_live_blocks() > blocks) {
		printf("after %s %lu (met by %s): %ld blocks lost\n", name,
		       a->n, hit->first ? hit->first : "no call",
		       fault_live_blocks() - blocks);
		return CHILD_LEAKS;
	}
	return CHILD_FINE;
}

static int child(const struct attempt *a)
{
	struct round first = { 0 }, hit = { 0 }, after = { 0 };
	int before = count_descriptors(), happened, result;
	long blocks, kept = 0;

	alarm(CHILD_SECONDS);
	/* The first use keeps some memory for good, and the second does where
	 * the first has loaded a library: the list of them is another one. */
	for (int i = 0; !a->cold && i < 2; i++)
		use_library(&first);
	if (!a->cold && use_keeps >= 0)
		kept = 2 * measure_kept() + use_keeps;
	blocks = fault_live_blocks() + kept;
	if (a->by_way)
		fault_arm_way(a->kind, a->n);
	else
		fault_arm(a->kind, a->n);
	use_library(&hit);
	happened = fault_disarm();
	if (!happened && hit.bad) {
		printf("without a failure: %s: %s\n", hit.first, hit.why);
		return CHILD_BROKEN;
	}
	use_library(&after);
	result = judge(a, &hit, &after);
	if (!result)
		result = judge_rest(a, &hit, before, blocks);
	return result || happened ? result : CHILD_PAST;
}

static pid_t start_child(const struct attempt *a)
{
	char place[4096];
	pid_t pid;
	int result;

	fflush(stdout);
	pid = fork();
	if (pid)
		return pid;
	snprintf(place, sizeof(place), "%s/%lu%s", scratch, a->n,
		 a->cold ? "c" : "w");
	if (mkdir(place, 0700)) {
		perror(place);
		exit(CHILD_BROKEN);
	}
	use_prepare(folder, place);
	result = child(a);
	fflush(stdout);
	exit(result); /* as programs end: coverage is written then */
}

/* The exit status of a child, or 128 plus its signal. */
static int end_child(pid_t pid, const struct attempt *a)
{
	int status;

	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return CHILD_BROKEN;
	if (!WIFSIGNALED(status))
		return WEXITSTATUS(status);
	printf("%s %lu: %s\n", fault_names[a->kind], a->n,
	       strsignal(WTERMSIG(status)));
	return 128 + WTERMSIG(status);
}

/* @stride 0: by ways. */
static int run_kind(enum fault_kind kind, bool cold, unsigned long stride)
{
	unsigned long bad = 0, started = 0, ended = 0;
	struct attempt a[CHILDREN];
	pid_t pids[CHILDREN];
	bool past = false;

	while (!past || ended < started) {
		size_t slot = ended % CHILDREN;
		int status;

		while (!past && started < ended + CHILDREN) {
			size_t free_slot = started % CHILDREN;

			a[free_slot] = (struct attempt){
				kind, 1 + started * (stride ? stride : 1), cold,
				!stride
			};
			pids[free_slot] = start_child(&a[free_slot]);
			started++;
		}
		status = end_child(pids[slot], &a[slot]);
		ended++;
		bad += status != CHILD_FINE && status != CHILD_PAST;
		past = past || status == CHILD_PAST || bad > 9;
	}
	printf("%s, %s: %lu %s failed in turn, %lu badly%s\n",
	       fault_names[kind], cold ? "first use" : "later use", ended,
	       stride ? "calls" : "ways to a call", bad,
	       bad > 9 ? ", and so on" : "");
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

	if (pid == 0) {
		use_prepare(folder, scratch);
		exit(under_signals(flags, rounds));
	}
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
	bool by_way = argc > 3 && strcmp(argv[3], "ways") == 0;
	unsigned long number = argc > 3 ? strtoul(argv[3], NULL, 10) : 1;
	char made[] = "/tmp/assay-fault-XXXXXX";
	int status;

	if (argc < 3 || (!number && !by_way)) {
		fputs("usage: drive FOLDER KIND [STRIDE|ways]\n", stderr);
		return 2;
	}
	if (!mkdtemp(made)) {
		perror(made);
		return 2;
	}
	folder = argv[1];
	scratch = made;
	status = run(argv[2], number);
	nftw(scratch, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
	return status;
}
