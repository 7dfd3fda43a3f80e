/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lines that threads take from each other.
 *
 * Valgrind runs one thread at a time, for 100,000 blocks. A line that two
 * threads write all the time would change hands twice in that time, and not
 * thousands of times as between processors that run at once. So a thread that
 * has just taken a line from another core goes on for a few blocks only; then
 * the others get their turn, and take it back if they use it too. Threads that
 * share nothing have longer turns. The order of turns is that
 * of host/turns.c.
 *
 * Which lines these were, and which instructions took them, is kept for those
 * who record.
 */
#include <libvex_guest_amd64.h>
#include <pub_tool_basics.h>
#include <pub_tool_machine.h>

#include "simpmu/vg/contention.h"
#include "simpmu/vg/machine.h"

/* Blocks that a thread may have a contended line to itself: on processors a
 * store buffer's worth of accesses to it happen before it is given up. */
#define TURN_BLOCKS 32

/* And a turn of any thread while there are several. */
#define LONGEST_TURN 1000

#define TAKEN        1024u /* pairs of line and instruction that are kept */

static struct engine_taken taken[TAKEN];

struct contention contention;

static struct engine_taken *find(uint64_t line, uint64_t pc)
{
	uint64_t hash = (line ^ pc * 31) * UINT64_C(0x9e3779b97f4a7c15);

	for (unsigned i = 0; i < TAKEN; i++) {
		struct engine_taken *t = &taken[((hash >> 40) + i) % TAKEN];

		if (!t->count) {
			t->line = line;
			t->pc = pc;
			return t;
		}
		if (t->line == line && t->pc == pc)
			return t;
	}
	return NULL; /* so many: these few are not counted */
}

void contention_meet(const struct core *core, uint64_t pc, uint64_t address)
{
	uint64_t line =
		address & ~(uint64_t)(core->model->params.line_bytes - 1);
	struct engine_taken *t = find(line, pc);

	if (t) {
		t->address = address;
		t->count += core->model->contended - contention.seen;
	}
	contention.seen = core->model->contended;
	contention.ends_turn = true;
}

void contention_end_turn(void *guest)
{
	VexGuestAMD64State *state = guest;

	contention.ends_turn = false;
	if (state->host_EvC_COUNTER > TURN_BLOCKS)
		state->host_EvC_COUNTER = TURN_BLOCKS;
}

void contention_begin_turn(unsigned tid)
{
	const PtrdiffT at = offsetof(VexGuestAMD64State, host_EvC_COUNTER);
	UInt left;

	if (!(engine.parts & PART_DATA) || !machine_is_shared())
		return;
	VG_(get_shadow_regs_area)(tid, (UChar *)&left, 0, at, sizeof(left));
	if (left <= LONGEST_TURN)
		return;
	left = LONGEST_TURN;
	VG_(set_shadow_regs_area)(tid, 0, at, sizeof(left), (UChar *)&left);
}

void contention_stop(unsigned tid)
{
	const PtrdiffT at = offsetof(VexGuestAMD64State, host_EvC_COUNTER);
	Int left;

	VG_(get_shadow_regs_area)(tid, (UChar *)&left, 0, at, sizeof(left));
	if (left < 0) /* no blocks are left */
		turns_yield();
}

const struct engine_taken *engine_taken_lines(unsigned *n)
{
	*n = TAKEN;
	return taken;
}
