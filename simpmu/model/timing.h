/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Timing of a segment, worked out once: how its results depend on when it
 * issues and on when the registers it reads are ready.
 *
 * If all loads hit L1 the segment is linear in the algebra of maximum and
 * plus: each result is the largest of (issue + constant) and of (ready time of
 * a register + constant) over the registers it depends on. So running it again
 * takes a few additions for each result instead of a pass over instructions.
 *
 * Times are kept in parts of a cycle, so that several instructions a cycle can
 * issue at exact fractions, times 16, plus a cause: the larger of two times
 * brings along what it waited for.
 */
#ifndef SIMPMU_MODEL_TIMING_H
#define SIMPMU_MODEL_TIMING_H

#include "simpmu/model/machine.h"

/* Parts of a cycle: divisible by all usual widths. */
#define CYCLE_PARTS 840u
#define CAUSE_BITS  4
#define CAUSE_MASK  UINT64_C(15)
#define CYCLE_TIME  ((uint64_t)CYCLE_PARTS << CAUSE_BITS)

/* What a time waited for. */
enum cause {
	CAUSE_NONE,
	CAUSE_FP,
	CAUSE_STORE,
	CAUSE_FETCH,
	CAUSE_BRANCH,
	CAUSE_L1,
	CAUSE_L2,
	CAUSE_L3,
	CAUSE_DRAM
};

/* Groups of units whose idle cycles are counted. */
enum group {
	GROUP_BRANCH,
	GROUP_INT,
	GROUP_FP,
	GROUP_LS,
	GROUP_COUNT
};

/* Results that are no registers. */
enum {
	RESULT_DONE = REG_COUNT,
	RESULT_STARTED,
	RESULT_STORE
};

/* ready[reg] + add; the cause of the register is kept or replaced. */
struct term {
	uint32_t add; /* with the new cause */
	uint8_t reg;
	int8_t keep; /* -1: the cause; -16: not the cause */
};

/* One result: the largest of issue + base and of its terms. */
struct result {
	uint32_t base;
	uint16_t what; /* register, or RESULT_*; stores count up from there */
	uint16_t terms;
};

struct work {
	uint32_t time; /* that the unit needs for it, if never idle */
	uint32_t unit;
};

/* Longer segments, and those with more accesses, are passed over one by one. */
#define TIMING_MAX_INSNS    256
#define TIMING_MAX_ACCESSES 32
#define TIMING_MAX_RESULTS  (REG_COUNT + 2 + TIMING_MAX_ACCESSES)

struct timing {
	bool slow; /* has an instruction that is not linear */
	uint16_t results;
	uint16_t works;
	uint16_t live; /* registers read before they are written */
	uint32_t loads;
	uint32_t stores;
	uint32_t count;       /* instructions */
	uint32_t full_retire; /* cycles of full retirement */
	uint64_t issue_time;  /* if nothing stalls */
	uint64_t retire_time;
	uint8_t group[GROUP_COUNT]; /* operations by group of units */
	uint8_t live_reg[REG_COUNT];
	uint8_t load_at[TIMING_MAX_ACCESSES];  /* which accesses are loads */
	uint8_t store_at[TIMING_MAX_ACCESSES]; /* and which are stores */
	struct result *result;
	struct term *term; /* of all results, in order */
	struct work *work;
};

/* Work out @segment. NULL if there is no memory. */
struct timing *timing_new(struct core *core, const struct segment *segment);

/* Pieces that the pass over single instructions uses as well. */
static inline uint64_t time_later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* From the issue of one instruction to the next. */
static inline uint64_t timing_slot(const struct params *params)
{
	return (uint64_t)(CYCLE_PARTS / params->issue_width) << CAUSE_BITS;
}

static inline bool timing_is_fp(uint32_t class)
{
	return class >= INSN_FADD && class <= INSN_X87;
}

#endif /* SIMPMU_MODEL_TIMING_H */
