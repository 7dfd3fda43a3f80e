/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Keeping what the machine is like, and bringing it back.
 *
 * All of it lies in pieces of model->memory, but for the L3, of which only what
 * has changed is copied, and for the part of a core that translated code works
 * on. Tallies are no part of it: they only ever grow.
 */

#include "simpmu/model/machine.h"
#include "simpmu/model/watch.h"

struct core_kept {
	uint64_t clock;
	struct filter data;
	struct filter code;
	uint32_t bias[BIAS_SIZE];
	bool mispredicted;
	bool btb_missed;
	uint16_t wrong_path;
};

static bool keep_core(struct core *core)
{
	struct core_kept *k = core->kept;

	if (!k)
		k = memory_get_apart(&core->model->memory, sizeof(*k));
	core->kept = k;
	if (!k)
		return false;
	k->clock = core->clock;
	k->data = core->data;
	k->code = core->code;
	__builtin_memcpy(k->bias, core->bias, sizeof(k->bias));
	k->mispredicted = core->mispredicted;
	k->btb_missed = core->btb_missed;
	k->wrong_path = core->wrong_path;
	return true;
}

static void bring_back_core(struct core *core)
{
	const struct core_kept *k = core->kept;

	watch_end(core);
	core->clock = k->clock;
	core->data = k->data;
	core->code = k->code;
	__builtin_memcpy(core->bias, k->bias, sizeof(k->bias));
	core->mispredicted = k->mispredicted;
	core->btb_missed = k->btb_missed;
	core->wrong_path = k->wrong_path;
}

bool model_keep(struct model *model)
{
	model->kept = memory_keep(&model->memory);
	if (model->params.l3_kind != L3_NONE)
		model->kept =
			model->kept && sets_keep(&model->l3, &model->memory);
	for (unsigned i = 0; i < model->cores; i++)
		model->kept = model->kept && keep_core(model->core[i]);
	return model->kept;
}

bool model_bring_back(struct model *model)
{
	if (!model->kept)
		return false;
	memory_bring_back(&model->memory);
	if (model->params.l3_kind != L3_NONE)
		sets_bring_back(&model->l3);
	for (unsigned i = 0; i < model->cores; i++)
		bring_back_core(model->core[i]);
	return true;
}
