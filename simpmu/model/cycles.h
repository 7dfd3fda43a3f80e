/* SPDX-License-Identifier: BSD-3-Clause */
/* The state of the scoreboard of a core. */
#pragma once

#include "simpmu/model/moves.h"
#include "simpmu/model/timing.h"

#define FORWARD_ENTRIES 64u
#define NOTES           32u
#define PLACES_AT_ONCE  8u
#define TURNS           256u
/* log2 of the places for each branch that is near: few share one */
#define NEAR_SPARE 3u

struct note {
	uint64_t pc;
	uint32_t level;
	uint32_t delay;
	struct lines lines;
};

struct forward {
	uint64_t where; /* address / 8 + 1 */
	uint64_t ready;
	uint64_t base; /* as of the store's struct single */
};

/* A segment in flight. */
struct flight {
	uint64_t retire;
	uint64_t started; /* it and all before */
	uint64_t drained;
};

/*
 * A buffer of limited size. A buffer of N has room for one more when all
 * segments that end N before are through with it: for each place in it, by
 * number, it is kept which segment ended there or before. Places and segments
 * are numbered from the beginning of time; segment 0 is that before the first.
 */
struct buffer {
	uint64_t *ended;
	uint32_t mask;
	uint32_t size;
	uint64_t oldest;   /* segment that is not known to be through */
	uint64_t capacity; /* time at which there was room last */
};

/* Where an indirect branch went last, by the address behind it. */
struct turn {
	uint64_t end, target;
};

/* A taken branch, by the address behind it. */
struct taken {
	uint64_t end;
	uint64_t number; /* when it was taken last, in taken branches */
};

struct cycles {
	const struct params *params;
	uint64_t ready[TIME_STEPS + TIMING_MAX_STEPS]; /* see timing.h */
	uint64_t front;      /* nothing issues before */
	uint64_t fetch;      /* the last taken branch was passed */
	uint64_t restart;    /* behind the last misprediction */
	uint64_t code;       /* the next line of code can be asked for */
	uint64_t arrived;    /* the last one has arrived */
	uint64_t taken_time; /* from one to the next; 0: no limit */
	uint64_t call_time;  /* and if that is a call or a return */
	uint64_t far_time;   /* and if that was not taken lately */
	uint32_t near_shift;
	struct taken *near;     /* branches taken lately; NULL: all are near */
	uint64_t branches;      /* taken so far */
	bool called;            /* the last one was */
	bool turned;            /* the last one was indirect, if that matters */
	uint64_t indirect_time; /* and if that goes elsewhere than before */
	struct turn turn[TURNS];
	uint64_t next_pc;    /* if the last segment ended without one */
	uint64_t block_time; /* from one block of code to the next in order */
	uint32_t block_bits; /* log2 of its bytes; 63: code is one block */
	uint64_t issue;      /* the next slot */
	uint64_t run;        /* first cycle that issue can fill */
	uint64_t retire;     /* of the last segment */
	uint64_t slot;       /* from one issue to the next */
	uint64_t issue_width;
	uint64_t issue_cycle; /* the cycle that `issue` is in */
	uint64_t open; /* first cycle that is neither with issue nor a stall */
	uint64_t retire_cycle; /* and `retire` */
	uint64_t drained;
	uint64_t started; /* of all segments so far */
	uint64_t insns, loads, stores;
	uint64_t unit[UNIT_COUNT]; /* when it has done all its work */
	struct flight *ring;
	uint64_t ring_mask;
	uint64_t number;    /* of the next segment */
	struct buffer insn; /* reorder buffer */
	uint32_t rs;        /* the scheduler: a part of it */
	struct buffer lq, sq;
	uint64_t latency[LEVEL_CORE + 1]; /* of loads, by level, as a time */
	uint64_t forward_time, forward_vec_time; /* store to load */
	uint64_t store_line_time; /* a store whose line L1D asked for */
	uint64_t port_time;       /* a load port is taken */
	uint64_t page_time;       /* from one page of the STLB to the next */
	uint64_t pages;           /* when it can give the next one */
	struct moves moves;
	struct forward forward[FORWARD_ENTRIES];
	struct note note[NOTES];
	uint32_t notes;
	uint32_t fetch_delay;
	struct lines past; /* moved by writing past the caches */
	struct analysis *analysis;
};

/* What a segment comes to. */
struct outcome {
	uint64_t done;
	uint64_t started; /* its last instruction, that is */
	uint64_t last;    /* its last instruction is done */
};

static inline uint64_t without_cause(uint64_t time)
{
	return time & ~CAUSE_MASK;
}

static inline void set_ready(struct cycles *c, uint32_t reg, uint64_t time)
{
	c->ready[reg] = time;
	c->ready[TIME_PLAIN + reg] = without_cause(time);
}

static inline uint64_t cycle_of(uint64_t time)
{
	return time / CYCLE_TIME;
}

/* Run a segment from c->issue on by its table: registers and stores get their
 * times. False, and nothing has changed, if that would not be right. */
bool execute_by_table(struct cycles *restrict c,
		      const struct timing *restrict timing,
		      const uint64_t *restrict addrs,
		      struct outcome *restrict out);

/* The same for any segment, instruction by instruction. */
void execute_one_by_one(struct cycles *restrict c,
			const struct segment *segment,
			const uint64_t *restrict addrs, struct outcome *out);
