/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * First-level cache and TLB behind the filter.
 *
 * What leaves the filter leaves its stamp behind, in the line and in the page.
 * To find the oldest page of a TLB set the stamps of its lines in the filter
 * count too; a page's marks say which lines to look at, so that this costs as
 * much as the page has lines in use.
 */

#include "simpmu/model/side.h"

void side_drop_entry(struct side *side, struct filter_entry *e)
{
	struct page_array *pages =
		e->page_slot & PAGE_SLOT_HUGE ? &side->huge : &side->small;
	uint64_t *page_stamp =
		&pages->cache.stamp[e->page_slot & ~PAGE_SLOT_HUGE];

	side->l1.stamp[e->line_slot] = e->stamp;
	side->l1.flags[e->line_slot] &= (uint8_t)~LINE_FILTERED;
	if (*page_stamp < e->stamp)
		*page_stamp = e->stamp;
	e->read = FILTER_NONE;
	e->write = FILTER_NONE;
}

/* ---- pages ---- */

/* One entry of the filter, if it holds a line of the page: raise `youngest` to
 * its stamp, and drop it if told so. */
struct visit {
	uint64_t page;
	unsigned shift; /* log2 of the page's bytes */
	bool drop;
	uint64_t youngest;
};

static bool visit_entry(struct side *side, uint32_t i, struct visit *visit)
{
	struct filter_entry *e = &side->filter->entry[i];

	if (e->read >> visit->shift != visit->page)
		return false;
	if (e->stamp > visit->youngest)
		visit->youngest = e->stamp;
	if (visit->drop)
		side_drop_entry(side, e);
	return true;
}

static void visit_marked(struct side *side, const struct page_array *pages,
			 uint32_t slot, struct visit *visit)
{
	uint64_t first = visit->page << pages->page_lines_shift;
	uint64_t marks = pages->marks[slot];

	for (; marks; marks &= marks - 1) {
		uint64_t line = first + ((uint64_t)__builtin_ctzll(marks)
					 << pages->mark_shift);
		uint64_t end = line + (UINT64_C(1) << pages->mark_shift);
		bool found = false;

		for (; line < end; line++)
			found |= visit_entry(side, entry_of(line), visit);
		if (!found) /* it left the filter long ago */
			pages->marks[slot] ^= marks & -marks;
	}
}

/* The newest stamp of the page in @slot; with @drop its lines also leave the
 * filter. A page that has more lines than the filter is sought in all of it. */
static uint64_t visit_lines(struct side *side, const struct page_array *pages,
			    uint32_t slot, bool drop)
{
	struct visit visit = {
		.page = line_of(&pages->cache, slot),
		.shift = side->line_shift + pages->page_lines_shift,
		.drop = drop,
		.youngest = pages->cache.stamp[slot],
	};

	if (!pages->marks[slot])
		return visit.youngest;
	if (pages->page_lines_shift <= FILTER_BITS) {
		visit_marked(side, pages, slot, &visit);
		return visit.youngest;
	}
	for (uint32_t i = 0; i < FILTER_SIZE; i++)
		visit_entry(side, i, &visit);
	return visit.youngest;
}

/* Stamps in the array are never newer than the truth: once the oldest of them
 * turns out to be true, it is the oldest page. */
static uint32_t oldest_page(struct side *side, struct page_array *pages,
			    uint32_t set)
{
	for (;;) {
		uint32_t slot = cache_oldest(&pages->cache, set);
		uint64_t stamp;

		if (!pages->cache.key[slot])
			return slot;
		stamp = visit_lines(side, pages, slot, false);
		if (stamp == pages->cache.stamp[slot])
			return slot;
		pages->cache.stamp[slot] = stamp;
	}
}

uint32_t side_fill_page(struct side *side, struct page_array *array,
			uint64_t page, uint64_t stamp)
{
	uint32_t slot =
		oldest_page(side, array, cache_set(&array->cache, page));

	if (array->cache.key[slot])
		visit_lines(side, array, slot, true);
	array->cache.key[slot] = page + 1;
	array->cache.stamp[slot] = stamp;
	array->marks[slot] = 0;
	return slot;
}

/* ---- lines ---- */

/* The entry of the line in @slot, if that is in the filter. */
static struct filter_entry *entry_for(struct side *side, uint32_t slot)
{
	return &side->filter->entry[entry_of(line_of(&side->l1, slot))];
}

/* As for pages: look up the true stamp only of what seems the oldest. */
uint32_t side_victim(struct side *side, uint32_t set)
{
	struct cache *l1 = &side->l1;

	if (l1->bit_plru)
		return cache_victim(l1, set);
	for (;;) {
		uint32_t slot = cache_oldest(l1, set);
		uint64_t stamp;

		if (!(l1->flags[slot] & LINE_FILTERED))
			return slot;
		stamp = entry_for(side, slot)->stamp;
		if (stamp == l1->stamp[slot])
			return slot;
		l1->stamp[slot] = stamp;
	}
}

/* With bit-PLRU only lines whose bit is set may be filtered. */
void side_touch_bit(struct side *side, uint32_t slot)
{
	uint32_t set = slot - slot % side->l1.ways;

	if (!cache_touch_bit(&side->l1, set, slot))
		return;
	for (uint32_t other = set; other < set + side->l1.ways; other++)
		if (other != slot && side->l1.key[other])
			side_remove(side, other);
}

void side_remove(struct side *side, uint32_t slot)
{
	if (side->l1.flags[slot] & LINE_FILTERED)
		side_drop_entry(side, entry_for(side, slot));
}

void side_forbid_writes(struct side *side, uint32_t slot)
{
	if (side->l1.flags[slot] & LINE_FILTERED)
		entry_for(side, slot)->write = FILTER_NONE;
}

/* ---- life ---- */

static bool pages_init(struct page_array *pages, struct memory *memory,
		       const uint32_t *sets_ways, unsigned lines_shift)
{
	size_t slots = (size_t)sets_ways[0] * sets_ways[1];

	if (!slots)
		return true;
	pages->page_lines_shift = lines_shift;
	pages->page_mask = (UINT64_C(1) << lines_shift) - 1;
	pages->mark_shift = lines_shift > 6 ? lines_shift - 6 : 0;
	pages->marks = memory_get(memory, slots * sizeof(*pages->marks));
	return pages->marks &&
	       cache_init(&pages->cache, memory, sets_ways[0], sets_ways[1]);
}

bool side_init(struct side *side, struct memory *memory, struct filter *filter,
	       const struct side_params *params)
{
	const struct tlb_params *tlb = params->tlb;
	const uint32_t small[2] = { tlb->sets, tlb->ways };
	const uint32_t huge[2] = { tlb->huge_sets, tlb->huge_ways };

	side->filter = filter;
	side->line_shift = params->line_shift;
	for (uint32_t i = 0; i < FILTER_SIZE; i++) {
		filter->entry[i].read = FILTER_NONE;
		filter->entry[i].write = FILTER_NONE;
	}
	side->l1.bit_plru = params->l1->replacement == REPLACE_BIT_PLRU;
	return cache_init(&side->l1, memory, params->l1->sets,
			  params->l1->ways) &&
	       pages_init(&side->small, memory, small,
			  PAGE_SHIFT - params->line_shift) &&
	       pages_init(&side->huge, memory, huge,
			  HUGE_SHIFT - params->line_shift);
}

void side_forget_pages(struct side *side)
{
	for (uint32_t i = 0; i < FILTER_SIZE; i++)
		if (side->filter->entry[i].read != FILTER_NONE)
			side_drop_entry(side, &side->filter->entry[i]);
	cache_flush(&side->small.cache);
	cache_flush(&side->huge.cache);
}

void side_flush(struct side *side)
{
	side_forget_pages(side);
	cache_flush(&side->l1);
}
