/* SPDX-License-Identifier: BSD-3-Clause */
/* The machine as a whole: making it, adding cores, page sizes, emptying. */

#include "simpmu/model/cycle.h"
#include "simpmu/model/machine.h"
#include "simpmu/model/predict.h"

static unsigned log2_of(uint32_t value)
{
	return 31u - (unsigned)__builtin_clz(value);
}

static unsigned with_needed(unsigned parts)
{
	if (parts & PART_CYCLE)
		parts |= PART_BRANCH | PART_FETCH | PART_DATA;
	return parts;
}

struct model *model_new(const struct params *params, unsigned parts,
			const struct model_alloc *alloc)
{
	struct memory memory = { .alloc = *alloc };
	struct model *model = alloc->get(alloc->ctx, sizeof(*model));

	if (!model)
		return NULL;
	model->params = *params;
	model->memory = memory;
	model->parts = with_needed(parts);
	model->line_shift = log2_of(params->line_bytes);
	model->l3.bit_plru = params->l3.replacement == REPLACE_BIT_PLRU;
	if (params->l3_kind != L3_NONE &&
	    (!sets_init(&model->l3, &model->memory, params->l3.sets,
			params->l3.ways) ||
	     !sets_make_large(&model->l3, &model->memory))) {
		model_free(model);
		return NULL;
	}
	return model;
}

void model_free(struct model *model)
{
	struct model_alloc alloc;

	if (!model)
		return;
	alloc = model->memory.alloc;
	memory_put_all(&model->memory);
	if (alloc.put)
		alloc.put(alloc.ctx, model, sizeof(*model));
}

void model_set_decoder(struct model *model, decode_fn *decode, void *ctx)
{
	model->decode = decode;
	model->decode_ctx = ctx;
}

/* ---- cores ---- */

/* Make what @parts need and the core does not have yet. */
static bool equip(struct core *core, unsigned parts)
{
	if (!core->mem && parts & (PART_FETCH | PART_DATA) &&
	    !levels_init(core))
		return false;
	if (!core->predictor && parts & PART_BRANCH && !predict_init(core))
		return false;
	return core->cycles || !(parts & PART_CYCLE) || cycle_init(core);
}

bool model_set_parts(struct model *model, unsigned parts)
{
	parts = with_needed(parts);
	if (parts == model->parts)
		return true;
	for (unsigned i = 0; i < model->cores; i++)
		if (!equip(model->core[i], parts))
			return false;
	model->kept = false;
	if (!coherence_rebuild(model))
		return false;
	model->parts = parts;
	return true;
}

struct core *model_add_core(struct model *model)
{
	struct core *core;

	if (model->cores == MODEL_MAX_CORES)
		return NULL;
	core = memory_get_apart(&model->memory, sizeof(*core));
	if (!core)
		return NULL;
	core->model = model;
	core->late = core->in_cycles = core->tallies;
	core->index = model->cores;
	core->line_shift = model->line_shift;
	core->line_bytes = model->params.line_bytes;
	core->clock = 1;
	if (!equip(core, model->parts))
		return NULL;
	model->core[model->cores++] = core;
	model->kept = false;
	if (!coherence_rebuild(model)) {
		model->cores--;
		return NULL;
	}
	return core;
}

void model_spread(struct core *core)
{
	if (!core->mem)
		return;
	side_spread(&core->mem->data);
	side_spread(&core->mem->code);
}

unsigned model_core_count(const struct model *model)
{
	return model->cores;
}

struct core *model_core(struct model *model, unsigned index)
{
	return index < model->cores ? model->core[index] : NULL;
}

void model_flush(struct model *model)
{
	for (unsigned i = 0; i < model->cores; i++) {
		struct core *core = model->core[i];

		if (core->mem)
			levels_flush(core);
		if (core->predictor)
			predict_flush(core);
		if (core->cycles)
			cycle_drain(core);
	}
	if (model->params.l3_kind != L3_NONE)
		sets_flush(&model->l3);
	coherence_flush(model);
}

/* ---- huge pages ---- */

static bool make_room(struct model *model)
{
	size_t capacity = model->huge_capacity ? model->huge_capacity * 2 : 16;
	struct huge_range *ranges;

	if (model->huge_count + 1 < model->huge_capacity)
		return true;
	ranges = memory_get_apart(&model->memory, capacity * sizeof(*ranges));
	if (!ranges)
		return false;
	for (size_t i = 0; i < model->huge_count; i++)
		ranges[i] = model->huge[i];
	memory_put(&model->memory, model->huge);
	model->huge = ranges;
	model->huge_capacity = capacity;
	return true;
}

/* Cut [first, end) out of all ranges; may need one more range. */
static void cut_out(struct model *model, uint64_t first, uint64_t end)
{
	size_t count = model->huge_count;

	for (size_t i = 0; i < count; i++) {
		struct huge_range *r = &model->huge[i];
		struct huge_range tail = { end, r->end };

		if (r->first >= end || r->end <= first)
			continue;
		r->end = r->first < first ? first : r->first;
		if (tail.first < tail.end)
			model->huge[model->huge_count++] = tail;
	}
	count = 0;
	for (size_t i = 0; i < model->huge_count; i++)
		if (model->huge[i].first < model->huge[i].end)
			model->huge[count++] = model->huge[i];
	model->huge_count = count;
}

/*
 * Translations of the old size must go, or the filter and the TLBs would know
 * two pages for one address.
 */
static void forget_pages(struct model *model)
{
	for (unsigned i = 0; i < model->cores; i++)
		if (model->core[i]->mem)
			tlb_flush(model->core[i]);
}

bool model_set_huge(struct model *model, uint64_t start, uint64_t end,
		    bool huge)
{
	const uint64_t round = ((uint64_t)1 << HUGE_SHIFT) - 1;
	struct huge_range range = { (start + round) >> HUGE_SHIFT,
				    end >> HUGE_SHIFT };

	if (!huge) {
		range.first = start >> HUGE_SHIFT;
		range.end = (end + round) >> HUGE_SHIFT;
	}
	if (start >= end || range.first >= range.end)
		return true;
	if (!huge && !model->huge_count)
		return true;
	if (!make_room(model))
		return false;
	cut_out(model, range.first, range.end);
	if (huge)
		model->huge[model->huge_count++] = range;
	forget_pages(model);
	return true;
}
