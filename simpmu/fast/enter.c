/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What stands at the entry of a translation: a block counts itself and counts
 * down until it is hot; both kinds test that the log has room, and armed ones
 * that no trap is near.
 */
#include "simpmu/fast/block.h"
#include "simpmu/fast/count.h"
#include "simpmu/fast/emit.h"
#include "simpmu/fast/insn.h"
#include "simpmu/fast/model/script.h"
#include "simpmu/fast/path.h"
#include "simpmu/fast/thread.h"
#include "simpmu/fast/trap/armed.h"

/* A block is hot after so many runs: found by trial with the programs of
 * bench/. */
static uint32_t hot_after = 1500;

void enter_hot_after(uint64_t runs)
{
	hot_after = runs && runs < UINT32_MAX ? (uint32_t)runs : UINT32_MAX;
}

/* lahf and seto take flags, an addition that overflows as OF was and sahf bring
 * them back. */
void path_save_flags(void)
{
	emit_store(RAX, T_SPILL0);
	emit1(0x9f); /* lahf */
	emit1(0x0f); /* seto al */
	emit2(0x90, 0xc0);
}

void path_restore_flags(void)
{
	emit2(0x04, 0x7f); /* add al, 0x7f */
	emit1(0x9e);       /* sahf */
	emit_load(RAX, T_SPILL0);
}

static void save_flags(bool live)
{
	if (live)
		path_save_flags();
}

static void restore_flags(bool live)
{
	if (live)
		path_restore_flags();
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

static void test_traps(struct path *p, bool live)
{
	if (p->mode != MODE_ARMED)
		return;
	for (unsigned slot = 0; slot < THREAD_TRAPS; slot++) {
		uint8_t *jump = armed_test(p, slot);

		if (jump)
			leave_at_entry(jump, live,
				       EXIT_NEAR | block_number(p->block));
	}
}

/* Leave the cache when the block has become hot. */
static void count_down(const struct path *p, bool live)
{
	uint32_t number = block_number(p->block);
	uint8_t *hot;

	((uint32_t *)COUNTDOWN)[number] = hot_after;
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
}

/* Count and count down. */
void enter_block(struct path *p)
{
	bool live = insn_flags_live(p->block->pc);

	save_flags(live);
	test_log(p, live);
	test_traps(p, live);
	p->block->entry_counter = p->is_silent ? 0 : count_new();
	if (!p->is_silent)
		emit_count(p->block->entry_counter, false);
	if (p->mode != MODE_STEP)
		count_down(p, live);
	if (p->mode == MODE_ARMED)
		armed_spend(p);
	restore_flags(live);
}

void enter_trace(struct path *p)
{
	bool live = insn_flags_live(p->block->pc);

	if (!script_is_on() && p->mode != MODE_ARMED)
		return;
	save_flags(live);
	test_log(p, live);
	test_traps(p, live);
	restore_flags(live);
}
