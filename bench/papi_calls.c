/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One PAPI call, many times: papi_calls CALL EVENTS REPEATS. Built against
 * Debian's header and library; which library runs it is the loader's choice.
 * Prints nanoseconds per call.
 */
#include <papi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char *const names[] = {
	"perf::PAGE-FAULTS",  "perf::CONTEXT-SWITCHES", "perf::CPU-MIGRATIONS",
	"perf::MINOR-FAULTS", "perf::MAJOR-FAULTS",     "perf::TASK-CLOCK",
	"perf::CPU-CLOCK",    "perf::CGROUP-SWITCHES",
};

static long long values[8];

static double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void fail(const char *what, int code)
{
	fprintf(stderr, "papi_calls: %s: %d\n", what, code);
	exit(1);
}

static void repeat(const char *call, int set, long n)
{
	if (strcmp(call, "start+stop") == 0) {
		for (long i = 0; i < n; i++)
			if (PAPI_start(set) || PAPI_stop(set, values))
				fail(call, 0);
		return;
	}
	if (PAPI_start(set))
		fail("start", 0);
	for (long i = 0; i < n; i++) {
		int err = 0;

		if (strcmp(call, "read") == 0)
			err = PAPI_read(set, values);
		else if (strcmp(call, "accum") == 0)
			err = PAPI_accum(set, values);
		else if (strcmp(call, "reset") == 0)
			err = PAPI_reset(set);
		if (err)
			fail(call, err);
	}
	PAPI_stop(set, values);
}

int main(int argc, char **argv)
{
	int set = PAPI_NULL, err;
	double began;
	long n;

	if (argc != 4)
		return 2;
	n = atol(argv[3]);
	began = now_ns();
	err = PAPI_library_init(PAPI_VER_CURRENT);
	if (err != PAPI_VER_CURRENT)
		fail("init", err);
	if (strcmp(argv[1], "init") == 0) {
		printf("%.1f\n", now_ns() - began);
		return 0;
	}
	PAPI_create_eventset(&set);
	for (int i = 0; i < atoi(argv[2]); i++) {
		err = PAPI_add_named_event(set, names[i]);
		if (err)
			fail(names[i], err);
	}
	repeat(argv[1], set, n / 10); /* warm up */
	began = now_ns();
	repeat(argv[1], set, n);
	printf("%.1f\n", n ? (now_ns() - began) / (double)n : 0.0);
	return 0;
}
