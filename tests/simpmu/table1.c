/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The 2018 paper's Table 1 on the simulated PMU: what each branch kernel costs
 * a time, as the difference between two lengths, against what stands beside
 * the kernel. Run it under the simulator. Exit status 0 if all cells agree.
 */
#include <math.h>
#include <papi.h>
#include <stdio.h>
#include <stdlib.h>

#include "kernels/kernel.h"

static const struct {
	enum concept concept;
	const char *event;
} columns[] = {
	{ CONCEPT_BR_COND_EXEC, "sim::BR_INST_EXEC:COND" },
	{ CONCEPT_BR_COND, "sim::BR_INST_RETIRED:COND" },
	{ CONCEPT_BR_TAKEN, "sim::BR_INST_RETIRED:COND_TAKEN" },
	{ CONCEPT_BR_DIRECT, "sim::BR_INST_RETIRED:DIRECT_JMP" },
	{ CONCEPT_BR_MISP, "sim::BR_MISP_RETIRED:COND" },
};
#define COLUMNS 5

static const char *const names[] = {
	"branch/1",  "branch/2",  "branch/3",  "branch/4",
	"branch/5",  "branch/6",  "branch/7",  "branch/4a",
	"branch/4b", "branch/5a", "branch/5b", "branch/amplifier"
};
#define NAMES     (sizeof(names) / sizeof(names[0]))

#define SHORT_RUN 2000
#define LONG_RUN  12000

static void fail(const char *what, int code)
{
	fprintf(stderr, "table1: %s: %s\n", what, PAPI_strerror(code));
	exit(2);
}

static void count(int set, const struct kernel *kernel, uint64_t times,
		  long long *values)
{
	struct kernel_run run = { .point = { .times = times } };
	int err;

	err = PAPI_start(set);
	if (!err) {
		kernel->run(&run);
		err = PAPI_stop(set, values);
	}
	if (err)
		fail(kernel->name, err);
}

/*
 * Cells that chance decides are within five standard errors (of a difference
 * of two lengths; where the linker puts the code decides, too, what a predictor
 * takes random branches for), others within 0.01: the predictor needs a while
 * to learn.
 */
static int check(double slope, double expect, double chance)
{
	double n = LONG_RUN - SHORT_RUN;
	double allowed = 0.01;

	/* half of the wrong path hangs on a random branch */
	if (chance > 0)
		allowed = 5 * 4 * chance / sqrt(n) + 0.01;
	return fabs(slope - expect) <= allowed;
}

int main(void)
{
	struct kernel_machine machine = { 0 };
	struct kernel_point point = { 0 };
	int set = PAPI_NULL, err, bad = 0;

	err = PAPI_library_init(PAPI_VER_CURRENT);
	if (err != PAPI_VER_CURRENT)
		fail("init", err);
	err = PAPI_create_eventset(&set);
	for (int c = 0; c < COLUMNS && !err; c++)
		err = PAPI_add_named_event(set, columns[c].event);
	if (err)
		fail("events", err);

	printf("%-18s %8s %8s %8s %8s %8s\n", "kernel", "CE", "CR", "T", "D",
	       "M");
	for (size_t k = 0; k < NAMES; k++) {
		const struct kernel *kernel = kernels_find(names[k]);
		double expect[CONCEPT_COUNT], sd[CONCEPT_COUNT];
		long long few[COLUMNS], many[COLUMNS];

		kernel_expect(kernel, &point, &machine, expect, sd);
		/* once: a predictor would know the same numbers again */
		if (k == 0)
			kernel->prepare(&(struct kernel_run){ 0 });
		count(set, kernel, SHORT_RUN, few);
		count(set, kernel, LONG_RUN, many);
		printf("%-18s", kernel->name);
		for (int c = 0; c < COLUMNS; c++) {
			double slope = (double)(many[c] - few[c]) /
				       (LONG_RUN - SHORT_RUN);
			enum concept what = columns[c].concept;
			int ok = check(slope, expect[what], sd[what]);

			printf(" %7.4f%s", slope, ok ? " " : "!");
			bad += !ok;
		}
		putchar('\n');
	}
	return bad ? 1 : 0;
}
