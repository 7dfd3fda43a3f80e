/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * libexec/workloads: runs workloads and says what they cost. Natively by the
 * thread's own CPU time, in cycles: a chain of additions, one cycle each, is
 * timed before and after every run. On the simulated PMU by its counters.
 *
 * It is spoken to in lines, as libexec/kernels is:
 *
 *   list            "w KIND PART NAME", then, of a pair, "s NAME": the slower
 *                   one; "end" after the last
 *   machine         "m L1 L2 L3": bytes of the data caches
 *   machine L1 L2 L3
 *                   work for these from now on: a simulated processor may say
 *                   something else of itself
 *   time N NAME     "t CYCLES QUARTILE HZ": the least that others confirm and
 *                   the lower quartile of N runs, and the clock; runs beside
 *                   which another thread used the core, or the clock changed,
 *                   are made again, as far as that helps
 *   alone           "a 1 HZ", or "a 0 HZ": another thread uses the core just
 *                   now; and the clock
 *   run NAME        "r": it has run once
 *   count NAME      "c CYCLES COUNT ...": cycles and then cycles by what they
 *                   waited for, in the order of the events below
 *
 * "no SENTENCE" is a refusal. The end of the input ends it.
 */
#include <math.h>
#include <papi.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "workload/ruler.h"
#include "workload/workload.h"

#define MOST_RUNS  200
#define PATIENCE   4    /* runs for one that is not disturbed */
#define STEADY     0.02 /* by which the clock may change during a run */
#define LINE_BYTES 256

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

/*
 * One run between two rulers, in cycles; false if it was disturbed. Of the two
 * rulers the shorter one counts: a host that takes the CPU away makes them
 * longer, and nothing makes them shorter.
 */
static bool time_once(struct workload_run *run, double *cycles, double *hz)
{
	bool alone = ruler_is_alone();
	double first = ruler_ns(), before = ruler_cpu_ns(), ns, last;

	run->workload->run(run);
	ns = ruler_cpu_ns() - before;
	last = ruler_ns();
	*hz = 1e9 / fmin(first, last);
	*cycles = ns / fmin(first, last);
	return alone && ruler_is_alone() &&
	       fabs(first - last) <= STEADY * fmin(first, last);
}

static void time_runs(struct workload_run *run, size_t n)
{
	double cycles[MOST_RUNS], hz[MOST_RUNS];
	size_t kept = 0;

	for (size_t i = 0; kept < n && i < n * PATIENCE; i++)
		/* those that are left must be tried in any case */
		if (time_once(run, &cycles[kept], &hz[kept]) ||
		    n - kept >= n * PATIENCE - i)
			kept++;
	qsort(cycles, n, sizeof(*cycles), compare);
	qsort(hz, n, sizeof(*hz), compare);
	printf("t %.1f %.1f %.0f\n", ruler_least(cycles, n), cycles[n / 4],
	       hz[n / 2]);
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

/* The second of two runs: the simulated PMU models what is run once events
 * are opened, and the first one fills caches and teaches predictors. */
static void count_run(struct workload_run *run)
{
	static int set = PAPI_NULL;
	long long counts[EVENTS] = { 0 };
	int err = set == PAPI_NULL ? make_set(&set) : PAPI_OK;

	run->workload->run(run);
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
	if (once || n)
		w->run(&run);
	if (once)
		puts("r");
	else if (n)
		time_runs(&run, n);
	else
		count_run(&run);
	workload_end(&run);
}

static void say_alone(void)
{
	bool alone = ruler_is_alone();

	printf("a %d %.0f\n", alone, 1e9 / ruler_ns());
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
			say_alone();
		else if (strncmp(line, "machine", 7) == 0)
			take_machine(line, &m);
		else
			answer(line, &m);
	}
	return 0;
}
