/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Prefetch instructions.
 *
 * t0 and nta bring a line into L1D by way of L2, t1 and t2 into L2 only, and
 * prefetchw into L1D as the only copy, ready to be written.
 *
 * Known lies: the line is there at once, so no prefetch is late, and none is
 * dropped; nta leaves no mark by which its line would be replaced first; a
 * prefetch trains no prefetcher and counts as no look-up of loads, in caches
 * or TLBs, though it translates its address and walks for it. Nothing is
 * prefetched from the first page, where null pointers point.
 */

#include "simpmu/model/below.h"

/* Addresses from here on are not the program's. */
#define TOP_BITS 47

/* Bring @line into L1D; its slot. */
static uint32_t bring(struct core *core, uint64_t line, enum access who)
{
	struct side *side = &core->mem->data;
	uint32_t slot =
		cache_find_in(&side->l1, cache_set(&side->l1, line), line);
	struct reply reply;
	uint8_t flags;

	if (slot != SLOT_NONE) {
		core->tallies[TALLY_SWPF_L1_HIT]++;
		side_touch(side, slot, core->clock);
		return slot;
	}
	core->tallies[TALLY_SWPF_L1_FILL]++;
	reply = below_fetch(core, line, who);
	flags = reply.flags & LINE_OWNED;
	if (reply.flags & LINE_DIRTY)
		flags |= LINE_DIRTY_BELOW;
	return levels_fill_l1(core, side, line, flags);
}

static void bring_to_write(struct core *core, uint64_t line)
{
	uint32_t slot = bring(core, line, ACCESS_SOFTWARE_OWN);
	uint8_t *flags = &core->mem->data.l1.flags[slot];

	if (*flags & LINE_OWNED)
		return;
	coherence_own(core, line);
	*flags |= LINE_OWNED;
}

void model_prefetch(struct core *core, uint64_t ea, enum prefetch_to to)
{
	uint64_t line = ea >> core->line_shift;
	uint32_t delay = 0;

	if (!(ea >> PAGE_SHIFT) || ea >> TOP_BITS)
		return;
	tlb_translate(core, &core->mem->data, ea, ACCESS_SOFTWARE, &delay);
	if (to == PREFETCH_TO_L1)
		bring(core, line, ACCESS_SOFTWARE);
	else if (to == PREFETCH_TO_L2)
		below_fetch(core, line, ACCESS_SOFTWARE);
	else
		bring_to_write(core, line);
	core->clock += CLOCK_STEP;
}
