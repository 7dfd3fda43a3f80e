/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What rings of lines or pages cost, by which level of the memory holds them.
 * Inside this folder only.
 *
 * A ring up to a level's size S fits. From S (1 + 1/ways) on each set sees more
 * lines than it has ways before one comes again, and if the least recently used
 * one is replaced, everything misses. Replaced otherwise, by a bit for each
 * line for example, a line may survive until each set sees twice as many. In
 * between is a ramp, about which nothing is said.
 *
 * Behind L1 sets are chosen by physical addresses. Where the order of physical
 * pages is not known, some sets get more pages than others: a ring fits only if
 * hardly one set is expected to overflow, and misses everywhere only if hardly
 * one is expected to have room.
 */
#pragma once

#include "kernels/kernel.h"

enum level_fit {
	FIT_INSIDE,
	FIT_RAMP,
	FIT_OUTSIDE,
	FIT_UNKNOWN
};

/* Whether L1D or L1I holds a ring; L2 or L3; a TLB so many pages. */
enum level_fit level_fit_l1(uint64_t footprint,
			    const struct kernel_cache *cache,
			    const struct kernel_machine *m);
enum level_fit level_fit_beyond(uint64_t footprint,
				const struct kernel_cache *cache,
				const struct kernel_machine *m);
enum level_fit level_fit_pages(uint64_t pages, const struct kernel_tlb *tlb,
			       const struct kernel_machine *m);

/* 1 to 3: that cache holds @footprint; 4: memory; 0: on a ramp, or unknown. */
int level_of(uint64_t footprint, const struct kernel_machine *m);

/*
 * A footprint of which it is known that @level holds it, near @wish, in steps
 * of @ratio: larger ones up to @most are looked at first, then smaller ones.
 * @wish if there is none.
 */
uint64_t level_footprint(uint64_t wish, int level, double ratio, uint64_t most,
			 const struct kernel_machine *m);

/* Pages of which it is sure that @tlb does not hold one of them. */
uint64_t level_too_many(const struct kernel_tlb *tlb,
			const struct kernel_machine *m);

/*
 * The same for a ring at @p. What prefetchers bring is only known to be of no
 * use where lines are apart and the order is all random: else 0 beyond L2.
 */
int level_of_ring(const struct kernel_point *p, const struct kernel_machine *m);

/* Bytes that all caches hold together: the last, and L2 beside a victim. */
uint64_t levels_last(const struct kernel_machine *m);

/* A point for validation: one line more than a set of @cache has ways. */
void levels_add_set(const struct kernel_cache *cache, struct kernel_points *to);

struct kernel_term levels_term(enum concept concept, double per_iteration);

/*
 * Each of these writes terms from terms[@at] on and returns where the next go.
 * Where @level is 0 they say that nothing is known.
 */
size_t levels_put_loads(struct kernel_term *terms, size_t at, int level);
size_t levels_put_stores(struct kernel_term *terms, size_t at, int level);

enum pages_of {
	PAGES_OF_LOADS,
	PAGES_OF_STORES
};

/* Translations, one page a time if the unit is a page or more. */
size_t levels_put_pages(struct kernel_term *terms, size_t at,
			const struct kernel_point *p,
			const struct kernel_machine *m, enum pages_of who);

/*
 * Lines that have to leave for those of a ring, which are modified if
 * @modified. How many leave beyond L2 depends on what prefetchers bring; those
 * that are modified are ours.
 */
size_t levels_put_evictions(struct kernel_term *terms, size_t at, int level,
			    const struct kernel_machine *m, bool modified);

/*
 * What prefetchers bring into L2 for a ring at @p. In L2 and above there is
 * nothing to bring. Far beyond it, where a miss is known to bring the other
 * line of its pair, that line comes with each, and is not used; how many leave
 * is then known, too, so this goes behind the evictions.
 */
size_t levels_put_prefetches(struct kernel_term *terms, size_t at, int level,
			     const struct kernel_point *p,
			     const struct kernel_machine *m);

/* Cycles of a chase whose translations are at hand: what a load takes. */
size_t levels_put_cycles(struct kernel_term *terms, size_t at, int level,
			 const struct kernel_point *p,
			 const struct kernel_machine *m);
