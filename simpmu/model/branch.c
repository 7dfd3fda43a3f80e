/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The branch hook: one branch retires. Directions and targets are predicted
 * and learnt elsewhere; here is what each kind of branch asks for, and what a
 * misprediction sets off.
 */

#include "simpmu/model/cycle.h"
#include "simpmu/model/predict.h"

#define BIAS_COUNT 0x1ffu
#define BIAS_TAKEN 0x200u

/* Go where the branch was expected to go, knowing what was known then: with
 * @flip the newest outcome in the history was expected the other way. */
static void mispredict(struct core *core, unsigned signal, bool flip,
		       uint64_t expected)
{
	struct history history;

	core->signals[signal]++;
	core->mispredicted = true;
	if (!core->model->decode || !expected)
		return;
	history = core->predictor->history;
	history.word[0] ^= flip;
	wrongpath_walk(core, &history, expected);
}

/* Taken branches want to be known; asking about all costs less than finding
 * out which are. */
static void check_btb(struct core *core, uint64_t pc, bool taken)
{
	if (!(taken & !target_known(core, pc)))
		return;
	target_learn(core, pc);
	core->signals[SIG_BTB_MISS]++;
	if (core->model->parts & PART_CYCLE)
		cycle_note_btb_miss(core);
}

/*
 * A settled branch that goes its way touches nothing, so that callers may leave
 * it out; its target counts as known. If it goes the other way it is settled no
 * more; neither enters the history.
 */
/* One more outcome of a branch that is not settled; @key: what it would be if
 * it were, this way. */
static uint32_t bias_counted(const struct predictor *p, uint32_t entry,
			     uint32_t key)
{
	uint32_t differs = entry ^ key;
	uint32_t turned = 0 - (differs / BIAS_TAKEN & 1); /* no branch */

	if (differs & ~(BIAS_COUNT | BIAS_TAKEN)) {
		entry = (key & ~BIAS_COUNT) | p->bias_start;
		turned = 0;
	}
	entry = (entry & ~turned) | (key & ~BIAS_COUNT & turned);
	return (entry & BIAS_COUNT) + 1 >= p->bias_limit ? key : entry + 1;
}

static void take_cond(struct core *core, const struct branch *b)
{
	struct predictor *p = core->predictor;
	uint32_t *bias = &core->bias[bias_index(b->pc)];
	uint32_t key = bias_key(b->pc, b->taken);
	bool settled = *bias == (key ^ BIAS_TAKEN), right = false;

	if (*bias == key)
		return;
	if (settled) /* it must earn it anew, the other way */
		*bias = key & ~BIAS_COUNT;
	else
		right = predict_and_train(core, b->pc, b->target, b->taken);
	if (p->bias_limit && !settled)
		*bias = bias_counted(p, *bias, key);
	if (!right) {
		core->signals[SIG_BR_MISP_TAKEN] += b->taken;
		mispredict(core, SIG_BR_MISP, !settled,
			   b->taken ? b->next : b->target);
	}
	check_btb(core, b->pc, b->taken);
}

static void take_return(struct core *core, const struct branch *b)
{
	struct predictor *p = core->predictor;
	uint64_t expected = ras_pop(&p->history, p->params->ras_depth);

	if (expected != b->target)
		mispredict(core, SIG_BR_MISP_RET, false, expected);
}

static void take_indirect(struct core *core, const struct branch *b)
{
	struct predictor *p = core->predictor;
	uint64_t expected = target_predict(p, &p->history, b->pc);

	target_train(p, b->pc, b->target);
	if (b->kind == BRANCH_IND_CALL)
		ras_push(&p->history, p->params->ras_depth, b->next);
	if (expected != b->target)
		mispredict(core, SIG_BR_MISP_IND, false, expected);
}

void model_branch(struct core *core, const struct branch *b)
{
	struct predictor *p = core->predictor;

	core->mispredicted = false;
	if (b->kind == BRANCH_COND) {
		take_cond(core, b);
		return;
	}
	switch (b->kind) {
	case BRANCH_CALL:
		ras_push(&p->history, p->params->ras_depth, b->next);
		/* fallthrough */
	case BRANCH_JUMP:
		check_btb(core, b->pc, true);
		break;
	case BRANCH_RETURN:
		take_return(core, b);
		break;
	case BRANCH_IND_JUMP:
	case BRANCH_IND_CALL:
		take_indirect(core, b);
		break;
	default:
		break;
	}
}

bool predict_init(struct core *core)
{
	struct memory *memory = &core->model->memory;
	struct predictor *p = memory_get(memory, sizeof(*p));
	const struct params *params = &core->model->params;

	core->predictor = p;
	if (!p)
		return false;
	p->params = params;
	p->kind = params->predictor;
	p->long_history = params->tage_tables &&
			  params->tage_history[params->tage_tables - 1] > 128;
	p->bias_limit = params->bias_limit;
	p->base_mask = (UINT64_C(1) << params->base_bits) - 1;
	p->history_mask = (UINT64_C(1) << params->history_bits) - 1;
	p->base = memory_get(memory, (size_t)1 << params->base_bits);
	p->local = memory_get(memory, sizeof(*p->local) << params->local_bits);
	if (!p->base || !p->local || !target_init(core) ||
	    !tage_init(p, memory) || !hybrid_init(p, memory))
		return false;
	if (params->bias_trust && params->bias_trust < params->bias_limit)
		p->bias_start = params->bias_limit - params->bias_trust;
	predict_flush(core);
	return true;
}

void predict_flush(struct core *core)
{
	struct predictor *p = core->predictor;

	p->history = (struct history){ 0 };
	for (size_t i = 0; i < (size_t)1 << p->params->base_bits; i++)
		p->base[i] = 1; /* weakly not taken */
	for (size_t i = 0; i < (size_t)1 << p->params->local_bits; i++)
		p->local[i] = 0;
	for (size_t i = 0; i < BIAS_SIZE; i++)
		core->bias[i] = 0;
	target_flush(core);
	tage_flush(p);
	hybrid_flush(p);
}
