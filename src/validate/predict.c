/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is predicted of a kernel's counts: from its object code, where the
 * program that runs it is asked for that, and in closed form.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "console/console.h"
#include "kernels/gpu/driver.h"
#include "lab/process.h"
#include "validate/validate.h"

/*
 * Where another machine's program counts: results are kept under the name of
 * its PMU.
 */
static int meet_worker(const struct console *console, struct process *process,
		       const char *worker, struct validation *v)
{
	char name[64] = "", kind[16] = "";
	char *line;

	process_send(process, "where");
	line = process_wait_line(process);
	if (line && strncmp(line, "where ", 6) == 0)
		snprintf(v->where, sizeof(v->where), "%s", line + 6);
	process_send(process, "hello");
	line = process_wait_line(process);
	if (!line || sscanf(line, "pmu %15s %*d %63s", kind, name) < 1) {
		say_error_hint(console,
			       "it must use the protocol of libexec/kernels; "
			       "set ASSAY_KERNELS_VERBOSE to see its errors on "
			       "standard error",
			       "'%s' does not answer", worker);
		return CMD_FAILED;
	}
	snprintf(v->platform, sizeof(v->platform), "%s", *name ? name : kind);
	return 0;
}

int validate_read_codes(const struct console *console, struct validation *v,
			const char *worker, struct kernel_code *codes)
{
	int status = 0;
	struct diag diag = { .text = "" };
	struct process process;

	if (process_start(&process, worker, NULL, &diag))
		return say_failure(console, "%s", diag.text);
	if (worker)
		status = meet_worker(console, &process, worker, v);
	for (size_t e = 0; !status && e < v->n; e++) {
		struct kernel_code *c = &codes[e];
		char *line;

		process_send(&process, "code %s", v->events[e].check->kernel);
		line = process_wait_line(&process);
		if (line && sscanf(line, "code %u %u %u %u %u %u",
				   &c->instructions, &c->loads, &c->stores,
				   &c->fp, &c->sqrt, &c->branches) == 6)
			c->name = v->events[e].check->kernel;
	}
	process_end(&process);
	return status;
}

static double in_loop(enum validate_source source, const struct kernel_code *c)
{
	switch (source) {
	case FROM_INSTRUCTIONS:
		return c->instructions;
	case FROM_LOADS:
		return c->loads;
	case FROM_STORES:
		return c->stores;
	case FROM_FP:
		return c->fp;
	case FROM_SQRT:
		return c->sqrt;
	case FROM_BRANCHES:
		return c->branches;
	default:
		return NAN;
	}
}

/*
 * A loop that holds several occurrences is entered where the odd ones are
 * left; its own two instructions come once a turn.
 */
static double from_code(const struct validate_check *check,
			const struct kernel_code *code, double occurrences)
{
	unsigned sled = kernels_find(check->kernel)->sled;
	double body = in_loop(check->source, code);

	if (!code->name)
		return NAN;
	if (!sled)
		return body * occurrences;
	return body * floor(occurrences / sled) + fmod(occurrences, sled);
}

double validate_predict(const struct validate_check *check,
			const struct kernel_code *code,
			const struct kernel_machine *m, double occurrences)
{
	switch (check->source) {
	case FROM_WARPS:
		return occurrences * DRIVER_WARPS * check->a_turn;
	case FROM_THREADS:
		return occurrences * DRIVER_WARPS * 32 * check->a_turn;
	case FROM_HISTORY: /* of its ten turns */
		return m->history >= 10 ? 0 : occurrences;
	case FROM_FORM:
		return occurrences * (check->a_turn > 0 ? check->a_turn : 1);
	case FROM_CHANCE:
		return occurrences;
	default:
		return from_code(check, code, occurrences);
	}
}

double validate_allowed(const struct validate_check *check, double predicted)
{
	/* what is foreseen has to be learnt first */
	double by_chance = check->source == FROM_CHANCE
				   ? 3 * sqrt(2 * predicted) / 2 + 1
				   : 0;

	return fmax(check->allowed * predicted / 100, check->slack) + by_chance;
}

/*
 * A loop's branch is taken until it ends. A counter of two bits is wrong twice
 * at most before it says so, as is the table that takes its place with a longer
 * history, and then at the end.
 */
#define MISPREDICTED_MOST 5

double validate_restarts(const struct validate_check *check,
			 double mispredictions)
{
	double n = isnan(mispredictions) ? 1 : fabs(mispredictions);

	return check->restart * fmin(fmax(n, 1), MISPREDICTED_MOST);
}

/*
 * Counters that run while they are read count the code that reads them.
 * Whether the kernel's lines drive out one of its lines, to be missed once
 * more, is decided by where code and data of this process lie, and with none
 * of the kernel's lines it is not driven out: one miss more or less.
 */
static double slack_of_reading(const struct validate_check *check, int pattern)
{
	bool of_code = check->part == PART_L1I || check->part == PART_L2_CODE;

	return of_code && pattern != PATTERN_START_STOP ? 1 : 0;
}

/*
 * A TLB with one set has no place where the kernel's pages disturb nobody: as
 * many as it holds put out those of the code that stops the counters, too, and
 * each of these (its stack, its data, what it shares with the kernel) is missed
 * once more.
 */
#define PAGES_OF_COUNTING 4

static double slack_of_pages(const struct validate_check *check,
			     const struct kernel_machine *m, double occurrences)
{
	return check->part == PART_DTLB && m->dtlb.entries == m->dtlb.ways &&
			       occurrences >= m->dtlb.entries / 2.0
		       ? PAGES_OF_COUNTING
		       : 0;
}

double validate_slack(const struct validate_check *check,
		      const struct kernel_machine *m, int pattern,
		      double occurrences)
{
	return slack_of_reading(check, pattern) +
	       slack_of_pages(check, m, occurrences);
}
