/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * metrics_read raw|user REPEATS: PAPI_read() of three software events, or of
 * one user-defined event that is made of them. Prints nanoseconds a call. The
 * difference is what the formula costs, whichever library this runs on.
 */
#include <papi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char *const raw[] = { "perf::PAGE-FAULTS",
				   "perf::CONTEXT-SWITCHES",
				   "perf::TASK-CLOCK" };

static int add(int set, const char *name)
{
	int code;
	int err = PAPI_event_name_to_code(name, &code);

	return err ? err : PAPI_add_event(set, code);
}

static double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

int main(int argc, char **argv)
{
	long repeats = argc > 2 ? atol(argv[2]) : 0;
	int set = PAPI_NULL, err = 0;
	long long values[3];
	double start;

	if (argc < 3 || PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT)
		return 2;
	PAPI_create_eventset(&set);
	if (strcmp(argv[1], "user") == 0)
		err = add(set, "Branch_cat");
	else
		for (int i = 0; !err && i < 3; i++)
			err = add(set, raw[i]);
	if (!err)
		err = PAPI_start(set);
	if (err) {
		fprintf(stderr, "%s\n", PAPI_strerror(err));
		return 1;
	}
	start = now_ns();
	for (long i = 0; i < repeats; i++)
		PAPI_read(set, values);
	if (repeats)
		printf("%.3f\n", (now_ns() - start) / (double)repeats);
	return 0;
}
