/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a mispredicted branch costs: branches on random bits, new ones for each
 * sample so that no predictor can learn them, against branches on bits that
 * are all alike. Half of the random ones are mispredicted.
 */
#include "machine/parts.h"

#include <math.h>

#include "machine/lab.h"

#define WORDS  256
#define PASSES 5

enum pattern {
	ZEROS,
	ONES,
	RANDOM,
	PATTERNS
};

struct bits {
	const uint32_t *first;
	uint32_t words[WORDS];
};

static void prepare_bits(struct lab *lab, void *context, double x,
			 struct load *load)
{
	struct bits *bits = context;

	for (size_t i = 0; i < WORDS; i++) {
		if ((int)x == RANDOM)
			bits->words[i] = (uint32_t)(lab_random(lab, 0) >> 20);
		else
			bits->words[i] = (int)x == ONES ? ~0U : 0;
	}
	bits->first = bits->words;
	*load = (struct load){
		.run = loads_branches,
		.arg = &bits->first,
		.times = WORDS,
		/* Random bits must not be seen before they are timed. */
		.warm = (int)x == RANDOM ? 0 : WORDS,
		.operations = WORDS * LOAD_BRANCHES,
	};
}

static int time_once(struct lab *lab, struct bits *bits, struct best *best)
{
	struct timing points[PATTERNS] = { { 0 } };
	struct timing cost;
	double known;
	int err;

	for (int i = 0; i < PATTERNS; i++)
		points[i].x = i;
	err = lab_sweep(lab, points, PATTERNS, prepare_bits, bits);
	if (err || !points[ZEROS].samples || !points[ONES].samples)
		return err;
	known = (points[ZEROS].value + points[ONES].value) / 2;
	cost = points[RANDOM];
	/* Nothing hides the test that a branch after a misprediction waits
	 * for. */
	cost.low = (cost.low - known) * 2 - LOAD_TEST;
	cost.value = (cost.value - known) * 2 - LOAD_TEST;
	cost.median = (cost.median - known) * 2 - LOAD_TEST;
	best_take(best, cost);
	return 0;
}

int part_branch(struct lab *lab, struct machine *m)
{
	unsigned passes = lab->clock.is_cycles ? 1 : PASSES;
	struct best best = { .n = 0 };
	struct timing cost;
	bool sure;
	struct machine_constant *c;
	struct bits bits;
	int err = 0;

	for (unsigned i = 0; !err && i < passes; i++)
		err = time_once(lab, &bits, &best);
	if (err)
		return err;
	cost = best_pick(&best, PART_SPREAD / 2, &sure);
	c = part_latency(m, "BR_miss_lat", &cost, false,
			 "branches on random bits, half of them mispredicted, "
			 "against branches on constant bits");
	if (c)
		c->value = round(cost.value * 10) / 10;
	if (passes > 1 && !sure)
		machine_doubt(m, c,
			      "only one of several attempts gave this "
			      "value");
	return 0;
}
