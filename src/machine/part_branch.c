/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a mispredicted branch costs: branches on random bits, new ones for each
 * sample so that no predictor can learn them, against branches on bits that
 * are all alike. Half of the random ones are mispredicted.
 */
#include "machine/parts.h"

#include <math.h>

#include "machine/loads.h"

#define WORDS 256

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

int part_branch(struct lab *lab, struct machine *m)
{
	struct bits bits;
	struct timing points[PATTERNS] = { { 0 } };
	struct machine_constant *c;
	struct timing cost;
	double known;
	int err;

	for (int i = 0; i < PATTERNS; i++)
		points[i].x = i;
	err = lab_sweep(lab, points, PATTERNS, prepare_bits, &bits);
	if (err)
		return err;
	known = (points[ZEROS].value + points[ONES].value) / 2;
	cost = points[RANDOM];
	/* Nothing hides the test that a branch after a misprediction waits
	 * for. */
	cost.low = (cost.low - known) * 2 - LOAD_TEST;
	cost.value = (cost.value - known) * 2 - LOAD_TEST;
	cost.median = (cost.median - known) * 2 - LOAD_TEST;
	c = part_latency(m, "BR_miss_lat", &cost, false,
			 "branches on random bits, of which half are "
			 "mispredicted, against branches on bits that are all "
			 "alike");
	if (c)
		c->value = round(cost.value * 10) / 10;
	if (!points[ZEROS].samples || !points[ONES].samples)
		machine_doubt(m, c, "no sample was left undisturbed");
	return 0;
}
