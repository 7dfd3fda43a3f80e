/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Branch prediction: directions of conditional branches, targets of returns
 * and indirect branches, and whether the target of a taken branch is known.
 */
#pragma once

#include "simpmu/model/machine.h"

#define HISTORY_WORDS 4
#define RAS_MAX       32

/* What the predictor has seen last. Small, so that the walk along a wrong path
 * can have a copy to go on with. */
struct history {
	uint64_t word[HISTORY_WORDS]; /* outcomes; bit 0 of word 0 is newest */
	uint64_t path;                /* targets of indirect branches */
	uint32_t ras_top;             /* where the next one goes */
	uint32_t ras_used;
	uint64_t ras[RAS_MAX];
};

struct tage_table {
	uint16_t *entry; /* tag, 2-bit usefulness, 3-bit counter */
	uint64_t mask;   /* of the last word of history that it looks at */
	uint32_t words;  /* how many whole words come before */
};

/* Whether TAGE is worth asking about a branch. */
struct judge {
	_Alignas(16)
		uint16_t rest; /* wrong predictions until it is asked again */
	uint16_t next_rest;    /* how many the next time */
	uint16_t seen;         /* predictions since it is asked */
	uint16_t gain, loss; /* those where it differed and was right, wrong */
};

struct target {
	uint64_t pc;
	uint64_t target;
	uint32_t confidence;
};

struct predictor {
	const struct params *params;
	struct history history;
	uint32_t kind;
	bool long_history; /* more than two words */
	uint32_t bias_limit;
	uint32_t bias_start; /* outcomes that a new branch gets for nothing */
	uint8_t bias_credit[BIAS_SIZE]; /* see unsettle() */
	uint64_t base_mask, history_mask;
	uint8_t *base;   /* 2-bit counters */
	uint16_t *local; /* histories of branches */
	struct tage_table table[PARAMS_TAGE_TABLES];
	uint32_t tag_mask; /* of the tag in an entry */
	uint8_t *latest;   /* which way a branch was last predicted */
	struct judge *judge;
	uint32_t lfsr;
	int32_t prefer_alternate; /* when the provider is new */
	uint32_t aging;
	struct target *last;    /* last target, by pc */
	struct target *pattern; /* by pc and path */
};

bool predict_init(struct core *core);
void predict_flush(struct core *core);

/* Direction of the conditional branch at @pc, after @history; TAGE (and what it
 * is part of) gives the direction that it predicted for the branch last. */
bool predict_direction(const struct predictor *predictor,
		       const struct history *history, uint64_t pc,
		       uint64_t target);

/* Ask and teach any predictor but the hybrid. */
__attribute__((noinline)) bool predict_consult(struct predictor *predictor,
					       uint64_t pc, uint64_t target,
					       bool taken);

/* Enter an outcome into the history, of which two words are enough or not. */
static inline void history_push(struct history *history, bool is_long,
				bool taken)
{
	uint64_t *word = history->word;
	uint64_t newest = word[0], next = word[1];

	if (__builtin_expect(is_long, false)) {
		word[3] = word[3] << 1 | word[2] >> 63;
		word[2] = word[2] << 1 | next >> 63;
	}
	word[1] = next << 1 | newest >> 63;
	word[0] = newest << 1 | taken;
}

/* ---- tage.c ---- */

bool tage_init(struct predictor *predictor, struct memory *memory);
void tage_flush(struct predictor *predictor);

/* @base: the counter that decides if no table does. */
bool tage_train(struct predictor *predictor, uint8_t *base, uint64_t pc,
		bool taken);

#define LATEST_BITS 12

static inline uint8_t *latest_of(const struct predictor *p, uint64_t pc)
{
	return &p->latest[(pc ^ pc >> LATEST_BITS) & ((1u << LATEST_BITS) - 1)];
}

/* What one outcome makes of a 2-bit counter. */
static inline uint8_t counter_trained(uint8_t counter, bool taken)
{
	static const uint8_t next[2][4] = { { 0, 0, 1, 2 }, { 1, 2, 3, 3 } };

	return next[taken][counter];
}

/* ---- hybrid.c ---- */

bool hybrid_init(struct predictor *predictor, struct memory *memory);
void hybrid_flush(struct predictor *predictor);
__attribute__((noinline)) bool hybrid_ask_both(struct predictor *predictor,
					       struct judge *judge,
					       uint8_t *base, uint64_t pc,
					       bool taken);

#define JUDGE_BITS 11

static inline size_t judge_index(uint64_t pc)
{
	return (pc ^ pc >> JUDGE_BITS) & ((1u << JUDGE_BITS) - 1);
}

/* Predict, learn; true if right. Most branches are left to gshare. */
static inline bool hybrid_train(struct predictor *p, uint64_t pc, bool taken)
{
	uint8_t *base = &p->base[(pc ^ (p->history.word[0] & p->history_mask)) &
				 p->base_mask];
	struct judge *judge = &p->judge[judge_index(pc)];
	bool right = (*base >= 2) == taken;

	if (!judge->rest)
		return hybrid_ask_both(p, judge, base, pc, taken);
	*base = counter_trained(*base, taken);
	judge->rest = (uint16_t)(judge->rest - !right);
	return right;
}

/* Predict a branch that is not settled, compare with @taken, learn. True if it
 * was right. */
static inline bool predict_and_train(struct predictor *p, uint64_t pc,
				     uint64_t target, bool taken)
{
	bool right = __builtin_expect(p->kind == PREDICT_HYBRID, true)
			     ? hybrid_train(p, pc, taken)
			     : predict_consult(p, pc, target, taken);

	history_push(&p->history, p->long_history, taken);
	return right;
}

/* ---- target.c ---- */

bool target_init(struct core *core);
void target_flush(struct core *core);

/* Return stack. */
void ras_push(struct history *history, uint32_t depth, uint64_t address);
uint64_t ras_pop(struct history *history, uint32_t depth);

/* Predicted target of the indirect branch at @pc; 0: none. */
uint64_t target_predict(const struct predictor *predictor,
			const struct history *history, uint64_t pc);
void target_train(struct predictor *predictor, uint64_t pc, uint64_t target);

/* Whether the BTB knows the branch at @pc. */
static inline bool target_known(const struct core *core, uint64_t pc)
{
	return !core->btb || core->btb[btb_index(core, pc)] == pc + 1;
}

static inline void target_learn(struct core *core, uint64_t pc)
{
	core->btb[btb_index(core, pc)] = pc + 1;
}

/* ---- wrongpath.c ---- */

/* Walk from @address on, where a branch was predicted to go, and count; with
 * @flip the newest outcome in the history is to be turned round for that. */
void wrongpath_walk(struct core *core, bool flip, uint64_t address);
