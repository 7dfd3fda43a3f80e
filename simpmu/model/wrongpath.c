/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The wrong path: what a core fetches and executes between a misprediction and
 * its discovery.
 *
 * The walk starts where the branch was predicted to go and reads code, without
 * executing it, for a fixed number of instructions: conditional branches go
 * where the predictor says with a copy of the history (TAGE: where it said the
 * last time), returns by a copy of the return stack, indirect branches to
 * their predicted targets. Nothing is learnt.
 *
 * Known lies: the length of the walk is a parameter of the machine, whatever
 * the branch waited for; a second misprediction on the wrong path is not
 * discovered there; loads are counted but their addresses are not known, so
 * caches see none of it; fetches of the wrong path do not touch L1I.
 */

#include "simpmu/model/predict.h"

static uint64_t first_bits(uint32_t count)
{
	return count >= 64 ? UINT64_MAX : (UINT64_C(1) << count) - 1;
}

static void count_run(struct core *core, const struct code_run *run,
		      uint32_t count)
{
	uint64_t mask = first_bits(count);

	core->signals[SIG_WP_INS] += count;
	if (core->model->parts & PART_CYCLE)
		core->signals[SIG_ISSUED] += count;
	core->signals[SIG_WP_LOAD] +=
		(uint64_t)__builtin_popcountll(run->load_mask & mask);
	core->signals[SIG_WP_STORE] +=
		(uint64_t)__builtin_popcountll(run->store_mask & mask);
}

static bool settled_direction(const struct core *core, uint64_t pc, bool *taken)
{
	uint32_t entry = core->bias[bias_index(pc)];

	*taken = entry == bias_key(pc, true);
	return core->model->params.bias_limit &&
	       (*taken || entry == bias_key(pc, false));
}

static uint64_t follow_cond(struct core *core, struct history *history,
			    const struct code_run *run)
{
	bool taken;

	if (!settled_direction(core, run->end_pc, &taken)) {
		taken = predict_direction(core->predictor, history, run->end_pc,
					  run->target);
		history_push(history, core->predictor->long_history, taken);
	}
	core->signals[SIG_WP_BR_COND]++;
	if (taken)
		core->signals[SIG_WP_BR_TAKEN]++;
	return taken ? run->target : run->next;
}

/* Where the path goes after the branch that ends @run; 0: nowhere. */
static uint64_t follow(struct core *core, struct history *history,
		       const struct code_run *run)
{
	uint32_t depth = core->model->params.ras_depth;
	uint64_t target;

	if (run->end == BRANCH_NONE)
		return run->next;
	if (run->end == BRANCH_STOP)
		return 0;
	if (run->end == BRANCH_COND)
		return follow_cond(core, history, run);
	core->signals[SIG_WP_BR_OTHER]++;
	switch (run->end) {
	case BRANCH_RETURN:
		return ras_pop(history, depth);
	case BRANCH_IND_JUMP:
	case BRANCH_IND_CALL:
		target = target_predict(core->predictor, history, run->end_pc);
		break;
	default:
		target = run->target;
	}
	if (run->end == BRANCH_CALL || run->end == BRANCH_IND_CALL)
		ras_push(history, depth, run->next);
	return target;
}

void wrongpath_walk(struct core *core, struct history *history,
		    uint64_t address)
{
	const struct model *model = core->model;
	uint32_t left = model->params.wrong_path;
	struct code_run run;

	while (left && address &&
	       model->decode(model->decode_ctx, address, &run) && run.count) {
		uint32_t count = run.count < left ? run.count : left;

		count_run(core, &run, count);
		left -= count;
		if (count < run.count)
			return;
		address = follow(core, history, &run);
	}
}
