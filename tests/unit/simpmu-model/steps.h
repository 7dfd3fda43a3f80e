/* SPDX-License-Identifier: BSD-3-Clause */
/* Random things for a modelled machine to do, the same each time. */
#pragma once

#include "rig.h"

#include "simpmu/model/stretch.h"

#define BRANCHES 512
#define REGION   (UINT64_C(4) << 20)

static struct branch branches[2][BRANCHES]; /* not taken, taken */

static inline void make_branches(void)
{
	static const enum branch_kind others[] = { BRANCH_JUMP, BRANCH_CALL,
						   BRANCH_RETURN,
						   BRANCH_IND_JUMP,
						   BRANCH_IND_CALL };

	for (unsigned i = 0; i < BRANCHES; i++) {
		struct branch b = { .pc = 0x400000 + 37 * i,
				    .kind = BRANCH_COND,
				    .taken = true };

		b.next = b.pc + 2;
		b.target = b.pc - 64 + i % 128;
		if (i % 4 == 3)
			b.kind = others[i / 4 % 5];
		branches[0][i] = branches[1][i] = b;
		branches[0][i].taken = false;
	}
}

/* ---- stretches of code, with cycles ---- */

#define INSNS    5
#define OPERANDS 4

/* Each machine has its own: it keeps there what it worked out. */
struct code {
	struct stretch stretch[BRANCHES];
	struct insn insn[BRANCHES][INSNS];
	struct stretch_operand operand[BRANCHES][OPERANDS];
};

static inline struct insn random_insn(uint64_t *state, unsigned *room)
{
	uint64_t r = rig_random(state);
	struct insn insn = { .class = (uint8_t)(r % INSN_CLASSES),
			     .length = 4,
			     .addr = { r >> 8 & 7, REG_NONE },
			     .src = { r >> 12 & 15, REG_NONE, REG_NONE },
			     .dst = { r >> 16 & 15, REG_FLAGS } };

	insn.loads = *room && (r >> 20 & 1);
	*room -= insn.loads;
	insn.stores = *room && !(r >> 21 & 3);
	*room -= insn.stores;
	return insn;
}

static inline void make_stretch(struct code *code, unsigned i, uint64_t *state)
{
	struct stretch *s = &code->stretch[i];
	unsigned room = OPERANDS;

	*s = (struct stretch){ .branch = { branches[0][i], branches[1][i] } };
	if (i % 16 == 4)
		s->branch[0].kind = s->branch[1].kind = BRANCH_NONE;
	s->segment.pc = 0x500000 + 64 * i;
	s->segment.count = i % 32 == 5 ? 0 : 1 + i % INSNS;
	s->segment.insn = code->insn[i];
	for (unsigned k = 0; k < INSNS; k++) {
		code->insn[i][k] = random_insn(state, &room);
		if (k < s->segment.count)
			s->operands += code->insn[i][k].loads +
				       code->insn[i][k].stores;
	}
	s->operand = code->operand[i];
	for (unsigned k = 0; k < s->operands; k++) {
		code->operand[i][k].root = (i + k) % (STRETCH_ROOTS + 1);
		code->operand[i][k].offset = rig_random(state) % 64;
	}
	s->roots = s->operands ? STRETCH_ROOTS : 0;
}

static inline struct code *make_code(void)
{
	struct code *code = aligned_alloc(64, sizeof(*code));
	uint64_t state = 4101842887655102017u;

	assert_non_null(code);
	memset(code, 0, sizeof(*code));
	for (unsigned i = 0; i < BRANCHES; i++)
		make_stretch(code, i, &state);
	return code;
}

/* Code on wrong paths: runs that depend on nothing but the address. @ctx: where
 * the machine that asks has the answer. */
static inline const struct code_run *decode(void *ctx, uint64_t address)
{
	struct code_run *run = ctx;

	*run = (struct code_run){ .count = 1 + (uint32_t)(address % 9),
				  .load_mask = address,
				  .store_mask = address >> 3,
				  .end = address % 5 ? BRANCH_COND
						     : BRANCH_NONE,
				  .end_pc = address + 20,
				  .next = address + 22,
				  .target = address ^ 0x58 };
	return run;
}

struct step {
	unsigned what;
	uint64_t address;
	unsigned size;
	unsigned branch;
	bool taken;
	uint64_t target;
};

static inline struct step random_step(uint64_t *state, unsigned i)
{
	uint64_t r = rig_random(state), s = rig_random(state);
	struct step step = { .what = r % 32 };

	step.address = 0x10000000 + s % REGION;
	if (r >> 8 & 1) /* a few hot lines, a walk through pages, or anything */
		step.address = 0x10000000 + s % 4096;
	else if (r >> 9 & 1)
		step.address = 0x20000000 + (uint64_t)i * 40 % REGION;
	step.size = 1u << (r >> 16) % 6;
	step.branch = (unsigned)((r >> 24) % BRANCHES);
	step.taken = step.branch % 3 ? r >> 40 & 1 : step.branch % 2;
	step.target = 0x400000 + (s >> 32) % 16;
	return step;
}

static inline void do_branch(struct core *core, const struct step *step)
{
	const struct branch *b = &branches[step->taken][step->branch];
	bool later = core->later & PART_BRANCH;

	if (b->kind == BRANCH_COND && later)
		later_cond(core, b);
	else if (b->kind == BRANCH_COND)
		model_cond(core, b);
	else if (later)
		later_other(core, b, step->target);
	else
		model_other(core, b, step->target);
}

static inline void retire_now(struct core *core, const struct stretch *s,
			      const uint64_t *root)
{
	uint64_t addrs[OPERANDS];

	for (unsigned i = 0; i < s->operands; i++)
		addrs[i] = root[s->operand[i].root] + s->operand[i].offset;
	if (s->segment.count)
		model_retire(core, &s->segment, addrs);
}

static inline void do_stretch(struct core *core, struct code *code,
			      const struct step *step)
{
	struct stretch *s = &code->stretch[step->branch];
	const uint64_t root[] = { step->address, 0x30000000, step->target, 0 };
	const struct branch *b = &s->branch[step->taken];
	uint64_t way = step->branch % 3 ? step->target : 0;

	/* all notes and none: as if the accesses had been its own */
	if (s->segment.count && step->size & 3)
		model_load(core, s->segment.pc, step->address, step->size);
	if (core->later & PART_CYCLE) {
		stretch_prepare(core, s);
		later_stretch(core, s,
			      b->kind == BRANCH_COND ? step->taken : way, root);
		return;
	}
	if (b->kind == BRANCH_COND)
		model_cond(core, b);
	else if (b->kind != BRANCH_NONE)
		model_other(core, b, way ? way : b->target);
	retire_now(core, s, root);
}

static inline void do_step(struct core *core, struct code *code,
			   const struct step *step)
{
	uint64_t at = step->address;

	switch (step->what) {
	case 0:
		model_store_nt(core, at, step->size);
		break;
	case 1:
		model_clflush(core, at);
		break;
	case 2:
		model_prefetch(core, at, PREFETCH_TO_L1 + step->size % 3);
		break;
	case 3:
	case 4:
	case 5:
		model_fetch(core, 0x400000 + at % (64 << 10));
		break;
	default:
		if (step->what < 14 && code)
			do_stretch(core, code, step);
		else if (step->what < 14)
			do_branch(core, step);
		else if (step->what < 22)
			model_store(core, at & 4095, at, step->size);
		else
			model_load(core, at & 4095, at, step->size);
	}
}
