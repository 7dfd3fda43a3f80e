/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pairs of calls around nothing, many times: hpm_pairs REPEATS. Which calls is
 * chosen when it is built: USE_HPM (a thread's section), USE_HPM_PROCESS (with
 * or without WITH_THREAD), USE_PAPI_HL, USE_LIKWID, or USE_SYSCALLS for two
 * reads of a group of four counters, which is what a pair of calls asks the
 * kernel for. Prints nanoseconds and TSC cycles of the median pair of a hundred
 * rounds.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <x86intrin.h>

#if defined(USE_HPM)
#include <hpm.h>
#define BEGIN()  hpmInit(0, "pairs")
#define PAIR()   (hpmTstart(1, "pair"), hpmTstop(1))
#define FINISH() hpmTerminate(0)
#elif defined(USE_HPM_PROCESS)
#include <hpm.h>
#if defined(WITH_THREAD)
#include <pthread.h>
static void *nothing(void *unused)
{
	return unused;
}

static void make_thread(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, nothing, NULL) == 0)
		pthread_join(thread, NULL);
}
#define BEGIN() (hpmInit(0, "pairs"), make_thread())
#else
#define BEGIN() hpmInit(0, "pairs")
#endif
#define PAIR()   (hpmStart(1, "pair"), hpmStop(1))
#define FINISH() hpmTerminate(0)
#elif defined(USE_PAPI_HL)
#include <papi.h>
#define BEGIN()  ((void)0)
#define PAIR()   (PAPI_hl_region_begin("pair"), PAPI_hl_region_end("pair"))
#define FINISH() PAPI_hl_stop()
#elif defined(USE_LIKWID)
#define LIKWID_PERFMON
#include <likwid-marker.h>
#define BEGIN()                                                                \
	do {                                                                   \
		LIKWID_MARKER_INIT;                                            \
		LIKWID_MARKER_REGISTER("pair");                                \
	} while (0)
#define PAIR()   (LIKWID_MARKER_START("pair"), LIKWID_MARKER_STOP("pair"))
#define FINISH() LIKWID_MARKER_CLOSE
#elif defined(USE_SYSCALLS)
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>
static int fds[4];

static void open_counters(void)
{
	static const uint64_t which[] = { PERF_COUNT_SW_PAGE_FAULTS,
					  PERF_COUNT_SW_CONTEXT_SWITCHES,
					  PERF_COUNT_SW_CPU_MIGRATIONS,
					  PERF_COUNT_SW_PAGE_FAULTS_MIN };

	for (int i = 0; i < 4; i++) {
		struct perf_event_attr attr = {
			.type = PERF_TYPE_SOFTWARE,
			.size = sizeof(attr),
			.config = which[i],
			.exclude_kernel = 1,
			.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED |
				       PERF_FORMAT_TOTAL_TIME_RUNNING |
				       PERF_FORMAT_GROUP,
		};

		fds[i] = (int)syscall(SYS_perf_event_open, &attr, 0, -1,
				      i ? fds[0] : -1, 0);
		if (fds[i] < 0)
			exit(1);
	}
}

static void read_counters(void)
{
	uint64_t values[16];

	if (read(fds[0], values, sizeof(values)) < 0)
		exit(1);
}
#define BEGIN()  open_counters()
#define PAIR()   (read_counters(), read_counters())
#define FINISH() ((void)0)
#endif

#define ROUNDS 100

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

int main(int argc, char **argv)
{
	long n = argc > 1 ? atol(argv[1]) / ROUNDS : 100;
	double ns[ROUNDS], cycles[ROUNDS];

	BEGIN();
	for (long i = 0; i < n; i++)
		PAIR();
	for (int round = 0; round < ROUNDS; round++) {
		double began = now_ns();
		uint64_t tsc = __rdtsc();

		for (long i = 0; i < n; i++)
			PAIR();
		cycles[round] = (double)(__rdtsc() - tsc) / (double)n;
		ns[round] = (now_ns() - began) / (double)n;
	}
	FINISH();
	qsort(ns, ROUNDS, sizeof(*ns), compare);
	qsort(cycles, ROUNDS, sizeof(*cycles), compare);
	printf("%.2f %.1f\n", ns[ROUNDS / 2], cycles[ROUNDS / 2]);
	return 0;
}
