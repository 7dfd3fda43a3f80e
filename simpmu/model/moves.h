/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lines that are moved from level to level: how many at a time, and how fast.
 *
 * L1D waits for a limited number of lines: a miss beyond it is asked for when
 * the oldest has come. A level gives one line after another: a miss waits for
 * its turn behind those that were asked for before, prefetched ones too. These
 * nobody waits for, but an access that has some fetched waits until no more
 * than L2 can wait for are due.
 *
 * Known lie: turns are given out in program order, from the time of issue on.
 * An access that knows its address late takes a turn that was free before.
 */
#ifndef SIMPMU_MODEL_MOVES_H
#define SIMPMU_MODEL_MOVES_H

#include "simpmu/model/machine.h"

#define MOVES_MOST 256u /* misses at a time */

struct channel {
	uint64_t free;     /* the next turn, as a time */
	uint64_t interval; /* from turn to turn; 0: no limit */
};

struct moves {
	bool is_limited;
	uint32_t l1d_misses, l2_misses;
	uint64_t missed;              /* lines that L1D waited for so far */
	uint64_t arrives[MOVES_MOST]; /* the last ones */
	struct channel from[LEVEL_DRAM + 1];
};

void moves_init(struct moves *moves, const struct params *params);

/* When an access can be made that is answered by @level, has @lines moved and
 * could be made at @time; nothing is given out before @now. */
uint64_t moves_ask(struct moves *moves, enum level level, struct lines lines,
		   uint64_t now, uint64_t time);

/* It gets its line at @time. */
static inline void moves_note_arrival(struct moves *moves, uint64_t time)
{
	if (moves->l1d_misses)
		moves->arrives[moves->missed++ % moves->l1d_misses] = time;
}

#endif /* SIMPMU_MODEL_MOVES_H */
