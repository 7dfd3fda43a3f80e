/* SPDX-License-Identifier: BSD-3-Clause */
/* First-level cache and TLB behind the filter. */

#include "simpmu/model/machine.h"
#include "simpmu/model/watch.h"

static void leave_filter(struct side *side, struct filter_entry *e)
{
	e->tag = FILTER_NONE;
	e->stamp = &side->nowhere;
}

/* ---- pages ---- */

static void forget_page(struct side *side, const struct cache *pages,
			uint64_t page)
{
	const unsigned shift = HUGE_SHIFT - PAGE_SHIFT;

	if (pages == &side->small) {
		side_forget_page(side, page);
		return;
	}
	for (uint64_t i = 0; i < UINT64_C(1) << shift; i++)
		side_forget_page(side, (page << shift) + i);
}

uint32_t side_fill_page(struct side *side, struct cache *pages, uint64_t page)
{
	uint32_t set = cache_set(pages, page);
	uint32_t slot = pages->ways == 4
				? set + cache_oldest_way(pages->stamp + set, 4)
				: cache_oldest(pages, set);

	if (pages->key[slot])
		forget_page(side, pages, line_of(pages, slot));
	cache_leave(pages, slot);
	pages->key[slot] = page + 1;
	return slot;
}

/* ---- lines ---- */

/* The entry of the line in @slot; NULL if that is not in the filter. */
static struct filter_entry *entry_for(const struct side *side, uint32_t slot)
{
	uint64_t line = line_of(&side->l1, slot);
	struct filter_entry *e = side_entry(side, line);

	return side_is_about(side, e, line) ? e : NULL;
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

	cache_leave(&side->l1, slot);
	if (e)
		leave_filter(side, e);
}

void side_forbid_writes(struct side *side, uint32_t slot)
{
	struct filter_entry *e = entry_for(side, slot);

	if (e)
		e->tag |= FILTER_CLEAN;
}

/* ---- watching ---- */

static bool let_watch(struct cache *cache, struct memory *memory)
{
	size_t slots = (size_t)cache->sets * cache->ways;

	if (!cache->watch)
		cache->watch =
			memory_get_apart(memory, slots * sizeof(*cache->watch));
	return cache->watch;
}

bool watch_init(struct core *core)
{
	struct side *side = &core->mem->code;
	struct memory *memory = &core->model->memory;

	return let_watch(&side->l1, memory) && let_watch(&side->small, memory);
}

static void begin_watch(struct watch *w, struct cache *cache, uint32_t slot,
			bool *holds)
{
	if (w->is_on)
		return;
	w->is_on = true;
	w->holds = holds;
	w->next = cache->watch[slot];
	cache->watch[slot] = w;
}

/* With bit-PLRU a use of a line changes something unless its bit is set. */
static bool is_there(const struct cache *cache, uint32_t slot)
{
	return slot != SLOT_NONE &&
	       (!cache->bit_plru || cache->flags[slot] & LINE_RECENT);
}

bool watch_fetch(struct core *core, uint64_t address, struct fetch_watch *w,
		 bool *holds)
{
	struct cache *l1 = &core->mem->code.l1, *small = &core->mem->code.small;
	uint64_t line = address >> core->line_shift;
	uint64_t page = address >> PAGE_SHIFT;
	uint32_t at = cache_find_in(l1, cache_set(l1, line), line);
	uint32_t page_at = cache_find_in(small, cache_set(small, page), page);

	/* a huge page has other entries */
	if (!is_there(l1, at) || page_at == SLOT_NONE ||
	    core->model->huge_count)
		return false;
	begin_watch(&w->line, l1, at, holds);
	begin_watch(&w->page, small, page_at, holds);
	w->line_stamp = &l1->stamp[at];
	w->page_stamp = &small->stamp[page_at];
	return true;
}

void cache_tell(struct cache *cache, uint32_t slot)
{
	struct watch *w = cache->watch[slot], *next;

	for (; w; w = next) {
		next = w->next;
		w->is_on = false;
		*w->holds = false;
	}
	cache->watch[slot] = NULL;
}

static void end_all(struct cache *cache)
{
	for (uint32_t i = 0; cache->watch && i < cache->sets * cache->ways; i++)
		cache_tell(cache, i);
}

void watch_end(struct core *core)
{
	end_all(&core->mem->code.l1);
	end_all(&core->mem->code.small);
}

/* ---- life ---- */

static void empty(struct side *side, struct filter_entry *entries,
		  uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		leave_filter(side, &entries[i]);
}

bool side_init(struct side *side, struct memory *memory, struct filter *filter,
	       const struct side_params *params)
{
	const struct tlb_params *tlb = params->tlb;

	side->filter = filter;
	side->line_shift = params->line_shift;
	filter->line_spread = filter->page_spread = FILTER_PLAIN;
	empty(side, filter->line, FILTER_LINES);
	empty(side, filter->page, FILTER_PAGES);
	side->l1.bit_plru = params->l1->replacement == REPLACE_BIT_PLRU;
	return cache_init(&side->l1, memory, params->l1->sets,
			  params->l1->ways) &&
	       cache_init(&side->small, memory, tlb->sets, tlb->ways) &&
	       (!tlb->huge_sets || cache_init(&side->huge, memory,
					      tlb->huge_sets, tlb->huge_ways));
}

void side_spread(struct side *side)
{
	side->filter->line_spread =
		(uint8_t)(side->line_shift + FILTER_SPREAD_LINE);
	side->filter->page_spread = PAGE_SHIFT + FILTER_SPREAD_PAGE;
}

void side_forget_pages(struct side *side)
{
	empty(side, side->filter->page, FILTER_PAGES);
	cache_flush(&side->small);
	cache_flush(&side->huge);
}

void side_flush(struct side *side)
{
	side_forget_pages(side);
	empty(side, side->filter->line, FILTER_LINES);
	cache_flush(&side->l1);
}
