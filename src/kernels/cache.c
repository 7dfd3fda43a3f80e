/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Data caches and TLBs: pointer chases over footprints that fit, and do not
 * fit, each level. What they should cost is said by levels.c.
 */
#include <math.h>

#include "kernels/chase.h"
#include "kernels/levels.h"
#include "kernels/tables.h"

#define PAGE  4096
#define WHOLE 0

static struct chase chase_of(const struct kernel_point *p)
{
	return (struct chase){ .footprint = p->footprint,
			       .unit = p->unit,
			       .pages_per_block = p->pages_per_block };
}

static size_t memory_of(const struct kernel_point *p)
{
	return p->footprint + PAGE;
}

/* The ring; NULL, with the reason in @run, if it has not one element. */
static void **make_ring(struct kernel_run *run, const struct chase *chase)
{
	void **first = chase_make(run->memory, chase);

	if (!first)
		run->failed = "the buffer is too small for one element of "
			      "the pointer chase";
	return first;
}

/* Twice around: then the caches hold what they will always hold. */
static void prepare_random(struct kernel_run *run)
{
	struct chase chase = chase_of(&run->point);
	void **p = make_ring(run, &chase);

	if (p)
		run->cursor = chase_run(p, 2 * chase_elements(&chase));
}

static void prepare_writing(struct kernel_run *run)
{
	struct chase chase = chase_of(&run->point);
	void **p = make_ring(run, &chase);

	if (p)
		run->cursor = chase_run_writing(p, 2 * chase_elements(&chase));
}

static void prepare_sequential(struct kernel_run *run)
{
	struct chase chase = chase_of(&run->point);
	void **p;

	chase.order = CHASE_SEQUENTIAL;
	p = make_ring(run, &chase);
	if (p)
		run->cursor = chase_run(p, chase_elements(&chase));
}

static void reading(struct kernel_run *run)
{
	run->cursor = chase_run(run->cursor, run->point.times);
}

static void writing(struct kernel_run *run)
{
	run->cursor = chase_run_writing(run->cursor, run->point.times);
}

/* A load that misses may bring a second line, and then two have to go. */
static size_t put_evictions(struct kernel_term *terms, size_t n, int level,
			    const struct kernel_machine *m, bool modified)
{
	n = levels_put_evictions(terms, n, level, m, modified);
	if (level > 1 && !m->l1_alone)
		terms[n++] = levels_term(CONCEPT_L1D_EVICT, NAN);
	return n;
}

static void predict_reading(const struct kernel_point *p,
			    const struct kernel_machine *m,
			    struct kernel_term *terms)
{
	int level = level_of_ring(p, m);
	size_t n = levels_put_loads(terms, 0, level);

	n = levels_put_pages(terms, n, p, m, PAGES_OF_LOADS);
	n = put_evictions(terms, n, level, m, false);
	n = levels_put_prefetches(terms, n, level, p, m);
	levels_put_cycles(terms, n, level, p, m);
}

/* The store finds the line that the load has brought. */
static void predict_writing(const struct kernel_point *p,
			    const struct kernel_machine *m,
			    struct kernel_term *terms)
{
	int level = level_of_ring(p, m);
	size_t n = levels_put_loads(terms, 0, level);

	terms[n++] = levels_term(CONCEPT_L1D_STORE_HIT, 1);
	n = levels_put_pages(terms, n, p, m, PAGES_OF_LOADS);
	terms[n++] = levels_term(CONCEPT_DTLB_STORE_HIT, 1);
	n = put_evictions(terms, n, level, m, true);
	n = levels_put_prefetches(terms, n, level, p, m);
	/* whether a line that comes back is still known to be modified */
	if (level != 1)
		terms[n++] = levels_term(CONCEPT_STORE_CLEAN, NAN);
	/* whoever brought a line, it leaves L1 modified before it comes again
	 */
	if (level_of(p->footprint, m) > 1 && p->unit < PAGE)
		terms[n++] = levels_term(CONCEPT_L1D_WB, 1);
}

/* Fewer cycles than this pass between two loads before nothing can issue. */
#define LATENCY_STALLS 3

/*
 * A load waits for the one before, in whichever level that is. One that takes
 * two cycles may be hidden by the instructions between, which issue in both.
 */
static enum kernel_bound bound_of_chase(const struct kernel_point *p,
					const struct kernel_machine *m)
{
	static const enum kernel_bound of_level[] = { BOUND_UNKNOWN, BOUND_L1,
						      BOUND_L2, BOUND_L3,
						      BOUND_DRAM };
	int level = level_of_ring(p, m);

	if (level == 1 && p->unit < PAGE && m->l1d.latency > 0 &&
	    m->l1d.latency < LATENCY_STALLS)
		return BOUND_UNKNOWN;
	return of_level[level];
}

/* What waits first, the load or the store behind it, depends on how many of
 * each can be under way. */
static enum kernel_bound bound_of_writing(const struct kernel_point *p,
					  const struct kernel_machine *m)
{
	static const enum kernel_bound of_level[] = {
		BOUND_UNKNOWN, BOUND_WRITE_L1, BOUND_WRITE_L2, BOUND_WRITE_L3,
		BOUND_WRITE_DRAM
	};

	return of_level[level_of_ring(p, m)];
}

/* Points. */

/* How often: whole rounds where that is not too much. */
static uint64_t times_of(uint64_t footprint, uint32_t unit)
{
	uint64_t n = footprint / unit;

	if (n >= 8192)
		return 8192;
	return n ? n * ((2048 + n - 1) / n) : 1;
}

/* Two sizes of a small cache may come to the same: then there is one. */
static void add_point(struct kernel_points *to, struct kernel_point p)
{
	const struct kernel_point *last = to->n ? &to->items[to->n - 1] : NULL;

	if (p.unit == 0 || p.footprint < p.unit ||
	    (last && last->footprint == p.footprint && last->unit == p.unit &&
	     last->pages_per_block == p.pages_per_block))
		return;
	p.times = times_of(p.footprint, p.unit);
	kernel_points_add(to, p);
}

static void add_ring(struct kernel_points *to, uint64_t footprint,
		     uint32_t unit)
{
	add_point(to, (struct kernel_point){ .footprint = footprint,
					     .unit = unit });
}

/*
 * Away from the ramps: two sizes inside each level, and two beyond the last.
 * A unit of 256 bytes, so that no prefetcher brings what will be needed.
 */
static void points_of_levels(const struct kernel_machine *m,
			     struct kernel_points *points)
{
	const uint64_t sizes[] = { m->l1d.bytes, m->l2.bytes, m->l3.bytes };
	uint64_t below = 0, last = 0;

	for (size_t i = 0; i < 3; i++) {
		if (sizes[i] <= 1)
			continue;
		for (int k = 1; k <= 2; k++) {
			uint64_t f = below ? below + below / 4 : PAGE;
			uint64_t to = i == 2 ? sizes[i] / 4 : sizes[i];

			if (to > f)
				f += (to - f) * (unsigned)(k - 1) / 2;
			f = level_footprint(f, (int)i + 1, 1.25, sizes[i], m);
			add_ring(points, f / PAGE * PAGE, 256);
		}
		below = last = sizes[i];
	}
	last += m->l3_is_victim ? m->l2.bytes : 0;
	last = level_footprint(last + last / 4, 4, 1.25, 4 * last, m);
	add_ring(points, last / PAGE * PAGE, 256);
}

static void add_by_unit(const struct kernel_machine *m, size_t kinds,
			struct kernel_points *to)
{
	static const uint32_t units[] = { 64, 128, 256 };
	static const uint32_t pages[] = { WHOLE, 16, 64 };
	uint64_t footprint = m->l2.bytes * 2 / (256 * PAGE) * (256 * PAGE);

	if (footprint == 0)
		footprint = 256 * PAGE;
	for (size_t u = 0; u < 3; u++)
		for (size_t p = 0; p < kinds; p++)
			add_point(to, (struct kernel_point){
					      .footprint = footprint,
					      .unit = units[u],
					      .pages_per_block = pages[p] });
}

/* What prefetchers make of it. */
static void points_of_prefetch(const struct kernel_machine *m,
			       struct kernel_points *to)
{
	add_by_unit(m, 3, to);
}

/* Fewer: stores find what loads have brought, in whichever order. */
static void points_of_updates(const struct kernel_machine *m,
			      struct kernel_points *to)
{
	add_by_unit(m, 2, to);
}

/*
 * Both lines of a pair (the unit), one after the other. Whether the second was
 * brought by a prefetcher or is missed in its turn, each line comes once, and
 * for each that comes one has to go.
 */
static void prepare_pairs(struct kernel_run *run)
{
	struct chase chase = chase_of(&run->point);
	size_t pair = run->point.unit;
	char *memory = run->memory;
	void **p;

	p = chase_make(memory, &chase);
	if (!p || pair < 2 * sizeof(*p)) {
		run->failed = "the buffer is too small for pairs of lines";
		return;
	}
	for (size_t i = 0; i < chase_elements(&chase); i++) {
		void **first = (void **)(void *)(memory + i * pair);
		void **second = (void **)(void *)(memory + i * pair + pair / 2);

		*second = *first;
		*first = second;
	}
	run->cursor = chase_run(p, 4 * chase_elements(&chase));
}

/* Every second line is brought by a prefetcher, and used. */
static void put_useful(struct kernel_term *terms, size_t n, bool from_memory)
{
	terms[n++] = levels_term(CONCEPT_PF_L1, NAN);
	terms[n++] = levels_term(CONCEPT_PF_L1_USED, NAN);
	terms[n++] = levels_term(CONCEPT_PF_L2, 0.5);
	terms[n++] = levels_term(CONCEPT_PF_L2_USED, 0.5);
	terms[n++] = levels_term(CONCEPT_PF_L2_MEM, from_memory ? 0.5 : 0);
}

static void predict_pairs(const struct kernel_point *p,
			  const struct kernel_machine *m,
			  struct kernel_term *terms)
{
	int level = level_of(p->footprint, m);
	size_t n = levels_put_loads(terms, 0, 0);

	n = put_evictions(terms, n, level, m, false);
	if (level >= 3)
		terms[n++] = levels_term(CONCEPT_L2_EVICT, 1);
	if (level == 4 && m->l3.bytes > 1)
		terms[n++] = levels_term(CONCEPT_L3_EVICT, 1);
	if (level == 4)
		terms[n++] = levels_term(CONCEPT_DRAM_READ, 1);
	if (level >= 3 && m->pairs)
		put_useful(terms, n, level == 4);
}

/* In L3 and beyond it. */
static void points_of_pairs(const struct kernel_machine *m,
			    struct kernel_points *to)
{
	uint64_t last = levels_last(m);
	uint32_t pair = 2 * m->line_bytes;

	if (m->l3.bytes > 1)
		add_ring(to, m->l2.bytes * 2 / PAGE * PAGE, pair);
	add_ring(to, (last + last / 4) / PAGE * PAGE, pair);
}

static void points_of_line(const struct kernel_machine *m,
			   struct kernel_points *to)
{
	uint32_t unit = m->line_bytes > 64 ? m->line_bytes : 64;

	add_ring(to, m->l1d.bytes / 2, unit);
	add_ring(to, m->l2.bytes / 2, unit);
	add_ring(to, m->l2.bytes * 2, unit);
}

/* Pages: within the DTLB, within the second level, beyond it. */
static void points_of_pages(const struct kernel_machine *m,
			    struct kernel_points *to)
{
	uint64_t entries = m->dtlb.entries;

	add_ring(to, (entries ? entries / 2 : 16) * PAGE, PAGE);
	add_ring(to, (entries ? entries : 48) * PAGE, PAGE);
	add_ring(to, (entries ? entries * 4 : 256) * PAGE, PAGE);
	add_ring(to, level_too_many(&m->stlb, m) * PAGE, PAGE);
}

#define ALWAYS_NONE                                                            \
	(1u << FAMILY_FP | 1u << FAMILY_SYSTEM | 1u << FAMILY_SHARE |          \
	 1u << FAMILY_KIND)
#define NONE (ALWAYS_NONE | 1u << FAMILY_EVICT)

/* A load and the loop: the compiler has no other way to write it. */
#define LOOP_TERMS                                                             \
	{ CONCEPT_BR_COND, 1, 0 }, { CONCEPT_BR_COND_EXEC, 1, 0 },             \
		{ CONCEPT_BR_TAKEN, 1, 0 }, { CONCEPT_BR_TAKEN_EXEC, 1, 0 },   \
		{ CONCEPT_INT_ADD, 1, 0 }, { CONCEPT_INT_MOVE, NAN, 0 },       \
		{ CONCEPT_LOAD_INS, 1, 0 }, { CONCEPT_LOAD_8, 1, 0 },          \
	{                                                                      \
		CONCEPT_LOAD_STORE_INS, 1, 0                                   \
	}

/* clang-format off */
#define READING .code = "chase_run", .memory = memory_of, .prepare = prepare_random,                \
	.run = reading, .large = LARGE_DATA, .steady = true, .none = NONE,                          \
	.expect = EXPECT(LOOP_TERMS, { CONCEPT_INS, 3, 0 })
#define WRITING .code = "chase_run_writing", .memory = memory_of, .prepare = prepare_writing,               \
	.run = writing, .large = LARGE_DATA, .steady = true, .none = NONE,                          \
	.expect = EXPECT(LOOP_TERMS, { CONCEPT_INS, 5, 0 },                         \
		    { CONCEPT_LOAD_STORE_INS, 2, 0 },                          \
		    { CONCEPT_STORE_INS, 1, 0 }, { CONCEPT_STORE_8, 1, 0 })

static const struct kernel rows[] = {
	{ .name = "cache/read", .text = "a random pointer chase through memory",
	  .uses = USES_FOOTPRINT | USES_UNIT | USES_PAGES, READING,
	  .predict = predict_reading, .bound_at = bound_of_chase,
	  .points = points_of_levels },
	{ .name = "cache/write", .text = "a random pointer chase that also stores",
	  .uses = USES_FOOTPRINT | USES_UNIT | USES_PAGES, WRITING,
	  .predict = predict_writing, .bound_at = bound_of_writing,
	  .points = points_of_levels },
	{ .name = "cache/pairs",
	  .text = "a random pointer chase through both lines of each pair",
	  .uses = USES_FOOTPRINT | USES_UNIT, .code = "chase_run", .memory = memory_of,
	  .prepare = prepare_pairs, .run = reading, .large = LARGE_DATA, .steady = true,
	  .none = NONE, .expect = EXPECT(LOOP_TERMS, { CONCEPT_INS, 3, 0 }),
	  .predict = predict_pairs, .points = points_of_pairs },
	{ .name = "prefetch/random",
	  .text = "random pointer chases beyond L2, by unit and pages per block",
	  .uses = USES_FOOTPRINT | USES_UNIT | USES_PAGES, READING,
	  .predict = predict_reading, .bound_at = bound_of_chase,
	  .points = points_of_prefetch },
	{ .name = "prefetch/random-write",
	  .text = "the same with a store to each element",
	  .uses = USES_FOOTPRINT | USES_UNIT | USES_PAGES, WRITING,
	  .predict = predict_writing, .bound_at = bound_of_writing,
	  .points = points_of_updates },
	{ .name = "prefetch/sequential", .text = "a pointer chase through consecutive lines",
	  .uses = USES_FOOTPRINT | USES_UNIT, .code = "chase_run", .memory = memory_of,
	  .prepare = prepare_sequential, .run = reading, .large = LARGE_DATA, .steady = true,
	  .none = ALWAYS_NONE,
	  .expect = EXPECT(LOOP_TERMS, { CONCEPT_INS, 3, 0 }),
	  .points = points_of_line },
	{ .name = "tlb/read", .text = "a random pointer chase, one line per page",
	  .uses = USES_FOOTPRINT | USES_UNIT, READING,
	  .predict = predict_reading, .bound_at = bound_of_chase,
	  .points = points_of_pages },
	{ .name = "tlb/write",
	  .text = "a random pointer chase that stores, one line per page",
	  .uses = USES_FOOTPRINT | USES_UNIT, WRITING,
	  .predict = predict_writing, .bound_at = bound_of_writing,
	  .points = points_of_pages },
};
/* clang-format on */

KERNEL_TABLE(kernels_cache, rows);
