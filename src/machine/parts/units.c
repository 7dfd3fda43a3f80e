/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What instructions cost: the rows of arch.h, each timed; and the sums that
 * formulas of performance models use.
 */
#include "machine/parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "machine/arch.h"

#define SAMPLE_CYCLES 16384.0 /* about so long is a sample */
#define PASSES        5
#define SURE          0.02 /* two passes agree within this */
#define SAME_RATE     0.06 /* two kinds of instructions are as fast */

/* So many times that a sample has the right length. */
static uint64_t choose_times(struct lab *lab, struct load *load)
{
	double cycles = NAN;

	for (int i = 0; i < 8; i++)
		if (lab_sample(lab, load, &cycles))
			break;
	if (!(cycles > 0))
		return 8;
	cycles *= load->operations;
	return (uint64_t)fmax(2, SAMPLE_CYCLES / cycles * (double)load->times);
}

static struct timing time_row(struct lab *lab, const struct arch_row *row)
{
	struct load load = {
		.run = row->run,
		.arg = &arch_operands,
		.times = 4,
		.warm = 2,
		.operations = 4 * row->operations,
		.steady = true,
		.whole = row->kind == ARCH_INTERVAL,
	};

	load.times = lab->clock.is_cycles ? 256 : choose_times(lab, &load);
	load.operations = (double)load.times * row->operations;
	return row->kind == ARCH_LATENCY ? part_time_whole(lab, &load)
					 : lab_time(lab, &load);
}

static void say_flops(struct machine *m, const struct arch_row *row,
		      double interval, const char *reason)
{
	struct machine_constant *c = machine_add(
		m, row->flops, machine_round(row->flops_each / interval),
		"flop/cycle",
		"operations per instruction divided by its "
		"reciprocal throughput");

	if (reason)
		machine_doubt(m, c, reason);
}

/* Intervals are fractions of a cycle: twelfths are kept, noise is not. */
static double tidy(double value)
{
	double twelfths = round(value * 12) / 12;

	if (fabs(value - twelfths) <= 0.015 * value)
		return machine_round(twelfths);
	return machine_round(value);
}

static void say_row(struct machine *m, const struct arch_row *row,
		    const struct timing *timing, bool sure)
{
	bool whole = row->kind == ARCH_LATENCY;
	struct machine_constant *c;
	char method[160];

	snprintf(method, sizeof(method), "%s: %s",
		 row->kind == ARCH_INTERVAL
			 ? "independent instructions"
			 : "dependent instructions, each using the result of "
			   "the one before",
		 row->instruction);
	c = part_latency(m, row->name, timing, whole, method);
	if (!c)
		return;
	if (row->kind == ARCH_INTERVAL)
		c->value = tidy(timing->value);
	if (timing->samples && !sure)
		machine_doubt(m, c,
			      "only one of several measurements gave "
			      "this value");
	if (row->flops)
		say_flops(m, row, c->value,
			  c->stable ? NULL
				    : "its reciprocal throughput is "
				      "not certain");
}

static void say_missing(struct machine *m, const struct arch_row *row)
{
	machine_doubt(
		m, machine_add(m, row->name, NAN, "cycles", row->instruction),
		"this processor has no such instruction");
}

/*
 * Units may limit simple instructions, and of those that do nothing several may
 * pass as one: only if both are as fast is it the width that limits them.
 */
static bool is_limited_by_width(const struct machine *m, double fastest)
{
	return fabs(fastest - machine_get(m, "nop_min")) < SAME_RATE * fastest;
}

/* The fastest of several mixtures: what limits one need not limit another. */
static const struct machine_constant *fastest_mixture(const struct machine *m)
{
	const struct machine_constant *a = machine_find(m, "issue_min");
	const struct machine_constant *b = machine_find(m, "int_move_min");

	return a && b && b->stable && b->value < a->value ? b : a;
}

/* Names that formulas use, from what was measured. */
static void say_sums(struct machine *m)
{
	const struct machine_constant *add = machine_find(m, "FP_add_lat");
	const struct machine_constant *mul = machine_find(m, "FP_mul_lat");
	const struct machine_constant *each = machine_find(m, "FP_add_min");
	const struct machine_constant *issue = fastest_mixture(m);
	double lat = add && mul ? fmax(add->value, mul->value) : NAN;
	double interval = each ? each->value : NAN;
	double width = issue ? round(1 / issue->value) : NAN;
	bool good = add && mul && add->stable && mul->stable;
	bool good_each = each && each->stable;
	bool good_issue =
		issue && issue->stable && fabs(1 / issue->value - width) < 0.25;
	struct machine_constant *c;

	c = machine_add(m, "FP_lat", lat, "cycles",
			"the longer of the latencies of addition and "
			"multiplication");
	if (!good)
		machine_doubt(m, c,
			      "the values it is derived from are uncertain");
	c = machine_add(m, "FP_min", interval, "cycles",
			"the reciprocal throughput of additions");
	if (!good_each)
		machine_doubt(m, c,
			      "the values it is derived from are uncertain");
	c = machine_add(m, "issue_width", width, "per cycle",
			"simple instructions of several kinds per cycle; "
			"checked by NOPs");
	if (!good_issue)
		machine_doubt(m, c, "not an integer number per cycle");
	else if (!is_limited_by_width(m, issue->value))
		machine_doubt(m, c, "NOPs are faster or slower");
}

static bool works(const struct arch_row *row)
{
	return !row->works || row->works();
}

/* All rows, several times over, so that a row's timings lie apart. */
static void time_rows(struct lab *lab, struct best *best, size_t n)
{
	unsigned passes = lab->clock.is_cycles ? 1 : PASSES;

	for (unsigned p = 0; p < passes; p++) {
		for (size_t i = 0; i < n; i++)
			if (works(&arch_rows[i]))
				best_take(&best[i],
					  time_row(lab, &arch_rows[i]));
		if (lab->progress)
			lab->progress(lab->progress_context,
				      (double)(p + 1) / passes);
	}
}

int part_units(struct lab *lab, struct machine *m)
{
	struct best *best;
	size_t n = 0;

	while (arch_rows[n].name)
		n++;
	best = calloc(n + 1, sizeof(*best));
	if (!best)
		return PAPI_ENOMEM;
	time_rows(lab, best, n);
	for (size_t i = 0; i < n; i++) {
		const struct arch_row *row = &arch_rows[i];
		bool sure;
		struct timing timing = best_pick(&best[i], SURE, &sure);

		if (!works(row)) {
			say_missing(m, row);
			continue;
		}
		if (row->minus) {
			double part = machine_get(m, row->minus);

			timing.low -= part;
			timing.value -= part;
			timing.median -= part;
		}
		say_row(m, row, &timing, sure || lab->clock.is_cycles);
	}
	free(best);
	say_sums(m);
	return 0;
}
