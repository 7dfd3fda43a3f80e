/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The parts in their order, and the time that each may take. Time is wall
 * time: on a busy machine a part takes fewer samples, and says so by being
 * less certain.
 */
#include "machine/machine.h"

#include <unistd.h>

#include "base/array.h"
#include "base/clock.h"
#include "machine/parts.h"

#define MEMORY      ((size_t)2 << 30) /* address space, hardly any of it used */
#define ROUNDS      31
#define FULL_ROUNDS 61

static const struct {
	part_fn run;
	double quick, full; /* seconds it may take */
} parts[] = {
	{ part_clock, 0.3, 0.5 }, { part_l1, 1.2, 6 },
	{ part_tlb, 2.8, 14 },    { part_stlb, 1.2, 8 },
	{ part_l2, 3.5, 14 },     { part_l1i, 0.6, 3 },
	{ part_memory, 1.2, 18 }, { part_units, 0.6, 4 },
	{ part_branch, 0.3, 1 },  { part_streams, 1.0, 8 },
	{ part_pair, 0.8, 2 },    { part_page_rate, 0.2, 0.5 },
};

/* How far all of it is, from how far the present part is. */
struct overall {
	const struct measure_options *options;
	double before, share; /* seconds: parts done, and the present one */
	double all;
	double shown; /* it never goes back */
};

static void report_progress(void *context, double done)
{
	struct overall *o = context;
	double share;

	if (!o->options->progress)
		return;
	share = (o->before + o->share * (done < 1 ? done : 1)) / o->all;
	if (share > o->shown)
		o->shown = share;
	o->options->progress(o->options->context, o->shown);
}

static double seconds_of(size_t i, bool quick)
{
	return quick ? parts[i].quick : parts[i].full;
}

static int run_parts(struct lab *lab, struct machine *m, struct overall *o)
{
	bool quick = o->options->quick;
	int err = 0;

	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		o->all += seconds_of(i, quick);
	for (size_t i = 0; !err && i < ARRAY_SIZE(parts); i++) {
		o->share = seconds_of(i, quick);
		if (!lab->clock.is_cycles)
			lab->deadline_ns =
				clock_real_ns() + (uint64_t)(o->share * 1e9);
		err = parts[i].run(lab, m);
		report_progress(o, 1);
		o->before += o->share;
	}
	return err;
}

int machine_measure(const struct measure_options *options, struct machine *m)
{
	struct overall overall = { .options = options };
	uint64_t start = clock_real_ns();
	struct lab lab;
	int err = lab_init(&lab, options->clock, MEMORY);

	if (err)
		return err;
	lab.quick = options->quick;
	if (!options->clock.is_cycles)
		lab.rounds = options->quick ? ROUNDS : FULL_ROUNDS;
	lab.page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	lab.progress = report_progress;
	lab.progress_context = &overall;
	err = run_parts(&lab, m, &overall);
	parts_spread_doubt(m);
	m->quick = options->quick;
	m->seconds = (double)(clock_real_ns() - start) * 1e-9;
	m->discarded = (double)lab.thrown / (double)(lab.kept + lab.thrown);
	lab_fini(&lab);
	return !err && m->failed ? PAPI_ENOMEM : err;
}
