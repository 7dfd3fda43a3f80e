/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Translation: first-level TLB, second-level TLB, page walk.
 *
 * Known lies: a walk has one fixed cost, to which the time is added that the
 * entries of the last tables take longer than from L2, if the model has them
 * read; there are no paging-structure caches; 4 KB and 2 MB pages share the
 * second-level TLB by their page numbers; prefetchers never walk across pages.
 */

#include "simpmu/model/below.h"

/* Tallies by who asks: loads, stores, fetches, prefetches of any kind. */
static const uint16_t missed[ACCESS_KINDS] = {
	TALLY_DTLB_LOAD_MISS, TALLY_DTLB_STORE_MISS, TALLY_ITLB_MISS,
	TALLY_NOWHERE,        TALLY_NOWHERE,         TALLY_NOWHERE
};
static const uint16_t stlb_hit[ACCESS_KINDS] = {
	TALLY_STLB_LOAD_HIT, TALLY_STLB_STORE_HIT, TALLY_STLB_I_HIT,
	TALLY_NOWHERE,       TALLY_NOWHERE,        TALLY_NOWHERE
};
static const uint16_t walked[ACCESS_KINDS] = {
	TALLY_WALK_LOAD, TALLY_WALK_STORE, TALLY_WALK_I,
	TALLY_NOWHERE,   TALLY_NOWHERE,    TALLY_NOWHERE
};

static bool is_huge(const struct model *model, uint64_t address)
{
	uint64_t page = address >> HUGE_SHIFT;

	for (size_t i = 0; i < model->huge_count; i++)
		if (page >= model->huge[i].first && page < model->huge[i].end)
			return true;
	return false;
}

/* Look in the second level; put the page there if it is missing. */
static bool find_in_stlb(struct hierarchy *mem, uint64_t page, bool huge)
{
	struct sets *stlb = &mem->stlb;
	struct place place;
	uint32_t way;

	if (!stlb->count)
		return false;
	place = sets_place(stlb, page);
	place.tag = place.tag << 1 | huge;
	way = sets_find(stlb, &place);
	if (way != SLOT_NONE) {
		sets_touch(stlb, &place, way);
		return true;
	}
	sets_put(stlb, &place, sets_victim(stlb, &place));
	return false;
}

/* Tables lie behind all addresses that programs have: those of 4 KB pages and
 * of 2 MB pages, and then the same of the host, if there is one. An entry of
 * the host's is not where the program's is in its page: both would share sets
 * of L2. */
#define TABLES      (UINT64_C(1) << 47)
#define TABLE_HUGE  (UINT64_C(1) << 44)
#define TABLE_HOST  ((UINT64_C(1) << 45) + (1u << (PAGE_SHIFT - 1)))
#define ENTRY_BYTES 8

static uint32_t latency_past_l2(const struct params *p, enum level level)
{
	if (level == LEVEL_L3 || level == LEVEL_CORE)
		return p->l3.latency - p->l2.latency;
	return level == LEVEL_DRAM ? p->dram_latency - p->l2.latency : 0;
}

static uint32_t walk(struct core *core, uint64_t page, bool huge)
{
	const struct params *p = &core->model->params;
	uint64_t entry = TABLES + (huge ? TABLE_HUGE : 0) + page * ENTRY_BYTES;
	uint32_t cycles = p->walk_latency;

	for (uint32_t i = 0; i < p->walk_reads; i++)
		cycles += latency_past_l2(
			p, levels_read_table(core, entry + i * TABLE_HOST));
	return cycles;
}

uint32_t tlb_look_below(struct core *core, uint64_t page, bool huge,
			enum access who)
{
	uint32_t cycles;

	if (find_in_stlb(core->mem, page, huge)) {
		core->late[stlb_hit[who]]++;
		return core->model->params.stlb_latency;
	}
	core->late[walked[who]]++;
	cycles = walk(core, page, huge);
	if (who >= ACCESS_PREFETCH)
		return cycles;
	if (huge)
		core->late[TALLY_WALK_2M]++;
	if (core->model->parts & PART_CYCLE)
		core->late[TALLY_WALK_CYCLES] += cycles;
	return cycles;
}

/* The usual number of ways in a straight line, others by call. */
static inline uint32_t find_page(const struct cache *pages, uint64_t page)
{
	uint32_t set = cache_set(pages, page), way;

	if (pages->ways != 4)
		return cache_find_in(pages, set, page);
	way = cache_find_way(pages->key + set, 4, page);
	return way == SLOT_NONE ? SLOT_NONE : set + way;
}

/* For the usual TLB of data and a core that leaves misses for later: that comes
 * last, so that nothing has to be kept across the call it may make. */
static void find_later(struct core *core, struct side *side, uint64_t address,
		       enum access who)
{
	struct cache *pages = &side->small;
	uint64_t page = address >> PAGE_SHIFT, old;
	uint32_t set = ((uint32_t)page & pages->mask) * 4;
	uint32_t way = cache_find_way(pages->key + set, 4, page);

	if (way != SLOT_NONE) {
		side_use_page(side, pages, set + way, address, core->clock);
		return;
	}
	core->tallies[missed[who]]++;
	way = cache_oldest_way(pages->stamp + set, 4);
	old = pages->key[set + way];
	if (old)
		side_forget_page(side, old - 1);
	pages->key[set + way] = page + 1;
	side_use_page(side, pages, set + way, address, core->clock);
	later_push(core, later_record(LATER_PAGE + who, page, false));
}

static inline bool is_usual(const struct core *core, const struct side *side)
{
	const struct cache *pages = &side->small;

	return is_later(core) && side == &core->mem->data && pages->ways == 4 &&
	       pages->mask && !core->model->huge_count;
}

/* Apart, so that the usual way keeps few registers. */
__attribute__((noinline)) static void find_any(struct core *core,
					       struct side *side,
					       uint64_t address,
					       enum access who, uint32_t *delay)
{
	bool huge = core->model->huge_count && is_huge(core->model, address);
	struct cache *pages = side_pages(side, huge);
	bool large = pages == &side->huge;
	uint64_t page = address >> (large ? HUGE_SHIFT : PAGE_SHIFT);
	uint32_t slot = find_page(pages, page);

	if (slot == SLOT_NONE) {
		core->tallies[missed[who]]++;
		*delay += below_translate(core, page, large, who);
		slot = side_fill_page(side, pages, page);
	}
	side_use_page(side, pages, slot, address, core->clock);
}

void tlb_find(struct core *core, struct side *side, uint64_t address,
	      enum access who, uint32_t *delay)
{
	if (is_usual(core, side))
		find_later(core, side, address, who);
	else
		find_any(core, side, address, who, delay);
}

void model_touch_page(struct core *core, uint64_t ea, bool store)
{
	uint32_t delay = 0;

	tlb_find(core, &core->mem->data, ea, store ? ACCESS_STORE : ACCESS_LOAD,
		 &delay);
}

void tlb_flush(struct core *core)
{
	side_forget_pages(&core->mem->data);
	side_forget_pages(&core->mem->code);
	sets_flush(&core->mem->stlb);
}
