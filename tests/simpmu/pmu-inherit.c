/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Threads and children of a thread, counted with it or not. Two threads and a
 * child run a loop of two instructions a million times each; starting and
 * awaiting them takes some ten thousand more.
 */
#include <papi.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define TIMES 1000000LL
#define SLACK 100000LL

static void loop(void)
{
	long n = TIMES;

	__asm__ volatile("1: dec %0; jnz 1b" : "+r"(n) : : "cc");
}

static void *run_thread(void *nothing)
{
	loop();
	return nothing;
}

static void run_all(void)
{
	pthread_t threads[2];
	pid_t child;

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, run_thread, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	child = fork();
	if (child == 0) {
		loop();
		_exit(0);
	}
	waitpid(child, NULL, 0);
}

static int fail(const char *what, int code)
{
	printf("%s: %s\n", what, PAPI_strerror(code));
	return 1;
}

static int try(int inherit, long long expected)
{
	PAPI_option_t option;
	long long value = 0;
	int set = PAPI_NULL;
	int err = PAPI_create_eventset(&set);

	if (!err)
		err = PAPI_add_named_event(set, "PAPI_TOT_INS");
	memset(&option, 0, sizeof(option));
	option.inherit.eventset = set;
	option.inherit.inherit = inherit;
	if (!err)
		err = PAPI_set_opt(PAPI_INHERIT, &option);
	if (!err)
		err = PAPI_start(set);
	if (err)
		return fail("start", err);
	run_all();
	err = PAPI_stop(set, &value);
	if (err)
		return fail("stop", err);
	printf("inherit %d: %lld\n", inherit, value);
	PAPI_cleanup_eventset(set);
	PAPI_destroy_eventset(&set);
	return value < expected || value > expected + SLACK;
}

int main(void)
{
	if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT)
		return 1;
	return try(PAPI_INHERIT_NONE, 0) | try(PAPI_INHERIT_ALL, 6 * TIMES);
}
