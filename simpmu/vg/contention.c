/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lines that threads take from each other.
 *
 * Valgrind runs one thread at a time, for 100,000 blocks. A line that two
 * threads write all the time would change hands twice in that time, and not
 * thousands of times as between processors that run at once. So a thread that
 * has just taken a line from another core goes on for a few blocks only; then
 * the others get their turn, and take it back if they use it too. Its next
 * turns are short too, and grow as long as it takes no lines: threads that have
 * just begun, or met at a barrier, soon find out what they share. Threads that
 * share nothing have long turns. The order of turns is that of host/turns.c.
 *
 * Which lines these were, and which instructions took them, is kept for those
 * who record.
 */
#include <libvex_guest_amd64.h>
#include <pub_tool_basics.h>
#include <pub_tool_machine.h>

#include "simpmu/vg/contention.h"
#include "simpmu/vg/host/turns.h"
#include "simpmu/vg/machine.h"

/* Blocks that a thread may have a contended line to itself. On processors that
 * is about as long as the request of the next core is on its way, 100 cycles or
 * so; four blocks of a loop that counts take as long. */
#define TURN_BLOCKS 4

/* And a turn of any thread while there are several: the first after it took a
 * line, and the longest. Each is twice as long as the one before. */
#define FIRST_TURN   16
#define LONGEST_TURN 1024

/*
 * What a thread takes does not end its turn in the first blocks after it began,
 * was woken or has created another. In the beginning it reads what its creator
 * or waker wrote: in turns of four blocks, the others would be far ahead when
 * it gets to its work. And who creates a thread may be about to create more, in
 * 150 to 350 blocks each; on processors a thread begins some 10 us later.
 */
#define BEGIN_BLOCKS  64
#define CREATE_BLOCKS 400

#define TAKEN         1024u /* pairs of line and instruction that are kept */

static struct engine_taken taken[TAKEN];

static struct {
	UInt next;  /* turn, in blocks; 0: as the first */
	UInt grace; /* blocks in which nothing ends its turn early */
	UInt began; /* blocks that it had when it was let run */
} of_thread[ENGINE_MAX_TID];

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
	if (of_thread[engine.running].grace)
		return;
	of_thread[engine.running].next = 0;
	if (state->host_EvC_COUNTER > TURN_BLOCKS)
		state->host_EvC_COUNTER = TURN_BLOCKS;
}

void contention_begin(unsigned tid)
{
	of_thread[tid].next = 0;
	of_thread[tid].grace = BEGIN_BLOCKS;
}

void contention_create(unsigned tid)
{
	of_thread[tid].grace = CREATE_BLOCKS;
}

/* Blocks of the turn of @tid that are left, as the core counts them. */
static Int get_left(unsigned tid)
{
	Int left;

	VG_(get_shadow_regs_area)
	(tid, (UChar *)&left, 0, offsetof(VexGuestAMD64State, host_EvC_COUNTER),
	 sizeof(left));
	return left;
}

void contention_begin_turn(unsigned tid)
{
	UInt next = of_thread[tid].next, left = (UInt)get_left(tid);

	if (!(engine.parts & PART_DATA) || !machine_is_shared())
		return;
	if (of_thread[tid].grace)
		next = of_thread[tid].grace;
	else if (!next)
		next = FIRST_TURN;
	of_thread[tid].began = left < next ? left : next;
	if (left > next)
		VG_(set_shadow_regs_area)
	(tid, 0, offsetof(VexGuestAMD64State, host_EvC_COUNTER), sizeof(next),
	 (UChar *)&next);
}

static void use_grace(unsigned tid, Int left)
{
	UInt *grace = &of_thread[tid].grace;
	UInt run = of_thread[tid].began - (left < 0 ? 0 : (UInt)left);

	*grace = run < *grace ? *grace - run : 0;
}

/* A turn of @tid has ended. */
static void set_next_turn(unsigned tid)
{
	UInt *next = &of_thread[tid].next;

	if (*next < FIRST_TURN)
		*next = FIRST_TURN;
	else
		*next = *next < LONGEST_TURN ? 2 * *next : LONGEST_TURN;
}

void contention_stop(unsigned tid)
{
	Int left = get_left(tid);

	if (of_thread[tid].grace)
		use_grace(tid, left);
	else if (left < 0)
		set_next_turn(tid);
	if (left < 0)
		turns_yield(true);
}

const struct engine_taken *engine_taken_lines(unsigned *n)
{
	*n = TAKEN;
	return taken;
}
