/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * libexec/workloads: runs workloads and says what they cost. Natively by the
 * thread's own CPU time, in cycles: a chain of additions, one cycle each, is
 * timed beside every run. On the simulated PMU by its counters.
 *
 * It is spoken to in lines, as libexec/kernels is:
 *
 *   list            "w KIND PART NAME", then, of a pair, "s NAME": the slower
 *                   one; "end" after the last
 *   machine         "m L1 L2 L3": bytes of the data caches
 *   machine L1 L2 L3
 *                   work for these from now on: a simulated processor may say
 *                   something else of itself
 *   time N NAME     "t CYCLES QUARTILE HZ": the least and the lower quartile
 *                   of N runs, and the clock; runs beside which another thread
 *                   used the core are made again, as far as that helps
 *   alone           "a 1", or "a 0": another thread uses the core just now
 *   run NAME        "r": it has run once
 *   count NAME      "c CYCLES COUNT ...": cycles and then cycles by what they
 *                   waited for, in the order of the events below
 *
 * "no SENTENCE" is a refusal. The end of the input ends it.
 */
#include <papi.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "workload/workload.h"

#define MOST_RUNS  200
#define PATIENCE   4      /* runs for one that is not disturbed */
#define RULER      400000 /* additions: a tenth of a millisecond */
#define LINE_BYTES 256

static double cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* An addition a cycle, as far as is known of any processor. */
static void additions(uint64_t n)
{
	uint64_t x = 1;

	for (; n > 0; n -= 8) {
#if defined(__x86_64__)
		__asm__ volatile("add %0, %0\nadd %0, %0\nadd %0, %0\n"
				 "add %0, %0\nadd %0, %0\nadd %0, %0\n"
				 "add %0, %0\nadd %0, %0\n"
				 : "+r"(x));
#else
		for (int i = 0; i < 8; i++) {
			x += x;
			__asm__ volatile("" : "+r"(x));
		}
#endif
	}
}

#define WIDE_ROUNDS 2000
#define WIDE_EACH   8
#define SLOWER      1.15

/* Nanoseconds for as many additions as additions(), which do not wait. */
static double wide_ns(void)
{
	uint64_t x[WIDE_EACH] = { 0 };
	double before = cpu_ns();

	for (unsigned n = WIDE_ROUNDS; n > 0; n--) {
#pragma GCC unroll 8
		for (int i = 0; i < WIDE_EACH; i++) {
			x[i] += n;
			__asm__ volatile("" : "+r"(x[i]));
		}
	}
	return cpu_ns() - before;
}

/*
 * A core may run another thread beside this one, of this machine or, in a
 * guest, of anybody's. A chain of additions is as fast then; independent ones,
 * which want the whole width of the core, are not.
 */
static bool is_alone(void)
{
	static double best;
	double chain, share;

	chain = cpu_ns();
	additions(WIDE_ROUNDS * WIDE_EACH);
	chain = cpu_ns() - chain;
	share = wide_ns() / chain;
	if (best == 0 || share < best)
		best = share;
	return share < best * SLOWER;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void list(void)
{
	const struct workload *w;

	for (size_t i = 0; (w = workload_get(i)); i++) {
		printf("w %s %s %s\n", workload_kinds[w->kind],
		       workload_parts[w->part], w->name);
		if (w->slower)
			printf("s %s\n", w->slower);
	}
	puts("end");
}

static void time_runs(struct workload_run *run, size_t n)
{
	double times[MOST_RUNS], ruler = 1e300;
	size_t kept = 0;

	for (size_t i = 0; kept < n && i < n * PATIENCE; i++) {
		bool alone = is_alone();
		double before = cpu_ns(), between, after;

		additions(RULER);
		between = cpu_ns();
		run->workload->run(run);
		after = cpu_ns();
		if (between - before < ruler)
			ruler = between - before;
		/* those that are left must be tried in any case */
		if ((alone && is_alone()) || n - kept >= n * PATIENCE - i)
			times[kept++] = after - between;
	}
	qsort(times, n, sizeof(*times), compare);
	printf("t %.1f %.1f %.0f\n", times[0] / ruler * RULER,
	       times[n / 4] / ruler * RULER, RULER / ruler * 1e9);
}

/* What cycles went into, as the simulated PMU counts it. */
static const char *const events[] = {
	"PAPI_TOT_CYC",
	"sim::CYCLE_ACTIVITY:STALLS_FRONTEND",
	"sim::CYCLE_ACTIVITY:STALLS_MISPREDICT",
	"sim::CYCLE_ACTIVITY:STALLS_FP",
	"sim::CYCLE_ACTIVITY:STALLS_STORE",
	"sim::CYCLE_ACTIVITY:STALLS_L1D",
	"sim::CYCLE_ACTIVITY:STALLS_L2",
	"sim::CYCLE_ACTIVITY:STALLS_L3",
	"sim::CYCLE_ACTIVITY:STALLS_DRAM",
};
#define EVENTS (sizeof(events) / sizeof(events[0]))

static int make_set(int *set)
{
	int err = PAPI_library_init(PAPI_VER_CURRENT) == PAPI_VER_CURRENT
			  ? PAPI_OK
			  : PAPI_ESYS;

	*set = PAPI_NULL;
	if (!err)
		err = PAPI_create_eventset(set);
	for (size_t i = 0; i < EVENTS && !err; i++)
		err = PAPI_add_named_event(*set, events[i]);
	return err;
}

static void count_run(struct workload_run *run)
{
	static int set = PAPI_NULL;
	long long counts[EVENTS] = { 0 };
	int err = set == PAPI_NULL ? make_set(&set) : PAPI_OK;

	if (!err)
		err = PAPI_start(set);
	if (!err) {
		run->workload->run(run);
		err = PAPI_stop(set, counts);
	}
	if (err) {
		printf("no %s\n", PAPI_strerror(err));
		return;
	}
	putchar('c');
	for (size_t i = 0; i < EVENTS; i++)
		printf(" %lld", counts[i]);
	putchar('\n');
}

/* One "run", "time" or "count". */
static void answer(const char *line, const struct workload_machine *machine)
{
	const struct workload *w;
	struct workload_run run;
	bool once = strncmp(line, "run ", 4) == 0;
	unsigned n = 0;
	int at = once ? 4 : 0;

	sscanf(line, "time %u %n", &n, &at);
	if (!at)
		sscanf(line, "count %n", &at);
	w = at ? workload_find(line + at) : NULL;
	if (!w || n > MOST_RUNS) {
		puts("no such workload");
		return;
	}
	if (workload_start(&run, w, machine)) {
		puts("no memory");
		return;
	}
	w->run(&run);
	if (once)
		puts("r");
	else if (n)
		time_runs(&run, n);
	else
		count_run(&run);
	workload_end(&run);
}

static void take_machine(const char *line, struct workload_machine *m)
{
	sscanf(line, "machine %zu %zu %zu", &m->l1, &m->l2, &m->l3);
	printf("m %zu %zu %zu\n", m->l1, m->l2, m->l3);
}

static void stay_here(void)
{
	cpu_set_t set;
	int cpu = sched_getcpu();

	if (cpu < 0)
		return;
	CPU_ZERO(&set);
	CPU_SET((size_t)cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

int main(int argc, char **argv)
{
	struct workload_machine m;
	char line[LINE_BYTES];

	workload_describe_machine(&m);
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc > 1 && strcmp(argv[1], "--pin") == 0)
		stay_here();
	while (fgets(line, sizeof(line), stdin)) {
		line[strcspn(line, "\n")] = '\0';
		if (strcmp(line, "list") == 0)
			list();
		else if (strcmp(line, "alone") == 0)
			printf("a %d\n", is_alone());
		else if (strncmp(line, "machine", 7) == 0)
			take_machine(line, &m);
		else
			answer(line, &m);
	}
	return 0;
}
