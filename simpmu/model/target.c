/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Targets: return stack, BTB, indirect branches.
 *
 * Modelling decisions and known lies: the BTB is direct-mapped and only tells
 * whether the target of a taken direct branch was known in time; a direct
 * branch it does not know costs a short delay, never a wrong path. Indirect
 * branches go where they went last time, or (ITTAGE) where they went last time
 * after the same eight indirect targets, if that was right before.
 */

#include "simpmu/model/predict.h"

#define CONFIDENCE_MAX 3

static uint32_t low_bits(uint64_t value, uint32_t bits)
{
	return (uint32_t)(value & ((UINT64_C(1) << bits) - 1));
}

void ras_push(struct history *history, uint32_t depth, uint64_t address)
{
	if (!depth)
		return;
	history->ras[history->ras_top] = address;
	history->ras_top =
		history->ras_top + 1 < depth ? history->ras_top + 1 : 0;
	if (history->ras_used < depth)
		history->ras_used++;
}

uint64_t ras_pop(struct history *history, uint32_t depth)
{
	if (!depth || !history->ras_used)
		return 0;
	history->ras_used--;
	history->ras_top = (history->ras_top ? history->ras_top : depth) - 1;
	return history->ras[history->ras_top];
}

static struct target *last_of(const struct predictor *p, uint64_t pc)
{
	uint32_t bits = p->params->indirect_bits;

	return &p->last[low_bits(pc ^ pc >> bits, bits)];
}

static struct target *pattern_of(const struct predictor *p, uint64_t path,
				 uint64_t pc)
{
	uint64_t x = (path ^ pc) * UINT64_C(0x9e3779b97f4a7c15);

	return &p->pattern[x >> (64 - p->params->indirect_bits)];
}

uint64_t target_predict(const struct predictor *p,
			const struct history *history, uint64_t pc)
{
	const struct target *t;

	if (p->pattern) {
		t = pattern_of(p, history->path, pc);
		if (t->pc == pc && t->confidence)
			return t->target;
	}
	t = last_of(p, pc);
	return t->pc == pc ? t->target : 0;
}

static void train_pattern(struct target *t, uint64_t pc, uint64_t target)
{
	if (t->pc == pc && t->target == target) {
		if (t->confidence < CONFIDENCE_MAX)
			t->confidence++;
	} else if (t->confidence) {
		t->confidence--;
	} else {
		*t = (struct target){ pc, target, 1 };
	}
}

void target_train(struct predictor *p, uint64_t pc, uint64_t target)
{
	if (p->pattern)
		train_pattern(pattern_of(p, p->history.path, pc), pc, target);
	*last_of(p, pc) = (struct target){ pc, target, 0 };
	p->history.path = p->history.path << 8 ^ (target >> 2 ^ target >> 10);
}

bool target_init(struct core *core)
{
	struct memory *memory = &core->model->memory;
	const struct params *params = &core->model->params;
	struct predictor *p = core->predictor;
	size_t bytes = sizeof(*p->last) << params->indirect_bits;

	p->last = memory_get(memory, bytes);
	if (params->indirect == INDIRECT_ITTAGE)
		p->pattern = memory_get(memory, bytes);
	if (params->btb_bits)
		core->btb = memory_get(memory, sizeof(*core->btb)
						       << params->btb_bits);
	core->btb_bits = params->btb_bits;
	core->btb_mask = (1u << params->btb_bits) - 1;
	return p->last && (p->pattern || params->indirect == INDIRECT_LAST) &&
	       (core->btb || !params->btb_bits);
}

void target_flush(struct core *core)
{
	struct predictor *p = core->predictor;

	for (size_t i = 0; i < (size_t)1 << p->params->indirect_bits; i++) {
		p->last[i] = (struct target){ 0 };
		if (p->pattern)
			p->pattern[i] = (struct target){ 0 };
	}
	for (size_t i = 0; core->btb && i < (size_t)1 << core->btb_bits; i++)
		core->btb[i] = 0;
}
