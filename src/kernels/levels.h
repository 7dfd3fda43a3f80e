/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What rings of lines or pages cost, by which level of the memory holds them.
 * Inside this folder only.
 *
 * Predictions are those of least-recently-used replacement, which holds for
 * every footprint that is not between a level's size S and S (1 + 1/ways): up
 * to S a ring fits, and from there on each set sees more lines than it has
 * ways before one comes again, so everything misses. In between is a ramp,
 * about which nothing is said.
 */
#ifndef KERNELS_LEVELS_H
#define KERNELS_LEVELS_H

#include "kernels/kernel.h"

/* 1 to 3: that cache holds @footprint; 4: memory; 0: on a ramp, or unknown. */
int level_of(uint64_t footprint, const struct kernel_machine *m);

/*
 * The same for a ring at @p. What prefetchers bring is only known to be of no
 * use where lines are apart and the order is all random: else 0 beyond L2.
 */
int level_of_ring(const struct kernel_point *p, const struct kernel_machine *m);

struct kernel_term levels_term(enum concept concept, double per_time);

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

#endif /* KERNELS_LEVELS_H */
