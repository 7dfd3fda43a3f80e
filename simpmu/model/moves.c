/* SPDX-License-Identifier: BSD-3-Clause */
/* Limits of moving lines; see moves.h. */

#include "simpmu/model/moves.h"

#include "simpmu/model/timing.h"

static uint64_t interval_of(uint32_t hundredths)
{
	return ((uint64_t)CYCLE_PARTS * hundredths / 100) << CAUSE_BITS;
}

void moves_init(struct moves *moves, const struct params *params)
{
	moves->l1d_misses = params->l1d_misses;
	moves->l2_misses = params->l2_misses;
	moves->from[LEVEL_L2].interval = interval_of(params->l2_line_time);
	moves->from[LEVEL_L3].interval = interval_of(params->l3_line_time);
	moves->from[LEVEL_DRAM].interval = interval_of(params->dram_line_time);
	moves->from[LEVEL_L2].write = interval_of(params->l2_write_time);
	moves->from[LEVEL_DRAM].write = interval_of(params->dram_write_time);
	moves->past = interval_of(params->past_time);
	moves->replays = params->replay;
	while (params->line_bytes >> moves->line_shift > 1)
		moves->line_shift++;
	moves->is_limited = params->l1d_misses || params->l2_line_time ||
			    params->l3_line_time || params->dram_line_time ||
			    params->l2_write_time || params->dram_write_time;
}

/* @count lines of @channel; the access itself needs the first if @is_awaited.
 * When it can be made. */
static uint64_t take_turns(struct channel *channel, uint32_t count,
			   bool is_awaited, uint32_t capacity, uint64_t now,
			   uint64_t time)
{
	uint64_t turn = time_later(channel->free, now);
	uint64_t ahead = capacity * channel->interval;

	if (!count || !channel->interval)
		return time;
	channel->free = turn + count * channel->interval;
	if (is_awaited)
		return time_later(time, turn);
	if (capacity && turn > time + ahead)
		return turn - ahead;
	return time;
}

/* @count lines are written by way of @channel. */
static void write_lines(struct channel *channel, uint32_t count, uint64_t now)
{
	if (count && channel->write)
		channel->free =
			time_later(channel->free, now) + count * channel->write;
}

uint64_t moves_write_past(struct moves *moves, uint32_t lines, uint64_t time)
{
	struct channel *memory = &moves->from[LEVEL_DRAM];
	uint64_t ahead = MOVES_PAST * moves->past;

	if (!lines || !moves->past)
		return time;
	memory->free = time_later(memory->free, time) + lines * moves->past;
	return memory->free > time + ahead ? memory->free - ahead : time;
}

/* Where the next line of L1D goes: in the place that is free first. */
static uint64_t find_place(struct moves *moves)
{
	const uint64_t *arrives = moves->arrives;
	uint64_t first = UINT64_MAX;

	for (uint32_t i = 0; i < moves->l1d_misses; i++)
		if (arrives[i] < first) {
			first = arrives[i];
			moves->place = i;
		}
	return first;
}

uint64_t moves_ask(struct moves *moves, enum level level, struct lines lines,
		   uint64_t now, uint64_t time)
{
	bool misses = level != LEVEL_L1;
	bool from_l3 = level == LEVEL_L3 || level == LEVEL_CORE;

	if (misses && moves->l1d_misses)
		time = time_later(time, find_place(moves));
	time = take_turns(&moves->from[LEVEL_L2], misses, misses,
			  moves->l2_misses, now, time);
	time = take_turns(&moves->from[LEVEL_L3], lines.l3,
			  from_l3 || level == LEVEL_DRAM, moves->l2_misses, now,
			  time);
	time = take_turns(&moves->from[LEVEL_DRAM], lines.dram,
			  level == LEVEL_DRAM, moves->l2_misses, now, time);
	write_lines(&moves->from[LEVEL_L2], lines.back, now);
	write_lines(&moves->from[LEVEL_DRAM], lines.written, now);
	return time;
}
