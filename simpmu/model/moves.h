/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lines that are moved from level to level: how many at a time, and how fast.
 *
 * L1D waits for a limited number of lines: a miss beyond it is asked for when
 * the first of them has come, in whatever order they were asked for. A level
 * gives one line after another: a miss waits for its turn behind those that
 * were asked for before, prefetched ones too. These nobody waits for, but an
 * access that has some fetched waits until no more than L2 can wait for are
 * due.
 *
 * Lines that are written take turns, too, of L2 or of memory. Nobody waits for
 * them, but for what they delay: those past the caches leave the store queue
 * when no more than the buffers hold are due.
 *
 * Where the model says so, a load of a line that is on its way to L1D is
 * done when that has come, and takes its port a second time then.
 *
 * Known lie: turns are given out in program order, from the time of issue on.
 * An access that knows its address late takes a turn that was free before.
 */
#pragma once

#include "simpmu/model/machine.h"

#define MOVES_MOST  256u /* misses at a time */

#define MOVES_LINES 64u /* on their way that are known */
#define MOVES_PAST  10u /* lines that wait to be written past the caches */

struct channel {
	uint64_t free;     /* the next turn, as a time */
	uint64_t interval; /* from turn to turn; 0: no limit */
	uint64_t write;    /* the same for a line that is written */
};

/* A line on its way to L1D. */
struct under_way {
	uint64_t line; /* its number + 1 */
	uint64_t arrives;
};

struct moves {
	bool is_limited;
	uint32_t l1d_misses, l2_misses;
	uint32_t place;               /* for the next line of L1D */
	uint64_t arrives[MOVES_MOST]; /* the last line of each place */
	struct channel from[LEVEL_DRAM + 1];
	uint64_t past; /* from one line that is written past the caches on */
	unsigned line_shift;
	bool replays;
	uint64_t latest; /* when all lines have come that are on their way */
	struct under_way under_way[MOVES_LINES];
};

void moves_init(struct moves *moves, const struct params *params);

/* When an access can be made that is answered by @level, has @lines moved and
 * could be made at @time; nothing is given out before @now. */
uint64_t moves_ask(struct moves *moves, enum level level, struct lines lines,
		   uint64_t now, uint64_t time);

/* When a line is through that is written past the caches at @time. */
uint64_t moves_write_past(struct moves *moves, uint32_t lines, uint64_t time);

static inline struct under_way *moves_place(struct moves *moves,
					    uint64_t address)
{
	return &moves->under_way[(address >> moves->line_shift) % MOVES_LINES];
}

/* When the line of @address comes, if it is on its way; or 0. */
static inline uint64_t moves_awaited(struct moves *moves, uint64_t address)
{
	const struct under_way *u = moves_place(moves, address);

	return u->line == (address >> moves->line_shift) + 1 ? u->arrives : 0;
}

/* The line of @address comes at @time. */
static inline void moves_note_line(struct moves *moves, uint64_t address,
				   uint64_t time)
{
	*moves_place(moves, address) =
		(struct under_way){ (address >> moves->line_shift) + 1, time };
	if (time > moves->latest)
		moves->latest = time;
}

/* It gets its line at @time. */
static inline void moves_note_arrival(struct moves *moves, uint64_t time)
{
	moves->arrives[moves->place] = time;
}
