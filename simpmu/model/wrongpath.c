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

/* The copy of what the predictor has seen that a walk goes on with. The return
 * stack is large and seldom needed: it is only copied when it is. */
struct walk {
	struct history history;
	bool has_stack;
};

static void start_walk(struct walk *walk, const struct core *core)
{
	const struct history *now = &core->predictor->history;

	for (int i = 0; i < HISTORY_WORDS; i++)
		walk->history.word[i] = now->word[i];
	walk->history.path = now->path;
	walk->has_stack = false;
}

static struct history *with_stack(struct walk *walk, const struct core *core)
{
	const struct history *now = &core->predictor->history;

	if (!walk->has_stack) {
		walk->has_stack = true;
		walk->history.ras_top = now->ras_top;
		walk->history.ras_used = now->ras_used;
		for (uint32_t i = 0; i < core->model->params.ras_depth; i++)
			walk->history.ras[i] = now->ras[i];
	}
	return &walk->history;
}

static uint64_t first_bits(uint32_t count)
{
	return count >= 64 ? UINT64_MAX : (UINT64_C(1) << count) - 1;
}

static void count_run(struct core *core, const struct code_run *run,
		      uint32_t count)
{
	uint64_t mask = first_bits(count);

	core->late[TALLY_WP_INS] += count;
	core->wrong_path = (uint16_t)(core->wrong_path + count);
	core->late[TALLY_WP_LOAD] +=
		(uint64_t)__builtin_popcountll(run->load_mask & mask);
	core->late[TALLY_WP_STORE] +=
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
	core->late[TALLY_WP_BR_COND]++;
	if (taken)
		core->late[TALLY_WP_BR_TAKEN]++;
	return taken ? run->target : run->next;
}

/* Where the path goes after the branch that ends @run; 0: nowhere. */
static uint64_t follow(struct core *core, struct walk *walk,
		       const struct code_run *run)
{
	uint32_t depth = core->model->params.ras_depth;
	uint64_t target;

	if (run->end == BRANCH_NONE)
		return run->next;
	if (run->end == BRANCH_STOP)
		return 0;
	if (run->end == BRANCH_COND)
		return follow_cond(core, &walk->history, run);
	core->late[TALLY_WP_BR_OTHER]++;
	switch (run->end) {
	case BRANCH_RETURN:
		return ras_pop(with_stack(walk, core), depth);
	case BRANCH_IND_JUMP:
	case BRANCH_IND_CALL:
		target = target_predict(core->predictor, &walk->history,
					run->end_pc);
		break;
	default:
		target = run->target;
	}
	if (run->end == BRANCH_CALL || run->end == BRANCH_IND_CALL)
		ras_push(with_stack(walk, core), depth, run->next);
	return target;
}

void wrongpath_walk(struct core *core, bool flip, uint64_t address)
{
	const struct model *model = core->model;
	uint32_t left = model->params.wrong_path;
	struct walk walk;

	start_walk(&walk, core);
	walk.history.word[0] ^= flip;
	while (left && address) {
		const struct code_run *run =
			model->decode(model->decode_ctx, address);
		uint32_t count;

		if (!run || !run->count)
			return;
		count = run->count < left ? run->count : left;
		count_run(core, run, count);
		left -= count;
		if (count < run->count)
			return;
		address = follow(core, &walk, run);
	}
}
