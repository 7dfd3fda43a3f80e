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
#pragma once

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

/*
 * One step of the table: the largest of issue + base and of two times + add.
 * Times are numbered: when registers are ready, the same without the causes,
 * for steps that have another, and the steps of the table, so that one may go
 * on from those before it. A time that is not needed is that of REG_NONE, which
 * is 0.
 */
struct step {
	uint32_t base;
	uint32_t add[2];
	uint8_t time[2];
};

enum {
	TIME_PLAIN = REG_COUNT, /* of registers, without causes */
	TIME_STEPS = 2 * REG_COUNT,
};

/* Register @reg is ready at the time of step @step. */
struct result {
	uint8_t reg;
	uint8_t step;
};

/* Instead of the base register of an access: it is to a vector. */
#define BASE_VECTOR REG_COUNT

/* An instruction as passed over on its own. Registers are times by number; a
 * result that nobody wants goes where steps are kept. */
struct single {
	uint32_t latency; /* as a time, with the cause that FP is */
	uint8_t addr[2];
	uint8_t src[3];
	uint8_t dst[2];
	uint8_t base; /* of its address, if that is all; else REG_NONE; or
			 BASE_VECTOR */
	uint8_t loads, stores;
	uint8_t length;
	bool plain;  /* loads, and does nothing more */
	bool serial; /* waits for all before it */
};

struct work {
	uint32_t time; /* that the unit needs for it, if never idle */
	uint32_t unit;
};

/* What most segments have at most; others have no work for no unit. */
#define WORKS_AT_ONCE 4

/* Longer segments, and those with more accesses, are passed over one by one,
 * as are those with more pairs of a store and a load behind it. */
#define TIMING_MAX_INSNS    256
#define TIMING_MAX_ACCESSES 32
#define TIMING_MAX_PAIRS    64
/* And those with more steps, which are numbered in a byte. */
#define TIMING_MAX_STEPS 180

struct timing {
	bool slow;     /* is not linear, or too long */
	bool fused;    /* the last two instructions take one slot */
	bool calls;    /* it ends with a call or a return */
	bool turns;    /* it ends with an indirect jump or call */
	uint8_t steps; /* an even number */
	uint8_t results;
	uint8_t works;
	uint8_t pairs;
	uint8_t done, started;      /* the steps that tell */
	uint8_t group[GROUP_COUNT]; /* operations by group of units */
	uint32_t loads;
	uint32_t stores;
	uint32_t count;       /* instructions */
	uint32_t bytes;       /* of them */
	uint32_t full_retire; /* cycles of full retirement */
	uint64_t issue_time;  /* if nothing stalls */
	uint64_t retire_time;
	uint64_t commit_time; /* of its stores */
	struct single *single;
	struct step *step;
	struct result *result;
	struct work *work;
	uint8_t load_at[TIMING_MAX_ACCESSES];    /* which accesses are loads */
	uint8_t store_at[TIMING_MAX_ACCESSES];   /* and which are stores */
	uint8_t store_step[TIMING_MAX_ACCESSES]; /* when each is done */
	uint8_t store_base[TIMING_MAX_ACCESSES]; /* as of a single */
	/* accesses of which the first is a store, the other a later load */
	uint8_t pair[TIMING_MAX_PAIRS][2];
};

/* What working out needs meanwhile. NULL if there is no memory. */
struct analysis *timing_prepare(struct memory *memory);

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
