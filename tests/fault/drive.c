/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The library's interface, call by call, while the n-th allocation or system
 * call fails: drive DEFINITIONS KIND [STRIDE]. For each n there is a child,
 * until n is more than a whole round needs. The kind "signals" lets nothing
 * fail, but interrupts a number of rounds at every moment.
 *
 * A child must not crash or hang; a call that met the failure returns an error
 * code or does its work; and afterwards, with failures off, everything works
 * and neither memory nor a descriptor is lost.
 */
#include <dirent.h>
#include <papi.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <assay/assay.h>

#include "tests/fault/faults.h"

#define EVENTS        2
#define CHILD_SECONDS 60

static const char *const events[EVENTS] = { "perf::TASK-CLOCK",
					    "perf::PAGE-FAULTS" };
static const char *definitions; /* path of a file of user events */

/* A round stops nowhere: what a failed call left undone, later ones refuse. */
struct round {
	int bad; /* calls that did not return PAPI_OK */
	const char *first;
};

static void note(struct round *r, int code, const char *call)
{
	if (code == PAPI_OK)
		return;
	if (!r->bad++)
		r->first = call;
}

#define CALL(r, call) note(r, call, #call)

static unsigned long thread_id(void)
{
	return (unsigned long)pthread_self();
}

static void on_overflow(int set, void *address, long long which, void *context)
{
	(void)set;
	(void)address;
	(void)which;
	(void)context;
}

static void use_names(struct round *r)
{
	PAPI_event_info_t info;
	char name[PAPI_MAX_STR_LEN];
	const char *near[3];
	int code = PAPI_NULL;

	CALL(r, PAPI_event_name_to_code(events[0], &code));
	CALL(r, PAPI_event_code_to_name(code, name));
	CALL(r, PAPI_get_event_info(code, &info));
	CALL(r, PAPI_query_event(code));
	if (PAPI_event_name_to_code("no such event", &code) == PAPI_OK)
		note(r, PAPI_EBUG, "an event that there is not");
	assay_nearest_events("perf::PAGE-FAULT", near, 3);
	code = PAPI_NATIVE_MASK;
	for (int i = 0;
	     i < 5 &&
	     PAPI_enum_cmp_event(&code, i ? PAPI_ENUM_EVENTS : PAPI_ENUM_FIRST,
				 0) == PAPI_OK;
	     i++)
		PAPI_event_code_to_name(code, name);
}

static void use_machine(struct round *r)
{
	const PAPI_hw_info_t *hardware = PAPI_get_hardware_info();
	const PAPI_exe_info_t *program = PAPI_get_executable_info();
	const PAPI_shlib_info_t *libraries = PAPI_get_shared_lib_info();
	PAPI_dmem_info_t memory;

	(void)hardware;
	(void)program;
	(void)libraries;
	CALL(r, PAPI_get_dmem_info(&memory));
}

static void count(struct round *r, int set)
{
	long long values[EVENTS + 1] = { 0 };

	CALL(r, PAPI_start(set));
	CALL(r, PAPI_read(set, values));
	CALL(r, PAPI_accum(set, values));
	CALL(r, PAPI_reset(set));
	CALL(r, PAPI_stop(set, values));
}

static void use_sets(struct round *r)
{
	int set = PAPI_NULL, list[8], n = 8;

	CALL(r, PAPI_create_eventset(&set));
	for (int i = 0; i < EVENTS; i++)
		CALL(r, PAPI_add_named_event(set, events[i]));
	CALL(r, PAPI_list_events(set, list, &n));
	count(r, set);
	CALL(r, PAPI_remove_named_event(set, events[1]));
	CALL(r, PAPI_add_named_event(set, events[1]));
	count(r, set);
	CALL(r, PAPI_overflow(set, list[0], 1000000, 0, on_overflow));
	count(r, set);
	CALL(r, PAPI_overflow(set, list[0], 0, 0, on_overflow));
	CALL(r, PAPI_cleanup_eventset(set));
	CALL(r, PAPI_destroy_eventset(&set));
}

static void use_multiplexing(struct round *r)
{
	int set = PAPI_NULL;

	CALL(r, PAPI_multiplex_init());
	CALL(r, PAPI_create_eventset(&set));
	CALL(r, PAPI_assign_eventset_component(set, 0));
	CALL(r, PAPI_set_multiplex(set));
	for (int i = 0; i < EVENTS; i++)
		CALL(r, PAPI_add_named_event(set, events[i]));
	count(r, set);
	CALL(r, PAPI_cleanup_eventset(set));
	CALL(r, PAPI_destroy_eventset(&set));
}

static void use_profiles(struct round *r)
{
	static unsigned short buckets[64];
	int set = PAPI_NULL, code = PAPI_NULL;

	CALL(r, PAPI_event_name_to_code(events[0], &code));
	CALL(r, PAPI_create_eventset(&set));
	CALL(r, PAPI_add_event(set, code));
	CALL(r, PAPI_profil(buckets, sizeof(buckets), (vptr_t)(size_t)use_sets,
			    65536, set, code, 1000000, PAPI_PROFIL_POSIX));
	count(r, set);
	CALL(r, PAPI_profil(buckets, sizeof(buckets), (vptr_t)(size_t)use_sets,
			    65536, set, code, 0, PAPI_PROFIL_POSIX));
	CALL(r, PAPI_cleanup_eventset(set));
	CALL(r, PAPI_destroy_eventset(&set));
}

static void use_definitions(struct round *r)
{
	PAPI_option_t option = { 0 };
	int set = PAPI_NULL;

	option.events_file = (char *)definitions;
	CALL(r, PAPI_set_opt(PAPI_USER_EVENTS_FILE, &option));
	CALL(r, PAPI_create_eventset(&set));
	CALL(r, PAPI_add_named_event(set, "faults_per_time"));
	count(r, set);
	CALL(r, PAPI_cleanup_eventset(set));
	CALL(r, PAPI_destroy_eventset(&set));
}

static void *in_thread(void *argument)
{
	struct round *r = argument;

	CALL(r, PAPI_register_thread());
	use_sets(r);
	CALL(r, PAPI_unregister_thread());
	return NULL;
}

static void use_threads(struct round *r)
{
	pthread_t thread;
	int err;

	CALL(r, PAPI_thread_init(thread_id));
	err = pthread_create(&thread, NULL, in_thread, r);
	note(r, err ? PAPI_ESYS : PAPI_OK, "pthread_create");
	if (!err)
		pthread_join(thread, NULL);
}

/* Everything once. @r tells how much of it worked. */
static void use_library(struct round *r)
{
	int version = PAPI_library_init(PAPI_VER_CURRENT);

	note(r, version == (int)PAPI_VER_CURRENT ? PAPI_OK : PAPI_EINVAL,
	     "PAPI_library_init");
	use_names(r);
	use_machine(r);
	use_sets(r);
	use_multiplexing(r);
	use_profiles(r);
	use_definitions(r);
	use_threads(r);
	PAPI_shutdown();
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

/* @cold: the failure meets the first use of the library in the process. */
static int child(enum fault_kind kind, unsigned long n, bool cold)
{
	struct round first = { 0 }, hit = { 0 }, after = { 0 };
	int before = count_descriptors(), happened;
	long blocks;

	alarm(CHILD_SECONDS);
	if (!cold) /* the first use keeps some memory for good */
		use_library(&first);
	blocks = fault_live_blocks();
	fault_arm(kind, n);
	use_library(&hit);
	happened = fault_disarm();
	if (!happened && hit.bad) {
		printf("without a failure: %s\n", hit.first);
		return CHILD_BROKEN;
	}
	use_library(&after);
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
	blocks = fault_live_blocks();
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
	return r.bad || after != before || fault_live_blocks() > blocks;
}

int main(int argc, char **argv)
{
	unsigned long stride = argc > 3 ? strtoul(argv[3], NULL, 10) : 1;

	if (argc < 3) {
		fputs("usage: drive DEFINITIONS KIND [STRIDE]\n", stderr);
		return 2;
	}
	definitions = argv[1];
	if (strcmp(argv[2], "signals") == 0)
		return under_signals(SA_RESTART, stride) |
		       under_signals(0, stride);
	for (enum fault_kind k = 0; k < FAULT_KINDS; k++)
		if (strcmp(argv[2], fault_names[k]) == 0)
			return run_kind(k, true, stride ? stride : 1) |
			       run_kind(k, false, stride ? stride : 1);
	fprintf(stderr, "drive: no kind '%s'\n", argv[2]);
	return 2;
}
