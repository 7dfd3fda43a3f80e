/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Hybrid: gshare predicts, and TAGE's tables, with longer histories, are asked
 * about those branches where they proved better.
 *
 * A branch is judged over windows of predictions made by both. If the tables
 * were seldom of use, or wrong about as often as right where they differed,
 * the branch is left to gshare alone, until enough of its predictions were
 * wrong; each failure in a row doubles that number. Loops whose exits show in
 * the longer histories, and patterns, keep the tables; noise does not.
 *
 * Known lie: that tables are not asked changes no time in the modelled machine
 * (its point is the time that modelling takes). A branch whose behaviour
 * changes finds its way back to the tables late.
 */

#include "simpmu/model/predict.h"

#define WINDOW     512
#define GAIN_MIN   3 /* of a window: loops of up to 129 have as many exits */
#define REST_FIRST 8
#define REST_MAX   2048

/* A window is over. */
static void decide(struct judge *judge)
{
	bool worth = judge->gain >= GAIN_MIN && judge->gain > 4 * judge->loss;

	judge->seen = judge->gain = judge->loss = 0;
	if (worth) {
		judge->next_rest = REST_FIRST;
		return;
	}
	judge->rest = judge->next_rest;
	if (judge->next_rest < REST_MAX)
		judge->next_rest *= 2;
}

bool hybrid_ask_both(struct predictor *p, struct judge *judge, uint8_t *base,
		     uint64_t pc, bool taken)
{
	uint8_t counter = *base;
	bool base_right = (counter >= 2) == taken;
	bool right = tage_train(p, base, pc, taken);

	*base = counter_trained(counter, taken); /* whoever decided */
	if (right && !base_right)
		judge->gain++;
	if (!right && base_right)
		judge->loss++;
	if (++judge->seen == WINDOW)
		decide(judge);
	return right;
}

bool hybrid_init(struct predictor *predictor, struct memory *memory)
{
	predictor->judge =
		memory_get(memory, sizeof(*predictor->judge) << JUDGE_BITS);
	return predictor->judge;
}

void hybrid_flush(struct predictor *predictor)
{
	for (uint32_t i = 0; i < 1u << JUDGE_BITS; i++)
		predictor->judge[i] = (struct judge){ .next_rest = REST_FIRST };
}
