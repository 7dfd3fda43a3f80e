/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A side of a core: a first-level cache, its TLB, and the filter in front of
 * both. A core has two, for data and for code.
 *
 * Entries of the filter point to the stamps of their lines and pages in the
 * arrays. Pieces of a huge page are in the filter as pages of 4 KB. side_*
 * functions keep this; nobody else may write filters.
 */
#pragma once

#include "simpmu/model/cache.h"
#include "simpmu/model/filter.h"
#include "simpmu/model/params.h"

#define HUGE_SHIFT 21

struct side {
	struct filter *filter;
	struct cache l1;
	struct cache small; /* page numbers */
	struct cache huge;  /* the same; no sets: none */
	unsigned line_shift;
	uint64_t nowhere; /* where empty entries of the filter point to */
};

struct side_params {
	const struct cache_params *l1;
	const struct tlb_params *tlb;
	unsigned line_shift;
};

bool side_init(struct side *side, struct memory *memory, struct filter *filter,
	       const struct side_params *params);
void side_flush(struct side *side);
void side_spread(struct side *side);
void side_forget_pages(struct side *side);

static inline uint64_t line_of(const struct cache *cache, uint32_t slot)
{
	return cache->key[slot] - 1;
}

/* ---- pages ---- */

/* The array for pages of this size. */
static inline struct cache *side_pages(struct side *side, bool huge)
{
	return huge && side->huge.sets ? &side->huge : &side->small;
}

/* Put @page into @pages in the place of the oldest of its set. */
uint32_t side_fill_page(struct side *side, struct cache *pages, uint64_t page);

/* The page of @address is used, and is in @slot: let later accesses be
 * filtered. */
static inline void side_use_page(struct side *side, struct cache *pages,
				 uint32_t slot, uint64_t address,
				 uint64_t stamp)
{
	uint64_t page = address >> PAGE_SHIFT;
	struct filter_entry *e = filter_page(side->filter, address);

	pages->stamp[slot] = stamp;
	e->tag = page << PAGE_SHIFT;
	e->stamp = &pages->stamp[slot];
}

/* A page, or a piece of a huge one, leaves the filter if it is there. */
static inline void side_forget_page(struct side *side, uint64_t page)
{
	struct filter_entry *e = filter_page(side->filter, page << PAGE_SHIFT);

	if (e->tag == page << PAGE_SHIFT)
		*e = (struct filter_entry){ FILTER_NONE, &side->nowhere };
}

/* ---- lines ---- */

/* Where the filter would have @line. */
static inline struct filter_entry *side_entry(const struct side *side,
					      uint64_t line)
{
	return filter_line(side->filter, side->line_shift,
			   line << side->line_shift);
}

/* Whether @e is about @line, modified or not. */
static inline bool side_is_about(const struct side *side,
				 const struct filter_entry *e, uint64_t line)
{
	return (e->tag & ~FILTER_CLEAN) == line << side->line_shift;
}

/* The line in @slot is used. */
void side_touch_bit(struct side *side, uint32_t slot);

static inline void side_touch(struct side *side, uint32_t slot, uint64_t stamp)
{
	side->l1.stamp[slot] = stamp;
	if (side->l1.bit_plru)
		side_touch_bit(side, slot);
}

/* Later accesses to the line in @slot change nothing but stamps: let them be
 * filtered; stores too if the line is modified. */
static inline void side_install_line(struct side *side, uint32_t slot)
{
	uint64_t line = line_of(&side->l1, slot);
	struct filter_entry *e = side_entry(side, line);
	bool dirty = side->l1.flags[slot] & LINE_DIRTY;

	e->tag = line << side->line_shift | (dirty ? 0 : FILTER_CLEAN);
	e->stamp = &side->l1.stamp[slot];
}

/* The line in @slot leaves L1, or stores to it need to be seen again. */
void side_remove(struct side *side, uint32_t slot);
void side_forbid_writes(struct side *side, uint32_t slot);
