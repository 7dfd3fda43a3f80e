/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lines, or pages, that all fall into one set of a cache, or TLB, and are more
 * than it has ways: with least-recently-used replacement every access misses,
 * from the first one on. So any number of misses can be had, and no other set
 * is touched: what surrounds the kernel stays where it is. No stride follows
 * itself, so that no prefetcher knows which line is next.
 *
 * The unit is the size of the cache by its ways, from one line of a set to the
 * next; the footprint is units times lines.
 */
#include "kernels/chase.h"
#include "kernels/levels.h"
#include "kernels/tables.h"

#define LINE 64
#define PAGE 4096

static size_t memory_of(const struct kernel_point *p)
{
	return p->footprint + 2 * (size_t)p->unit;
}

#define NEAR (4 * LINE) /* what a prefetcher may bring along */

/*
 * Half a unit away from where this function's frame is, and not where the loop
 * is: caches behind the first hold code, too, and one that includes the first
 * takes from it what it drives out itself.
 */
static uintptr_t away_from(const void *frame, uint32_t unit)
{
	uintptr_t at = ((uintptr_t)frame % unit + unit / 2) % unit;
	uintptr_t from_loop =
		(at + unit + NEAR - (uintptr_t)chase_run % unit) % unit;

	if (unit > 8 * NEAR && from_loop < 2 * NEAR)
		at = (at + 2 * NEAR) % unit;
	return at / LINE * LINE;
}

static void prepare(struct kernel_run *run)
{
	struct chase chase = { .footprint = run->point.footprint,
			       .unit = run->point.unit,
			       .order = CHASE_ZIGZAG };
	uint32_t unit = run->point.unit;
	uintptr_t base = (uintptr_t)run->memory;
	void **last;

	if (unit < LINE || run->point.footprint < 2 * (uint64_t)unit) {
		run->failed = "it needs at least two lines of a set";
		return;
	}
	base = (base + unit - 1) / unit * unit + away_from(&chase, unit);
	chase.exactly = true;
	run->cursor = chase_make((void *)base, &chase);
	/* to the last one, so that the first is the least recently used */
	last = chase_run(run->cursor, 4 * chase_elements(&chase) - 1);
	run->cursor = *last;
}

static void run_chase(struct kernel_run *run)
{
	if (run->point.times > 0)
		chase_run(run->cursor, run->point.times);
}

/* A set of the machine's L1D, L2 and DTLB. */
static void points(const struct kernel_machine *m, struct kernel_points *to)
{
	struct kernel_cache pages = { .bytes = (uint64_t)m->dtlb.entries * PAGE,
				      .ways = m->dtlb.ways };

	levels_add_set(&m->l1d, to);
	levels_add_set(&m->l2, to);
	levels_add_set(&pages, to);
}

static const struct kernel rows[] = {
	{
		.name = "count/miss",
		.role = ROLE_VALIDATE,
		.text = "one load that misses in its set",
		.uses = USES_FOOTPRINT | USES_UNIT,
		.code = "chase_run",
		.large = LARGE_DATA,
		.zero = true,
		.memory = memory_of,
		.prepare = prepare,
		.run = run_chase,
		.points = points,
		.expect =
			EXPECT({ CONCEPT_INS, 3, 0 }, { CONCEPT_LOAD_8, 1, 0 },
			       { CONCEPT_LOAD_INS, 1, 0 },
			       { CONCEPT_LOAD_STORE_INS, 1, 0 }),
	},
};

KERNEL_TABLE(kernels_conflict, rows);
