/* SPDX-License-Identifier: BSD-3-Clause */
/* Leaving things for later, and catching up. */

#include "simpmu/model/below.h"

/* How many records ahead the host is told what will be looked at. */
#define AHEAD 6

void model_set_turn(struct model *model, turn_fn *turn, void *ctx)
{
	model->turn = turn;
	model->turn_ctx = ctx;
}

/* With one way in L2 a line may push itself out on its way up. */
unsigned model_deferrable(const struct model *model)
{
	if (model->cores > 1)
		return 0;
	if (model->params.l3_kind != L3_INCLUSIVE && model->params.l2.ways > 1)
		return model->parts & (PART_BRANCH | PART_DATA | PART_CYCLE);
	return model->parts & PART_CYCLE ? 0 : model->parts & PART_BRANCH;
}

/* ---- writing ---- */

static void push_branch(struct core *core, uint64_t word)
{
	*core->branches++ = word;
	if (!((uintptr_t)core->branches % QUEUE_BYTES))
		core->model->turn(core->model->turn_ctx, core);
}

void later_cond(struct core *core, const struct branch *branch)
{
	push_branch(core, later_branch(LATER_COND, branch));
}

/* The target must follow in the same piece: one word less will do. */
void later_other(struct core *core, const struct branch *branch,
		 uint64_t target)
{
	uint64_t left = QUEUE_BYTES - (uintptr_t)core->branches % QUEUE_BYTES;

	if (left < 2 * sizeof(*core->branches))
		core->model->turn(core->model->turn_ctx, core);
	*core->branches++ = later_branch(LATER_OTHER, branch);
	push_branch(core, target);
}

/* ---- catching up ---- */

static enum level catch_up_line(struct core *core, uint64_t line,
				enum access who)
{
	struct reply reply = levels_fetch(core, line, who);

	if (who == ACCESS_STORE && reply.level == LEVEL_L2 &&
	    !(reply.flags & LINE_DIRTY))
		core->late[TALLY_CLEAN_STORE]++;
	return reply.level;
}

static inline struct answer catch_up_miss(struct core *core, uint64_t record)
{
	struct answer answer = { LEVEL_L1, 0, { 0 } };
	unsigned kind = record & LATER_KIND;
	uint64_t number = record >> 5;
	bool flag = record >> 4 & 1;

	if (kind < LATER_PAGE) {
		answer.level = catch_up_line(core, number, kind - LATER_LINE);
		answer.lines = lines_to_tell(core);
		return answer;
	}
	switch (kind) {
	case LATER_WRITE_BACK:
		levels_write_back(core, number);
		break;
	case LATER_MODIFY:
		levels_modify(core, number);
		break;
	case LATER_NT:
		levels_write_past(core, number);
		answer.lines = lines_to_tell(core);
		break;
	case LATER_FLUSH:
		levels_flush_line(core, number, flag);
		break;
	default:
		answer.delay =
			tlb_look_below(core, number, flag, kind - LATER_PAGE);
		answer.lines = lines_to_tell(core);
	}
	return answer;
}

struct answer later_catch_up_miss(struct core *core, uint64_t record)
{
	return catch_up_miss(core, record);
}

void later_expect(const struct core *core, uint64_t record)
{
	unsigned kind = record & LATER_KIND;

	if (kind < LATER_PAGE || kind == LATER_WRITE_BACK ||
	    kind == LATER_MODIFY)
		levels_expect(core, record >> 5);
}

void model_catch_up_misses(struct core *core, const uint64_t *record,
			   size_t words)
{
	for (size_t i = 0; i < words; i++) {
		if (i + AHEAD < words)
			later_expect(core, record[i + AHEAD]);
		catch_up_miss(core, record[i]);
	}
}

/* ---- marks ---- */

void model_mark(struct core *core, uint64_t number)
{
	later_push(core, number << 5 | LATER_MARK);
}

static unsigned slower(unsigned a, unsigned b)
{
	return a > b ? a : b;
}

/* Who prefetches waits for nothing, but what is moved is in the way. */
static inline void wait_for(struct waited *w, unsigned kind,
			    const struct answer *answer)
{
	w->lines = lines_add(w->lines, answer->lines);
	switch (kind) {
	case LATER_LINE + ACCESS_LOAD:
	case LATER_LINE + ACCESS_STORE:
		w->level = slower(w->level, answer->level);
		break;
	case LATER_PAGE + ACCESS_LOAD:
	case LATER_PAGE + ACCESS_STORE:
		w->delay += answer->delay;
		break;
	case LATER_LINE + ACCESS_FETCH:
		w->code_level = slower(w->code_level, answer->level);
		break;
	case LATER_PAGE + ACCESS_FETCH:
		w->code_delay += answer->delay;
		break;
	case LATER_NT:
		w->is_past = true;
		break;
	default:
		break;
	}
}

void model_catch_up_marked(struct core *core, const uint64_t *record,
			   size_t words, struct waited *waited, mark_fn *mark,
			   void *ctx)
{
	for (size_t i = 0; i < words; i++) {
		struct answer answer;

		if (i + AHEAD < words)
			later_expect(core, record[i + AHEAD]);
		if ((record[i] & 31) == LATER_MARK) {
			mark(ctx, record[i] >> 5, waited);
			*waited = (struct waited){ 0 };
			continue;
		}
		answer = catch_up_miss(core, record[i]);
		wait_for(waited, record[i] & LATER_KIND, &answer);
	}
}

/* ---- beginning and ending ---- */

void model_merge(struct core *core)
{
	if (!core->later)
		return;
	for (unsigned s = 0; s < TALLY_COUNT; s++) {
		core->tallies[s] +=
			core->late_tallies[s] + core->cycle_tallies[s];
		core->late_tallies[s] = core->cycle_tallies[s] = 0;
	}
}

/* What L1D did not keep meanwhile: whether L2 has the line dirty. */
static void know_below(struct core *core)
{
	struct cache *l1 = &core->mem->data.l1;
	struct sets *l2 = &core->mem->l2;

	for (uint32_t slot = 0; slot < l1->sets * l1->ways; slot++) {
		struct place place;
		uint32_t way;

		if (!l1->key[slot])
			continue;
		place = levels_in_l2(core, line_of(l1, slot));
		way = sets_find(l2, &place);
		l1->flags[slot] &= (uint8_t)~LINE_DIRTY_BELOW;
		if (way != SLOT_NONE &&
		    *sets_flags(l2, &place, way) & LINE_DIRTY)
			l1->flags[slot] |= LINE_DIRTY_BELOW;
	}
}

void model_defer(struct core *core, unsigned parts, struct queues queues)
{
	bool was_data = is_later(core);

	model_merge(core);
	core->later = parts;
	core->branches = queues.branches;
	core->misses = queues.misses;
	core->late = parts ? core->late_tallies : core->tallies;
	core->in_cycles = parts ? core->cycle_tallies : core->tallies;
	if (was_data && !(parts & PART_DATA))
		know_below(core);
}
