/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What stands at the entry of a translation: a block counts itself and counts
 * down until it is hot, and both kinds test that the log has room.
 */
#include "simpmu/fast/block.h"
#include "simpmu/fast/count.h"
#include "simpmu/fast/emit.h"
#include "simpmu/fast/insn.h"
#include "simpmu/fast/model/script.h"
#include "simpmu/fast/path.h"
#include "simpmu/fast/thread.h"

/* A block is hot after so many runs: found by trial with the programs of
 * bench/. */
#define HOT 1500

/* Live flags are kept in rax: lahf and seto take them, an addition that
 * overflows as OF was and sahf bring them back. */
static void save_flags(bool live)
{
	if (!live)
		return;
	emit_store(RAX, T_SPILL0);
	emit1(0x9f); /* lahf */
	emit1(0x0f); /* seto al */
	emit2(0x90, 0xc0);
}

static void restore_flags(bool live)
{
	if (!live)
		return;
	emit2(0x04, 0x7f); /* add al, 0x7f */
	emit1(0x9e);       /* sahf */
	emit_load(RAX, T_SPILL0);
}

/* Leave the cache from a path's beginning, if @jump is taken. */
static void leave_at_entry(uint8_t *jump, bool live, uint32_t why)
{
	emit_to_stubs();
	emit_patch(jump, emit_at);
	restore_flags(live);
	emit_leave(why);
	emit_to_cache();
}

static void test_log(const struct path *p, bool live)
{
	if (script_is_on())
		leave_at_entry(script_test_room(), live,
			       EXIT_LOG | block_number(p->block));
}

/* Count and count down. */
void enter_block(struct path *p)
{
	uint32_t number = block_number(p->block);
	bool live = insn_flags_live(p->block->pc);
	uint8_t *hot;

	save_flags(live);
	test_log(p, live);
	p->block->entry_counter = p->is_silent ? 0 : count_new();
	if (!p->is_silent)
		emit_count(p->block->entry_counter, false);
	((uint32_t *)COUNTDOWN)[number] = HOT;
	emit2(0xff, 0x0c); /* dec dword [countdown] */
	emit1(0x25);
	emit4(COUNTDOWN + 4 * number);
	hot = emit_jump_if(4);
	emit_to_stubs();
	emit_patch(hot, emit_at);
	restore_flags(live);
	emit_set(T_TARGET, p->block->entry_counter);
	emit_leave(EXIT_HOT | number);
	emit_to_cache();
	restore_flags(live);
}

void enter_trace(const struct path *p)
{
	bool live = insn_flags_live(p->block->pc);

	if (!script_is_on())
		return;
	save_flags(live);
	test_log(p, live);
	restore_flags(live);
}
