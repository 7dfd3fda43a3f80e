/* SPDX-License-Identifier: BSD-3-Clause */
/* Catching up with stretches of code: misses, branches and cycles in order. */

#include "simpmu/model/stretch.h"

#include "simpmu/model/below.h"
#include "simpmu/model/cycle.h"

#define OPERANDS 64
/* How many words ahead the host is told what will be looked at. */
#define AHEAD 16

void stretch_prepare(struct core *core, struct stretch *stretch)
{
	if (stretch->segment.count)
		cycle_prepare(core, &stretch->segment);
}

void later_stretch(struct core *core, const struct stretch *stretch,
		   uint64_t way, const uint64_t *root)
{
	uint64_t *at = core->branches;
	uint64_t *first = at++;
	enum branch_kind kind = stretch->branch[1].kind;

	*first = (uint64_t)(uintptr_t)stretch;
	for (uint32_t i = 0; i < stretch->roots; i++)
		*at++ = root[i];
	if (kind == BRANCH_COND) {
		*first |= way ? STRETCH_TAKEN : 0;
	} else if (kind != BRANCH_NONE && way) {
		*first |= STRETCH_TARGET;
		*at++ = way;
	}
	core->branches = at;
	if (stretch_is_full(at))
		core->model->turn(core->model->turn_ctx, core);
}

/* Whether a load or store waits for the answer. */
static bool is_waited_for(unsigned kind)
{
	return kind == LATER_LINE + ACCESS_LOAD ||
	       kind == LATER_LINE + ACCESS_STORE ||
	       kind == LATER_PAGE + ACCESS_LOAD ||
	       kind == LATER_PAGE + ACCESS_STORE;
}

void later_push_noted(struct core *core, uint64_t record)
{
	*core->branches++ = record | STRETCH_MISS;
	if (is_waited_for(record & LATER_KIND))
		*core->branches++ = core->pc;
	if (stretch_is_full(core->branches))
		core->model->turn(core->model->turn_ctx, core);
}

/* ---- catching up ---- */

static void note(struct core *core, unsigned kind, uint64_t pc,
		 struct answer answer)
{
	if (kind == LATER_LINE + ACCESS_FETCH ||
	    kind == LATER_PAGE + ACCESS_FETCH)
		cycle_note_fetch(core, answer.level, answer.delay);
	else if (pc && (answer.delay || answer.level != LEVEL_L1))
		cycle_note_access(core, pc, answer.level, answer.delay);
}

static const uint64_t *catch_up_miss(struct core *core, uint64_t word,
				     const uint64_t *next)
{
	unsigned kind = word & LATER_KIND;
	uint64_t pc = is_waited_for(kind) ? *next++ : 0;

	note(core, kind, pc, later_catch_up_miss(core, word & ~STRETCH_MISS));
	return next;
}

static inline const uint64_t *branch(struct core *core,
				     const struct stretch *stretch,
				     uint64_t word, const uint64_t *next)
{
	const struct branch *b = &stretch->branch[word & STRETCH_TAKEN];

	if (b->kind == BRANCH_COND)
		model_cond(core, b);
	else if (b->kind != BRANCH_NONE)
		model_other(core, b,
			    word & STRETCH_TARGET ? *next++ : b->target);
	return next;
}

static inline void retire(struct core *core, const struct stretch *stretch,
			  const uint64_t *roots)
{
	uint64_t addrs[OPERANDS], root[STRETCH_ROOTS + 1];

	for (uint32_t i = 0; i < STRETCH_ROOTS; i++)
		root[i] = roots[i]; /* others are not used */
	root[STRETCH_ROOTS] = 0;
	for (uint32_t i = 0; i < stretch->operands; i++)
		addrs[i] = root[stretch->operand[i].root] +
			   stretch->operand[i].offset;
	model_retire(core, &stretch->segment, addrs);
}

static inline const uint64_t *catch_up(struct core *core, uint64_t word,
				       const uint64_t *next)
{
	const struct stretch *stretch =
		(const struct stretch *)(uintptr_t)(word &
						    ~(uint64_t)STRETCH_FLAGS);
	const uint64_t *roots = next;

	next = branch(core, stretch, word, next + stretch->roots);
	if (stretch->segment.count)
		retire(core, stretch, roots);
	return next;
}

void model_catch_up_stretches(struct core *core, const uint64_t *record,
			      size_t words)
{
	const uint64_t *end = record + words, *ahead = record;

	while (record < end) {
		uint64_t word = *record++;

		for (; ahead < record + AHEAD && ahead < end; ahead++)
			if (*ahead & STRETCH_MISS)
				later_expect(core, *ahead & ~STRETCH_MISS);
		if (word & STRETCH_MISS)
			record = catch_up_miss(core, word, record);
		else
			record = catch_up(core, word, record);
	}
}
