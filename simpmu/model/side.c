/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * First-level cache and TLB behind the filter. What leaves the filter leaves
 * its stamp behind, in the array of lines or pages.
 */

#include "simpmu/model/side.h"

/* ---- pages ---- */

#define PIECES_SHIFT (HUGE_SHIFT - PAGE_SHIFT)

static struct filter_entry *piece_at(const struct side *side, uint64_t page)
{
	return &side->filter->page[page & (FILTER_PAGES - 1)];
}

static uint32_t find_page(const struct cache *pages, uint64_t page)
{
	return cache_find_in(pages, cache_set(pages, page), page);
}

static void raise(uint64_t *stamp, uint64_t to)
{
	if (*stamp < to)
		*stamp = to;
}

/* A page, or a piece of a huge one, leaves the filter. */
static void drop_page(struct side *side, struct filter_entry *e)
{
	uint64_t page = e->tag >> PAGE_SHIFT;
	uint32_t slot = find_page(&side->small, page);

	e->tag = FILTER_NONE;
	if (slot != SLOT_NONE) {
		side->small.stamp[slot] = e->stamp;
		return;
	}
	slot = find_page(&side->huge, page >> PIECES_SHIFT);
	raise(&side->huge.stamp[slot], e->stamp);
}

void side_install_page(struct side *side, uint64_t address, uint64_t stamp)
{
	uint64_t page = address >> PAGE_SHIFT;
	struct filter_entry *e = piece_at(side, page);

	if (e->tag != FILTER_NONE && e->tag != page << PAGE_SHIFT)
		drop_page(side, e);
	e->tag = page << PAGE_SHIFT;
	e->stamp = stamp;
}

/* The newest stamp of the huge page in @slot; its pieces leave the filter if
 * told so. */
static uint64_t visit_pieces(const struct side *side, uint32_t slot, bool drop)
{
	uint64_t first = line_of(&side->huge, slot) << PIECES_SHIFT;
	uint64_t stamp = side->huge.stamp[slot];

	for (uint64_t i = 0; i < UINT64_C(1) << PIECES_SHIFT; i++) {
		struct filter_entry *e = piece_at(side, first + i);

		if (e->tag != (first + i) << PAGE_SHIFT)
			continue;
		raise(&stamp, e->stamp);
		if (drop)
			e->tag = FILTER_NONE;
	}
	return stamp;
}

static uint64_t page_stamp(const struct side *side, const struct cache *pages,
			   uint32_t slot)
{
	uint64_t page = line_of(pages, slot);
	const struct filter_entry *e;

	if (pages == &side->huge)
		return visit_pieces(side, slot, false);
	e = piece_at(side, page);
	return e->tag == page << PAGE_SHIFT ? e->stamp : pages->stamp[slot];
}

/* Stamps in the array are never newer than the truth: once the oldest of them
 * turns out to be true, it is the oldest page. */
static uint32_t oldest_page(struct side *side, struct cache *pages,
			    uint32_t set)
{
	for (;;) {
		uint32_t slot = cache_oldest(pages, set);
		uint64_t stamp;

		if (!pages->key[slot])
			return slot;
		stamp = page_stamp(side, pages, slot);
		if (stamp == pages->stamp[slot])
			return slot;
		pages->stamp[slot] = stamp;
	}
}

static void forget_page(struct side *side, struct cache *pages, uint32_t slot)
{
	uint64_t page = line_of(pages, slot);
	struct filter_entry *e = piece_at(side, page);

	if (pages == &side->huge)
		visit_pieces(side, slot, true);
	else if (e->tag == page << PAGE_SHIFT)
		e->tag = FILTER_NONE;
}

void side_fill_page(struct side *side, struct cache *pages, uint64_t page,
		    uint64_t stamp)
{
	uint32_t slot = oldest_page(side, pages, cache_set(pages, page));

	if (pages->key[slot])
		forget_page(side, pages, slot);
	pages->key[slot] = page + 1;
	pages->stamp[slot] = stamp;
}

/* ---- lines ---- */

void side_drop_line(struct side *side, struct filter_entry *e)
{
	uint64_t line = (e->tag & ~FILTER_CLEAN) >> side->line_shift;
	uint32_t slot =
		cache_find_in(&side->l1, cache_set(&side->l1, line), line);

	side->l1.stamp[slot] = e->stamp;
	e->tag = FILTER_NONE;
}

/* The entry of the line in @slot; NULL if that is not in the filter. */
static struct filter_entry *entry_for(const struct side *side, uint32_t slot)
{
	uint64_t line = line_of(&side->l1, slot);
	struct filter_entry *e = side_entry(side, line);

	return side_is_about(side, e, line) ? e : NULL;
}

/* As for pages: look up the true stamp only of what seems the oldest. */
uint32_t side_victim(struct side *side, uint32_t set)
{
	struct cache *l1 = &side->l1;

	if (l1->bit_plru)
		return cache_victim(l1, set);
	for (;;) {
		uint32_t slot = cache_oldest(l1, set);
		const struct filter_entry *e;

		if (!l1->key[slot])
			return slot;
		e = entry_for(side, slot);
		if (!e || e->stamp == l1->stamp[slot])
			return slot;
		l1->stamp[slot] = e->stamp;
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
	struct filter_entry *e = entry_for(side, slot);

	if (!e)
		return;
	side->l1.stamp[slot] = e->stamp;
	e->tag = FILTER_NONE;
}

void side_forbid_writes(struct side *side, uint32_t slot)
{
	struct filter_entry *e = entry_for(side, slot);

	if (e)
		e->tag |= FILTER_CLEAN;
}

/* ---- life ---- */

static void empty(struct filter_entry *entries, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		entries[i].tag = FILTER_NONE;
}

bool side_init(struct side *side, struct memory *memory, struct filter *filter,
	       const struct side_params *params)
{
	const struct tlb_params *tlb = params->tlb;

	side->filter = filter;
	side->line_shift = params->line_shift;
	empty(filter->line, FILTER_LINES);
	empty(filter->page, FILTER_PAGES);
	side->l1.bit_plru = params->l1->replacement == REPLACE_BIT_PLRU;
	return cache_init(&side->l1, memory, params->l1->sets,
			  params->l1->ways) &&
	       cache_init(&side->small, memory, tlb->sets, tlb->ways) &&
	       (!tlb->huge_sets || cache_init(&side->huge, memory,
					      tlb->huge_sets, tlb->huge_ways));
}

void side_forget_pages(struct side *side)
{
	empty(side->filter->page, FILTER_PAGES);
	cache_flush(&side->small);
	cache_flush(&side->huge);
}

void side_flush(struct side *side)
{
	side_forget_pages(side);
	empty(side->filter->line, FILTER_LINES);
	cache_flush(&side->l1);
}
