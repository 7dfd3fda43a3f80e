/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Stores that find their lines or pages elsewhere, in x86 assembly, with no
 * load beside them: where to go next is computed, by a generator that comes to
 * every unit of a footprint once before it comes again.
 *
 *	next = (FACTOR * this + STEP) modulo the footprint
 *
 * in units, whose number is a power of two: with a FACTOR that is 1 modulo 4
 * and an odd STEP, that is a full period.
 */
#include <math.h>

#include "kernels/levels.h"
#include "kernels/loop.h"

#define PAGE   4096
#define LINE   64
#define UNIT   256 /* no prefetcher brings what will be needed */
#define STEP   1013904223u
#define FACTOR "1664525"

static size_t memory_of(const struct kernel_point *p)
{
	return p->footprint + PAGE;
}

/*
 * From byte @at on; returns where it stands. Units of a page or more touch
 * another line of each page: bits of the page's number, chosen by @lines.
 */
static __attribute__((noinline)) uint64_t
store_walk(const struct kernel_run *run, uint64_t at, uint64_t n)
{
	uint64_t unit = run->point.unit, lines = unit >= PAGE ? PAGE - LINE : 0;

	__asm__ volatile(".p2align 6\n"
			 "1:\n"
			 "mov %[at], %%rax\n"
			 "shr $6, %%rax\n"
			 "and %[lines], %%rax\n"
			 "add %[at], %%rax\n"
			 "mov %%rax, (%[memory], %%rax)\n"
			 "imul $" FACTOR ", %[at], %[at]\n"
			 "add %[step], %[at]\n"
			 "and %[mask], %[at]\n"
			 "dec %[n]\n"
			 "jnz 1b\n"
			 : [n] "+r"(n), [at] "+r"(at)
			 : [memory] "r"(run->memory), [lines] "r"(lines),
			   [step] "r"(STEP * unit),
			   [mask] "r"(run->point.footprint - unit)
			 : "rax", "cc", "memory");
	return at;
}

/* Twice around: then the caches hold what they will always hold. */
static void prepare(struct kernel_run *run)
{
	uint64_t unit = run->point.unit, bytes = run->point.footprint;

	if (unit < LINE || unit & (unit - 1) || bytes < 2 * unit ||
	    bytes & (bytes - 1)) {
		run->failed = "its footprint and unit must be powers of two";
		return;
	}
	run->state = store_walk(run, 0, 2 * (bytes / unit));
}

static void walk(struct kernel_run *run)
{
	run->state = store_walk(run, run->state, run->point.times);
}

static void predict(const struct kernel_point *p,
		    const struct kernel_machine *m, struct kernel_term *terms)
{
	int level = level_of_ring(p, m);
	size_t n = levels_put_stores(terms, 0, level);

	n = levels_put_pages(terms, n, p, m, PAGES_OF_STORES);
	n = levels_put_evictions(terms, n, level, m, true);
	levels_put_prefetches(terms, n, level, p, m);
}

/* Points. */

static uint64_t power_below(uint64_t bytes)
{
	uint64_t power = 1;

	while (power * 2 <= bytes)
		power *= 2;
	return power;
}

static void add_point(struct kernel_points *to, uint64_t footprint,
		      uint32_t unit)
{
	uint64_t elements = footprint / unit;

	if (elements >= 2)
		kernel_points_add(
			to, (struct kernel_point){
				    .times = elements >= 8192 ? 8192 : 4096,
				    .footprint = footprint,
				    .unit = unit });
}

/* One in each level, and one beyond the last. */
static void points_of_levels(const struct kernel_machine *m,
			     struct kernel_points *to)
{
	uint64_t l2 = power_below(m->l2.bytes / 2);
	uint64_t l3 = power_below(m->l2.bytes * 4);
	uint64_t last = levels_last(m);

	add_point(to, power_below(m->l1d.bytes / 2), UNIT);
	add_point(to, level_footprint(l2, 2, 2, m->l2.bytes, m), UNIT);
	if (m->l3.bytes > 1)
		add_point(to, level_footprint(l3, 3, 2, m->l3.bytes, m), UNIT);
	last = power_below(last + last / 8) * 2;
	add_point(to, level_footprint(last, 4, 2, 4 * last, m), UNIT);
}

/* Within the DTLB, within the second level, beyond it. */
static void points_of_pages(const struct kernel_machine *m,
			    struct kernel_points *to)
{
	uint64_t first = m->dtlb.entries ? m->dtlb.entries : 64;
	uint64_t beyond = level_too_many(&m->stlb, m);

	add_point(to, power_below(first / 2) * PAGE, PAGE);
	add_point(to, power_below(first * 4) * PAGE, PAGE);
	if (m->stlb.entries)
		add_point(to, power_below(beyond) * 2 * PAGE, PAGE);
}

/* clang-format off */
#define STORING                                                                \
	.code = "store_walk", .memory = memory_of, .prepare = prepare,         \
	.run = walk, .large = LARGE_DATA, .steady = true, .predict = predict,                       \
	.none = 1u << FAMILY_FP | 1u << FAMILY_SYSTEM | 1u << FAMILY_KIND |    \
		1u << FAMILY_EVICT,                                            \
	.expect = EXPECT(\
		{ CONCEPT_INS, 10, 0 }, LOOP_BRANCH,                           \
		{ CONCEPT_STORE_INS, 1, 0 },                                   \
		{ CONCEPT_LOAD_STORE_INS, 1, 0 }, { CONCEPT_STORE_8, 1, 0 },   \
		{ CONCEPT_INT_ADD, 3, 0 }, { CONCEPT_INT_LOGIC, 2, 0 },        \
		{ CONCEPT_INT_SHIFT, 1, 0 }, { CONCEPT_INT_MUL, 1, 0 },        \
		{ CONCEPT_INT_MOVE, NAN, 0 })

static const struct kernel rows[] = {
	{ .name = "cache/store",
	  .text = "stores to lines in pseudo-random order",
	  .uses = USES_FOOTPRINT | USES_UNIT, STORING,
	  .points = points_of_levels },
	{ .name = "tlb/store",
	  .text = "stores to one line per page in pseudo-random order",
	  .uses = USES_FOOTPRINT | USES_UNIT, STORING,
	  .points = points_of_pages },
};
/* clang-format on */

KERNEL_TABLE(kernels_x86_store, rows);
