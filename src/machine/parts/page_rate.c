/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How fast the second-level TLB gives pages: loads that wait for nothing, of
 * one line in each of twice as many pages as the first level has entries, over
 * and over in order. The lines stay in the first cache.
 */
#include "machine/parts.h"

#include <math.h>

#define TURNS  2    /* as many pages as there are entries */
#define HELD   0.75 /* of the first cache's lines at most */
#define PASSES 5
#define SURE   0.03 /* two passes agree within this */

static void prepare_pages(struct lab *lab, void *context, double x,
			  struct load *load)
{
	struct load_pages *pages = context;

	*pages = (struct load_pages){
		.from = lab->memory,
		.n = (size_t)x / LOAD_PAGES_STEPS * LOAD_PAGES_STEPS,
		.spacing = lab->page_bytes + lab->line_bytes,
	};
	*load = (struct load){
		.run = loads_pages,
		.arg = pages,
		.times = 64,
		.warm = 2,
		.operations = 64 * (double)pages->n,
		.steady = true,
	};
}

static void say(struct machine *m, const struct best *best, bool exact)
{
	bool sure;
	struct timing timing = best_pick(best, SURE, &sure);
	struct machine_constant *c = machine_add(
		m, "STLB_min", machine_round(timing.value), "cycles",
		"independent loads whose translations are only in the "
		"second-level TLB");

	if (!c)
		return;
	c->spread = timing_spread(&timing);
	if (timing.samples == 0)
		machine_doubt(m, c, "every sample was disturbed");
	else if (!(c->spread <= PART_SPREAD))
		machine_doubt(m, c, "the samples vary too much");
	else if (!exact && !sure)
		machine_doubt(m, c,
			      "only one of several measurements gave this "
			      "value");
}

int part_page_rate(struct lab *lab, struct machine *m)
{
	double lines = machine_get(m, "L1D_bytes") / (double)lab->line_bytes;
	double pages = TURNS * machine_get(m, "DTLB_entries");
	unsigned passes = lab->clock.is_cycles ? 1 : PASSES;
	struct best best = { .n = 0 };
	struct load_pages context;
	int err = 0;

	if (!(pages <= HELD * lines) ||
	    !(machine_get(m, "STLB_entries") > pages))
		return 0;
	for (unsigned i = 0; !err && i < passes; i++) {
		struct timing point = { .x = pages };

		err = lab_sweep(lab, &point, 1, prepare_pages, &context);
		best_take(&best, point);
	}
	if (!err)
		say(m, &best, lab->clock.is_cycles);
	return err;
}
