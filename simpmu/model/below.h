/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What L1 and the first-level TLBs ask of what lies below them: now, or as a
 * record for later (later.h). Then a line that is asked for is ours alone, as
 * with one core it is, and where it came from is not known.
 */
#pragma once

#include "simpmu/model/later.h"
#include "simpmu/model/machine.h"

static inline bool is_later(const struct core *core)
{
	return core->later & PART_DATA;
}

/* Into the queue of stretch.h; the instruction too if it is one that waits. */
void later_push_noted(struct core *core, uint64_t record);

/* What was found for a record. */
struct answer {
	enum level level;
	uint32_t delay;
	struct lines lines;
};

/* No access moves more; if more were, nobody asked for long. */
#define LINES_MOST 192

static inline uint16_t lines_between(uint16_t from, uint16_t to)
{
	uint16_t count = (uint16_t)(to - from);

	return count <= LINES_MOST ? count : 0;
}

/* What was moved that nobody was told of yet; now someone is. */
static inline struct lines lines_to_tell(struct core *core)
{
	struct lines now = core->moved, told = core->told;

	core->told = now;
	return (struct lines){ lines_between(told.l3, now.l3),
			       lines_between(told.dram, now.dram),
			       lines_between(told.back, now.back),
			       lines_between(told.written, now.written) };
}

struct answer later_catch_up_miss(struct core *core, uint64_t record);

/* Let the host fetch what a record will look at. */
void later_expect(const struct core *core, uint64_t record);

static inline void later_push(struct core *core, uint64_t record)
{
	if (__builtin_expect(core->later & PART_CYCLE, false)) {
		later_push_noted(core, record);
		return;
	}
	*core->misses++ = record;
	if (__builtin_expect(!((uintptr_t)core->misses % QUEUE_BYTES), false))
		core->model->turn(core->model->turn_ctx, core);
}

static inline struct reply below_fetch(struct core *core, uint64_t line,
				       enum access who)
{
	_Static_assert(LATER_PAGE == LATER_LINE + ACCESS_KINDS &&
			       LATER_WRITE_BACK == LATER_PAGE + ACCESS_KINDS,
		       "a kind for everyone who asks");
	if (!is_later(core))
		return levels_fetch(core, line, who);
	later_push(core, later_record(LATER_LINE + who, line, false));
	return (struct reply){ LEVEL_DRAM, LINE_OWNED };
}

static inline void below_write_back(struct core *core, uint64_t line)
{
	if (is_later(core))
		later_push(core, later_record(LATER_WRITE_BACK, line, false));
	else
		levels_write_back(core, line);
}

static inline uint32_t below_translate(struct core *core, uint64_t page,
				       bool huge, enum access who)
{
	if (!is_later(core))
		return tlb_look_below(core, page, huge, who);
	later_push(core, later_record(LATER_PAGE + who, page, huge));
	return 0;
}
