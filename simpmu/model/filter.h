/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The filter: which accesses need not be shown to the model at all.
 *
 * A hit in L1 and in the first-level TLB changes nothing in the modelled
 * machine but the age of the line and of the page (true LRU). The filter is
 * two direct-mapped tables, of lines in L1 and of pages in the TLB, laid out
 * for code that a translator inlines before each access:
 *
 *	l = &line[(ea >> line_shift) & (FILTER_LINES - 1)]
 *	p = &page[(ea >> PAGE_SHIFT) & (FILTER_PAGES - 1)]
 *	if (ea - l->tag + (size - 1) >= line_bytes ||       -- unsigned
 *	    ea - p->tag + (size - 1) >= 1 << PAGE_SHIFT)
 *		call model_load_slow() ...
 *	else
 *		*l->stamp = *p->stamp = clock
 *	clock += CLOCK_STEP
 *
 * The first comparison tests that the line is in L1, that the access stays
 * within it and that it is already modified, as a store needs it. The tag of a
 * line that is not modified has FILTER_CLEAN in it: for a load the two topmost
 * bits of the difference are to be ignored. What is skipped so costs two stores
 * and is exact: running with and without the filter gives the same tallies.
 *
 * Rules for the inlined code:
 *  - Stamps must grow in program order. `clock` in struct core is the stamp of
 *    the next access; each access takes CLOCK_STEP (one that crosses lines
 *    uses further numbers for its further lines). A block of n accesses may
 *    read the clock once as c, give access k the stamp c + k * CLOCK_STEP and
 *    store c + n * CLOCK_STEP at its end.
 *  - Accesses close to each other may be tested together: that all bytes from
 *    the first to the last are in one line, or page, that is there.
 *  - A block may test all its accesses first and, if one fails, replay all of
 *    them in order through model_load() and model_store() with `clock` still
 *    at c. The replay leaves the right stamps. Storing stamps before the test
 *    is wrong: a failing access would make the line that happens to sit in its
 *    entry younger. Storing them behind a replay is right, in order and through
 *    the entries as they are then, for accesses that were tested alone.
 *  - The model alone writes tags. It removes entries when the line leaves L1
 *    or the page the TLB, when another core takes or reads the line. Nothing
 *    needs to be flushed by the caller; code compiled once stays valid,
 *    because it reads the tables each time.
 *  - The instruction side works the same way with its own tables, where ea is
 *    a constant of the translated block; all its lines are clean.
 *
 * FILTER_NONE marks an empty entry: no user address is near it.
 */
#pragma once

#include <stdint.h>

#define PAGE_SHIFT       12

#define FILTER_LINES     (1u << 12)
#define FILTER_PAGES     (1u << 10)
#define FILTER_NONE      (UINT64_C(1) << 60)
#define FILTER_CLEAN     (UINT64_C(1) << 62)
#define FILTER_TOP       (UINT64_C(3) << 62) /* what loads ignore */
#define FILTER_TOP_SHIFT 62
#define FILTER_SHIFT     4 /* log2 of the bytes of an entry */
#define CLOCK_STEP       8

struct filter_entry {
	uint64_t tag;    /* address of line or page, or FILTER_NONE */
	uint64_t *stamp; /* where its last use is noted; never NULL */
};

/*
 * Arrays that are a power of two apart have the same entries. A caller that
 * inlines no code for this has them spread (model_spread()): a further piece of
 * the address, from bit line_spread or page_spread on, is added to the index.
 * Where they are not spread, no address has such bits.
 */
struct filter {
	struct filter_entry line[FILTER_LINES];
	struct filter_entry page[FILTER_PAGES];
	uint8_t line_spread, page_spread;
};

#define FILTER_PLAIN       63
#define FILTER_SPREAD_LINE 9 /* bits above those of a line */
#define FILTER_SPREAD_PAGE 7

/* Where @ea would be. */
static inline struct filter_entry *filter_line(struct filter *filter,
					       unsigned line_shift, uint64_t ea)
{
	uint64_t i = (ea >> line_shift) + (ea >> filter->line_spread);

	return &filter->line[i & (FILTER_LINES - 1)];
}

static inline struct filter_entry *filter_page(struct filter *filter,
					       uint64_t ea)
{
	uint64_t i = (ea >> PAGE_SHIFT) + (ea >> filter->page_spread);

	return &filter->page[i & (FILTER_PAGES - 1)];
}

/* The same for a filter that is spread. */
static inline struct filter_entry *
filter_line_spread(struct filter *filter, unsigned line_shift, uint64_t ea)
{
	uint64_t line = ea >> line_shift;
	uint64_t i = line + (line >> FILTER_SPREAD_LINE);

	return &filter->line[i & (FILTER_LINES - 1)];
}

static inline struct filter_entry *filter_page_spread(struct filter *filter,
						      uint64_t ea)
{
	uint64_t page = ea >> PAGE_SHIFT;
	uint64_t i = page + (page >> FILTER_SPREAD_PAGE);

	return &filter->page[i & (FILTER_PAGES - 1)];
}
