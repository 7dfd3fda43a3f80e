/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Directions of conditional branches, and the branch hook.
 *
 * Modelling decisions and known lies: predictors learn when a branch retires,
 * so nothing is in flight; all 2-bit counters start weakly not taken; nothing
 * is learnt on wrong paths. A branch that went the same way bias_limit times
 * in a row is settled: it is predicted so and stays out of tables and history
 * until it once goes the other way; one that never did, or that had been
 * settled by bias_limit outcomes before, is settled after only bias_trust
 * outcomes. Calls and returns push and pop the return stack, which overwrites
 * its oldest entry when full.
 */

#include "simpmu/model/predict.h"

#define WEAKLY_NOT_TAKEN 1

static uint32_t low_bits(uint64_t value, uint32_t bits)
{
	return (uint32_t)(value & ((UINT64_C(1) << bits) - 1));
}

/* Which 2-bit counter decides, for the predictors that have only those. */
static uint32_t counter_index(const struct predictor *p,
			      const struct history *history, uint64_t pc)
{
	const struct params *params = p->params;

	switch (params->predictor) {
	case PREDICT_LOCAL:
		return low_bits(
			pc << params->history_bits |
				p->local[low_bits(pc, params->local_bits)],
			params->base_bits);
	case PREDICT_GSHARE:
	case PREDICT_HYBRID:
		return low_bits(
			pc ^ low_bits(history->word[0], params->history_bits),
			params->base_bits);
	default:
		return low_bits(pc, params->base_bits);
	}
}

bool predict_direction(const struct predictor *p, const struct history *history,
		       uint64_t pc, uint64_t target)
{
	if (p->params->predictor == PREDICT_STATIC)
		return target <= pc;
	if (p->params->predictor == PREDICT_TAGE)
		return *latest_of(p, pc);
	return p->base[counter_index(p, history, pc)] >= 2;
}

static bool train_counter(struct predictor *p, uint8_t *counter, uint64_t pc,
			  bool taken)
{
	bool right = (*counter >= 2) == taken;

	*counter = counter_trained(*counter, taken);
	if (p->params->predictor == PREDICT_LOCAL) {
		uint16_t *local =
			&p->local[low_bits(pc, p->params->local_bits)];

		*local = (uint16_t)low_bits((uint64_t)*local << 1 | taken,
					    p->params->history_bits);
	}
	return right;
}

bool predict_consult(struct predictor *p, uint64_t pc, uint64_t target,
		     bool taken)
{
	uint8_t *base = &p->base[counter_index(p, &p->history, pc)];

	if (p->kind == PREDICT_TAGE)
		return tage_train(p, base, pc, taken);
	if (p->kind == PREDICT_STATIC)
		return (target <= pc) == taken;
	return train_counter(p, base, pc, taken);
}
