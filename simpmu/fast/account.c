/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts of parts of translations; see account.h. */
#include "simpmu/fast/account.h"

#include "simpmu/fast/block.h"
#include "simpmu/fast/insn.h"
#include "simpmu/fast/map.h"
#include "simpmu/fast/mode.h"
#include "simpmu/fast/sys.h"
#include "simpmu/fast/thread.h"
#include "simpmu/fast/trap/trap.h"
#include "simpmu/x86/effect.h"

/* Where count_rcx() of copy.c has written the counter's offset: it stands in
 * the second of its instructions, before the rep. */
#define REP_OFFSET_BEFORE 26

/* Iterations of an unfinished rep were counted before it began. */
static void uncount_rep(struct thread *t, const struct map_entry *e)
{
	uint32_t offset;

	memcpy(&offset, (const uint8_t *)(uint64_t)e->at - REP_OFFSET_BEFORE,
	       sizeof(offset));
	*(uint64_t *)((uint8_t *)t + offset) -= t->reg[RCX];
}

/* Whether the branch of entry @i was taken on the path of a trace. */
static bool was_taken(uint32_t i, const struct x86 *x)
{
	return x->branch == BRANCH_COND && map_is_same_path(i, i + 1) &&
	       map_get(i + 1)->pc != map_get(i)->pc + x->length;
}

static void add_entry(uint32_t i, bool is_trace, int32_t *amount)
{
	const struct map_entry *e = map_get(i);
	struct x86 x;

	if (e->fix == FIX_REP || e->fix == FIX_END || !insn_read(e->pc, &x))
		return;
	effect_of_instruction(&x, x.length, amount);
	if (is_trace && was_taken(i, &x))
		amount[TALLY_BR_TAKEN]++;
}

void account_part(struct thread *t, uint32_t entry)
{
	const struct map_path *path = map_path_of(entry);
	int32_t amount[TALLY_ARCH_COUNT];
	int sign = path->is_trace ? 1 : -1;

	if (path->is_silent)
		return;
	memset(amount, 0, sizeof(amount));
	if (map_get(entry)->fix == FIX_REP) {
		uncount_rep(t, map_get(entry));
		entry--;
	}
	if (path->is_trace)
		for (uint32_t i = path->first; i < entry; i++)
			add_entry(i, true, amount);
	else
		for (uint32_t i = entry; map_is_same_path(entry, i); i++)
			add_entry(i, false, amount);
	for (int s = 0; s < TALLY_ARCH_COUNT; s++)
		t->adjust[s] += sign * amount[s];
	if (block_numbered(path->block)->mode == MODE_ARMED)
		trap_adjust(t, amount, sign);
}

void account_undo(struct thread *t, uint64_t pc)
{
	int32_t amount[TALLY_ARCH_COUNT];
	struct x86 x;

	if (t->paused || !insn_read(pc, &x))
		return;
	memset(amount, 0, sizeof(amount));
	effect_of_instruction(&x, x.length, amount);
	for (int s = 0; s < TALLY_ARCH_COUNT; s++)
		t->adjust[s] -= amount[s];
	trap_adjust(t, amount, -1);
}
