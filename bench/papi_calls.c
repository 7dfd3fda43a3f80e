/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One PAPI call, many times: papi_calls CALL EVENTS REPEATS. Built against
 * Debian's header and library; which library runs it is the loader's choice.
 * Prints nanoseconds per call, of the quickest round of a hundred calls.
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

#define ROUND 100

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

static int start_stop(int set)
{
	int err = PAPI_start(set);

	return err ? err : PAPI_stop(set, values);
}

static int read_values(int set)
{
	return PAPI_read(set, values);
}

static int accumulate(int set)
{
	return PAPI_accum(set, values);
}

static const struct call {
	const char *name;
	int (*run)(int set);
	int while_running;
} calls[] = {
	{ "start+stop", start_stop, 0 },
	{ "read", read_values, 1 },
	{ "accum", accumulate, 1 },
	{ "reset", PAPI_reset, 1 },
};

static const struct call *find_call(const char *name)
{
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		if (strcmp(calls[i].name, name) == 0)
			return &calls[i];
	fail(name, PAPI_EINVAL);
	return NULL;
}

/* Nanoseconds a call of the quickest of rounds: others run here too. */
static double repeat(const struct call *call, int set, long n)
{
	double best = 0;

	if (call->while_running && PAPI_start(set))
		fail("start", 0);
	for (long done = 0; done < n; done += ROUND) {
		double began = now_ns(), ns;

		for (long i = 0; i < ROUND; i++) {
			int err = call->run(set);

			if (err)
				fail(call->name, err);
		}
		ns = (now_ns() - began) / ROUND;
		if (done == 0 || ns < best)
			best = ns;
	}
	if (call->while_running)
		PAPI_stop(set, values);
	return best;
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
	printf("%.1f\n", repeat(find_call(argv[1]), set, n));
	return 0;
}
