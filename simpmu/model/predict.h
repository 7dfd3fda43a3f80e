/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Branch prediction: directions of conditional branches, targets of returns
 * and indirect branches, and whether the target of a taken branch is known.
 */
#ifndef SIMPMU_MODEL_PREDICT_H
#define SIMPMU_MODEL_PREDICT_H

#include "simpmu/model/machine.h"

#define HISTORY_WORDS 4
#define RAS_MAX       32

/* What the predictor has seen last. Small, so that the walk along a wrong path
 * can have a copy to go on with. */
struct history {
	uint64_t word[HISTORY_WORDS]; /* outcomes; bit 0 of word 0 is newest */
	uint64_t path;                /* targets of indirect branches */
	uint64_t ras[RAS_MAX];
	uint32_t ras_top; /* counts up; slot is its remainder */
	uint32_t ras_used;
};

struct tage_table {
	uint16_t *entry; /* tag, 2-bit usefulness, 3-bit counter */
	uint64_t mask;   /* of the last word of history that it looks at */
	uint32_t words;  /* how many whole words come before */
};

struct target {
	uint64_t pc;
	uint64_t target;
	uint32_t confidence;
};

struct predictor {
	const struct params *params;
	struct history history;
	uint8_t *base;   /* 2-bit counters */
	uint16_t *local; /* histories of branches */
	struct tage_table table[PARAMS_TAGE_TABLES];
	uint32_t tag_mask; /* of the tag in an entry */
	uint8_t *latest;   /* which way TAGE last predicted a branch */
	uint32_t lfsr;
	int32_t prefer_alternate; /* when the provider is new */
	uint32_t aging;
	struct target *last;    /* last target, by pc */
	struct target *pattern; /* by pc and path */
};

bool predict_init(struct core *core);
void predict_flush(struct core *core);

/* Direction of the conditional branch at @pc, after @history; TAGE is not asked
 * again but gives the direction that it predicted for the branch last. */
bool predict_direction(const struct predictor *predictor,
		       const struct history *history, uint64_t pc,
		       uint64_t target);

/* Predict a branch that is not settled, compare with @taken, learn. True if it
 * was right. */
bool predict_and_train(struct core *core, uint64_t pc, uint64_t target,
		       bool taken);

/* Enter an outcome into the history. */
static inline void history_push(struct history *history, bool taken)
{
	uint64_t *word = history->word;

	word[3] = word[3] << 1 | word[2] >> 63;
	word[2] = word[2] << 1 | word[1] >> 63;
	word[1] = word[1] << 1 | word[0] >> 63;
	word[0] = word[0] << 1 | taken;
}

/* ---- tage.c ---- */

bool tage_init(struct predictor *predictor, struct memory *memory);
void tage_flush(struct predictor *predictor);
bool tage_latest(const struct predictor *predictor, uint64_t pc);
bool tage_train(struct predictor *predictor, uint64_t pc, bool taken);

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

/* Whether the BTB knows the branch at @pc; it does from then on. */
bool target_known(struct core *core, uint64_t pc);

/* ---- wrongpath.c ---- */

/* Walk from @address on, where a branch was predicted to go, and count. Uses
 * up @history, a copy. */
void wrongpath_walk(struct core *core, struct history *history,
		    uint64_t address);

#endif /* SIMPMU_MODEL_PREDICT_H */
