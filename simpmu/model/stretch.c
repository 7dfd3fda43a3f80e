/* SPDX-License-Identifier: BSD-3-Clause */
/* Catching up with stretches of code: misses, branches and cycles in order. */

#include "simpmu/model/stretch.h"

#include "simpmu/model/below.h"
#include "simpmu/model/cycle.h"

#define OPERANDS 64
/* How many words ahead the host is told what will be looked at. */
#define AHEAD 16

/* Who waits for the answer to a miss. */
enum answer_to {
	ANSWER_NOBODY,
	ANSWER_CODE,
	ANSWER_DATA,
	ANSWER_PAST
};

/* What an answer has of lines and delay: the most that its bits hold. */
static uint64_t up_to(uint64_t number, uint64_t most, unsigned shift)
{
	return (number < most ? number : most) << shift;
}

static const struct stretch *stretch_of(uint64_t word)
{
	uint64_t address = word & ((UINT64_C(1) << STRETCH_WRONG_PATH) - 1);

	return (const struct stretch *)(uintptr_t)(address &
						   ~(uint64_t)STRETCH_FLAGS);
}

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

/* ---- answers ---- */

/* What becomes of a miss. */
static uint64_t answer_to(struct core *core, uint64_t word)
{
	unsigned kind = word & LATER_KIND;
	struct answer answer = later_catch_up_miss(core, word & ~STRETCH_MISS);
	uint64_t who = ANSWER_NOBODY;

	if (is_waited_for(kind))
		who = ANSWER_DATA;
	else if (kind == LATER_LINE + ACCESS_FETCH ||
		 kind == LATER_PAGE + ACCESS_FETCH)
		who = ANSWER_CODE;
	else if (kind == LATER_NT)
		who = ANSWER_PAST;
	return STRETCH_MISS | up_to(answer.lines.l3, 255, 48) |
	       up_to(answer.lines.dram, 255, 40) |
	       up_to(answer.lines.back, 63, 34) |
	       up_to(answer.lines.written, 63, 28) |
	       up_to(answer.delay, 0xfffff, 8) | (uint64_t)answer.level << 4 |
	       who;
}

/* Predict the branch of the stretch at @record, and tell how it went. Returns
 * the record behind. */
static inline uint64_t *answer_stretch(struct core *core, uint64_t *record)
{
	const struct stretch *stretch = stretch_of(*record);
	const struct branch *b = &stretch->branch[*record & STRETCH_TAKEN];
	uint64_t *next = record + 1 + stretch->roots;

	if (b->kind == BRANCH_COND)
		model_cond(core, b);
	else if (b->kind != BRANCH_NONE)
		model_other(core, b,
			    *record & STRETCH_TARGET ? *next++ : b->target);
	if (stretch->segment.count) {
		*record |= (core->btb_missed ? STRETCH_BTB_MISSED : 0);
		if (core->mispredicted)
			*record |= STRETCH_MISPREDICTED |
				   (uint64_t)core->wrong_path
					   << STRETCH_WRONG_PATH;
		core->mispredicted = core->btb_missed = false;
	}
	return next;
}

void model_answer_stretches(struct core *core, uint64_t *record, size_t words)
{
	uint64_t *end = record + words, *ahead = record;

	while (record < end) {
		for (; ahead < record + AHEAD && ahead < end; ahead++)
			if (*ahead & STRETCH_MISS)
				later_expect(core, *ahead & ~STRETCH_MISS);
		if (*record & STRETCH_MISS) {
			unsigned kind = *record & LATER_KIND;

			*record = answer_to(core, *record);
			record += is_waited_for(kind) ? 2 : 1;
		} else {
			record = answer_stretch(core, record);
		}
	}
}

/* ---- cycles ---- */

static const uint64_t *note(struct core *core, uint64_t word,
			    const uint64_t *next)
{
	enum level level = word >> 4 & 15;
	uint32_t delay = (uint32_t)(word >> 8 & 0xfffff);
	struct lines lines = { (uint8_t)(word >> 48), (uint8_t)(word >> 40),
			       (uint16_t)(word >> 34 & 63),
			       (uint16_t)(word >> 28 & 63) };
	unsigned who = word & 15;

	if (who == ANSWER_CODE)
		cycle_note_fetch(core, level, delay);
	if (who == ANSWER_PAST || (who == ANSWER_NOBODY && lines.l3))
		cycle_note_past(core, lines);
	if (who != ANSWER_DATA)
		return next;
	if (*next && (delay || level != LEVEL_L1))
		cycle_note_access(core, *next, level, delay, lines);
	return next + 1;
}

static inline void retire(struct core *core, const struct stretch *stretch,
			  const uint64_t *roots, uint64_t word)
{
	uint64_t addrs[OPERANDS], root[STRETCH_ROOTS + 1];
	struct fate fate = { word & STRETCH_MISPREDICTED,
			     word & STRETCH_BTB_MISSED,
			     (uint16_t)(word >> STRETCH_WRONG_PATH) };

	for (uint32_t i = 0; i < STRETCH_ROOTS; i++)
		root[i] = roots[i]; /* others are not used */
	root[STRETCH_ROOTS] = 0;
	for (uint32_t i = 0; i < stretch->operands; i++)
		addrs[i] = root[stretch->operand[i].root] +
			   stretch->operand[i].offset;
	cycle_retire(core, &stretch->segment, addrs, fate);
}

void model_catch_up_stretches(struct core *core, const uint64_t *record,
			      size_t words)
{
	const uint64_t *end = record + words;

	while (record < end) {
		uint64_t word = *record++;
		const struct stretch *stretch = stretch_of(word);

		if (word & STRETCH_MISS) {
			record = note(core, word, record);
			continue;
		}
		if (stretch->segment.count)
			retire(core, stretch, record, word);
		record += stretch->roots + !!(word & STRETCH_TARGET);
	}
}
