/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The filter: which accesses need not be shown to the model at all.
 *
 * A hit in L1 and in the first-level TLB changes nothing in the modelled
 * machine but the age of the line and of the page (true LRU). The filter is a
 * direct-mapped table of lines for which that is so, laid out for code that a
 * translator inlines before each access:
 *
 *	i = (ea >> line_shift) & (FILTER_SIZE - 1)
 *	if (ea - entry[i].read + (size - 1) >= line_bytes)  -- unsigned;
 *		call model_load_slow() ...                   -- write for
 *	else                                                 -- stores
 *		entry[i].stamp = clock
 *	clock += CLOCK_STEP
 *
 * One unsigned comparison tests that the line is in L1, that its page is in
 * the TLB, that the access stays within the line and, for write, that the
 * line is already modified. What is skipped so costs a store and is exact:
 * running with and without the filter gives the same signals.
 *
 * Rules for the inlined code:
 *  - Stamps must grow in program order. `clock` in struct core is the stamp of
 *    the next access; each access takes CLOCK_STEP (one that crosses lines
 *    uses further numbers for its further lines). A block of n accesses may
 *    read the clock once as c, give access k the stamp c + k * CLOCK_STEP and
 *    store c + n * CLOCK_STEP at its end.
 *  - A block may test all its accesses first and, if one fails, replay all of
 *    them in order through model_load() and model_store() with `clock` still
 *    at c. Storing the stamps c + k * CLOCK_STEP unconditionally *after* that
 *    replay is right: the replay leaves each entry with the last line that
 *    mapped to it, and the last of these stores is that line's.
 *    Storing them before the test is wrong: a failing access would make the
 *    line that happens to sit in its entry younger.
 *  - The model alone writes the rest of an entry. It removes entries when the
 *    line leaves L1, when its page leaves the TLB, when another core takes or
 *    reads the line. Nothing needs to be flushed by the caller; code compiled
 *    once stays valid, because it reads the table each time.
 *  - The instruction side works the same way with its own table, where ea is
 *    a constant of the translated block: compare entry[i].read with the
 *    address of the line.
 *
 * FILTER_NONE marks an empty entry: no user address is within 64 bytes of it.
 */
#ifndef SIMPMU_MODEL_FILTER_H
#define SIMPMU_MODEL_FILTER_H

#include <stdint.h>

#define FILTER_BITS  11
#define FILTER_SIZE  (1u << FILTER_BITS)
#define FILTER_NONE  (UINT64_C(1) << 63)
#define CLOCK_STEP   8
#define FILTER_SHIFT 5 /* log2 of the bytes of an entry */

struct filter_entry {
	uint64_t read;  /* address of the line, or FILTER_NONE */
	uint64_t write; /* the same, if the line is modified */
	uint64_t stamp; /* clock of the last access */

	/* the model's own: where L1 and the TLB have line and page */
	uint32_t line_slot;
	uint32_t page_slot;
};

struct filter {
	struct filter_entry entry[FILTER_SIZE];
};

#endif /* SIMPMU_MODEL_FILTER_H */
