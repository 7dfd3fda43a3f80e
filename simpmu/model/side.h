/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A side of a core: a first-level cache, its TLB, and the filter in front of
 * both. A core has two, for data and for code.
 *
 * While a line is in the filter, the filter has the newest stamp of the line,
 * and the newest stamp of a page is the largest among its own and those of its
 * lines in the filter. side_* functions keep this; nobody else may write
 * filters, or stamps of these arrays.
 */
#ifndef SIMPMU_MODEL_SIDE_H
#define SIMPMU_MODEL_SIDE_H

#include "simpmu/model/cache.h"
#include "simpmu/model/filter.h"
#include "simpmu/model/params.h"

#define PAGE_SHIFT 12
#define HUGE_SHIFT 21

/* Entries for one page size. */
struct page_array {
	struct cache cache; /* of page numbers */
	uint64_t *marks;    /* one a slot: which lines went into the filter */
	unsigned page_lines_shift; /* log2 of lines in a page */
	uint64_t page_mask;        /* of a line's number in its page */
	unsigned mark_shift;       /* log2 of lines that share a mark */
};

struct side {
	struct filter *filter;
	struct cache l1;
	struct page_array small;
	struct page_array huge; /* no sets: none */
	unsigned line_shift;
};

/* In an entry's page_slot: the page is in `huge`, not in `small`. */
#define PAGE_SLOT_HUGE (1u << 31)

/* Where a translation was found. */
struct page_ref {
	struct page_array *array;
	uint32_t slot;
};

struct side_params {
	const struct cache_params *l1;
	const struct tlb_params *tlb;
	unsigned line_shift;
};

bool side_init(struct side *side, struct memory *memory, struct filter *filter,
	       const struct side_params *params);
void side_flush(struct side *side);
void side_forget_pages(struct side *side);

/* The array for pages of this size. */
static inline struct page_array *side_pages(struct side *side, bool huge)
{
	return huge && side->huge.cache.sets ? &side->huge : &side->small;
}

/* Put @page into @array in the place of the oldest of its set. */
uint32_t side_fill_page(struct side *side, struct page_array *array,
			uint64_t page, uint64_t stamp);

/* The slot of the set at @set whose line has to leave L1. */
uint32_t side_victim(struct side *side, uint32_t set);

/* The line in @slot is used. */
void side_touch_bit(struct side *side, uint32_t slot);

static inline void side_touch(struct side *side, uint32_t slot, uint64_t stamp)
{
	side->l1.stamp[slot] = stamp;
	if (side->l1.bit_plru)
		side_touch_bit(side, slot);
}

/* An entry of the filter goes; its stamp is left behind. */
void side_drop_entry(struct side *side, struct filter_entry *entry);

static inline uint64_t line_of(const struct cache *cache, uint32_t slot)
{
	return cache->key[slot] - 1;
}

static inline uint32_t entry_of(uint64_t line)
{
	return (uint32_t)line & (FILTER_SIZE - 1);
}

/* Later accesses to the line in @slot, whose page is @page, change nothing but
 * stamps: let them be filtered; stores too if the line is modified. */
static inline void side_install(struct side *side, uint32_t slot,
				struct page_ref page, uint64_t stamp)
{
	uint64_t line = line_of(&side->l1, slot);
	uint64_t address = line << side->line_shift;
	struct filter_entry *e = &side->filter->entry[entry_of(line)];
	uint64_t in_page = line & page.array->page_mask;

	if (e->read != FILTER_NONE && e->read != address)
		side_drop_entry(side, e);
	e->read = address;
	e->stamp = stamp;
	e->write = side->l1.flags[slot] & LINE_DIRTY ? address : FILTER_NONE;
	side->l1.flags[slot] |= LINE_FILTERED;
	e->line_slot = slot;
	e->page_slot =
		page.slot | (page.array == &side->huge ? PAGE_SLOT_HUGE : 0);
	page.array->marks[page.slot] |= UINT64_C(1)
					<< (in_page >> page.array->mark_shift);
}

/* The line in @slot leaves L1, or stores to it need to be seen again. */
void side_remove(struct side *side, uint32_t slot);
void side_forbid_writes(struct side *side, uint32_t slot);

#endif /* SIMPMU_MODEL_SIDE_H */
