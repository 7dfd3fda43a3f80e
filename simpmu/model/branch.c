/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The branch hook: one branch retires. Directions and targets are predicted
 * and learnt elsewhere; here is what each kind of branch asks for, and what a
 * misprediction sets off.
 */

#include "simpmu/model/machine.h"
#include "simpmu/model/predict.h"

#define BIAS_COUNT 0x1ffu
#define BIAS_TAKEN 0x200u

/* How often a branch may be trusted again before it must earn it. */
#define BIAS_CREDIT 64

/* Go where the branch was expected to go, knowing what was known then: with
 * @flip the newest outcome in the history was expected the other way. */
static void mispredict(struct core *core, unsigned tally, bool flip,
		       uint64_t expected)
{
	core->late[tally]++;
	core->mispredicted = true;
	core->wrong_path = 0;
	if (core->model->decode && expected)
		wrongpath_walk(core, flip, expected);
}

__attribute__((noinline)) static void miss_btb(struct core *core, uint64_t pc)
{
	target_learn(core, pc);
	core->late[TALLY_BTB_MISS]++;
	if (core->model->parts & PART_CYCLE)
		core->btb_missed = true;
}

/* Taken branches want to be known; asking about all costs less than finding
 * out which are. */
static inline void check_btb(struct core *core, uint64_t pc, bool taken)
{
	if (taken & !target_known(core, pc))
		miss_btb(core, pc);
}

/* ---- conditional branches ---- */

/* Seldom needed, and kept apart so that what is needed often stays small. */
__attribute__((noinline)) static void
mispredict_cond(struct core *core, const struct branch *b, bool flip)
{
	core->late[TALLY_BR_MISP_TAKEN] += b->taken;
	mispredict(core, TALLY_BR_MISP, flip, b->taken ? b->next : b->target);
}

/*
 * A settled branch that goes its way touches nothing, so that callers may leave
 * it out; its target counts as known. If it goes the other way it is settled no
 * more; neither enters the history. One that had earned it, by as many equal
 * outcomes as it takes, is soon trusted again: the branch of a long loop, say.
 * But not for ever: now and then it must earn it anew.
 */
__attribute__((noinline)) static void unsettle(struct core *core,
					       const struct branch *b)
{
	struct predictor *p = core->predictor;
	uint32_t i = bias_index(b->pc);
	bool trusted = p->bias_credit[i] != 0;

	core->bias[i] &= ~BIAS_COUNT;
	if (trusted)
		core->bias[i] |= p->bias_start;
	p->bias_credit[i] =
		trusted ? (uint8_t)(p->bias_credit[i] - 1) : BIAS_CREDIT;
	mispredict_cond(core, b, false);
	check_btb(core, b->pc, b->taken);
}

/* One more outcome of a branch that is not settled; @key: what it would be if
 * it were, this way. */
static inline uint32_t bias_counted(struct predictor *p, uint32_t slot,
				    uint32_t entry, uint32_t key)
{
	uint32_t differs = entry ^ key;
	uint32_t count = differs <= BIAS_COUNT ? entry & BIAS_COUNT : 0;

	if (differs > (BIAS_COUNT | BIAS_TAKEN)) { /* another branch */
		p->bias_credit[slot] = 0;
		count = p->bias_start;
	}
	count++;
	return count >= p->bias_limit ? key : (key & ~BIAS_COUNT) + count;
}

static inline void take_cond(struct core *core, const struct branch *b)
{
	const uint64_t pc = b->pc;
	const bool taken = b->taken;
	const uint32_t slot = bias_index(pc), key = bias_key(pc, taken);
	const uint32_t entry = core->bias[slot];
	struct predictor *p = core->predictor;
	bool right;

	core->mispredicted = false;
	if (entry == key)
		return;
	if (__builtin_expect(entry == (key ^ BIAS_TAKEN), false)) {
		unsettle(core, b);
		return;
	}
	right = predict_and_train(p, pc, b->target, taken);
	if (p->bias_limit)
		core->bias[slot] = bias_counted(p, slot, entry, key);
	if (__builtin_expect(!right, false))
		mispredict_cond(core, b, true);
	check_btb(core, pc, taken);
}

void model_cond(struct core *core, const struct branch *b)
{
	take_cond(core, b);
}

/* ---- others ---- */

static void take_return(struct core *core, uint64_t target)
{
	struct predictor *p = core->predictor;
	uint64_t expected = ras_pop(&p->history, p->params->ras_depth);

	if (expected != target)
		mispredict(core, TALLY_BR_MISP_RET, false, expected);
}

static void take_indirect(struct core *core, const struct branch *b,
			  uint64_t target)
{
	struct predictor *p = core->predictor;
	uint64_t expected = target_predict(p, &p->history, b->pc);

	target_train(p, b->pc, target);
	if (b->kind == BRANCH_IND_CALL)
		ras_push(&p->history, p->params->ras_depth, b->next);
	if (expected != target)
		mispredict(core, TALLY_BR_MISP_IND, false, expected);
}

void model_other(struct core *core, const struct branch *b, uint64_t target)
{
	struct predictor *p = core->predictor;

	core->mispredicted = false;
	switch (b->kind) {
	case BRANCH_CALL:
		ras_push(&p->history, p->params->ras_depth, b->next);
		/* fallthrough */
	case BRANCH_JUMP:
		check_btb(core, b->pc, true);
		break;
	case BRANCH_RETURN:
		take_return(core, target);
		break;
	case BRANCH_IND_JUMP:
	case BRANCH_IND_CALL:
		take_indirect(core, b, target);
		break;
	default:
		break;
	}
}

void model_branch(struct core *core, const struct branch *b)
{
	if (b->kind == BRANCH_COND)
		model_cond(core, b);
	else
		model_other(core, b, b->target);
}

void model_catch_up_branches(struct core *core, const uint64_t *record,
			     size_t words)
{
	const uint64_t *end = record + words;

	while (record < end) {
		uint64_t word = *record++;
		const struct branch *b =
			(const struct branch *)(uintptr_t)(word &
							   ~(uint64_t)
								   LATER_KIND);

		if (__builtin_expect((word & LATER_KIND) == LATER_COND, true))
			take_cond(core, b);
		else if ((word & LATER_KIND) == LATER_DIRECT)
			model_other(core, b, b->target);
		else
			model_other(core, b, *record++);
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
	for (size_t i = 0; i < BIAS_SIZE; i++) {
		core->bias[i] = 0;
		p->bias_credit[i] = 0;
	}
	target_flush(core);
	tage_flush(p);
	hybrid_flush(p);
}
