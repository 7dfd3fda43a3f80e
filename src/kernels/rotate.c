/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Figures 16 and 17 of the 2018 paper: a buffer of blocks of 4 KB is read
 * block after block, round after round, and each round begins some blocks
 * later than the last. Each block is a ring of its own, so that any order of
 * blocks can be walked; from the end of a ring, where it began, the next block
 * is a constant away. The same with a store to each line, which then has to be
 * written back when it leaves.
 */
#include <math.h>

#include "kernels/chase.h"
#include "kernels/tables.h"

#define BLOCK 4096
#define LINE  64
#define LINES (BLOCK / LINE)

static size_t memory_of(const struct kernel_point *p)
{
	return p->footprint;
}

static uint32_t blocks_of(const struct kernel_point *p)
{
	return (uint32_t)(p->footprint / BLOCK);
}

/*
 * Visit @visits blocks from where run->state says: the block at which this
 * round began, times the number of blocks, plus blocks visited in it. Whether
 * to store beside each pointer is known when this is compiled.
 */
static inline __attribute__((always_inline)) void
walk(struct kernel_run *run, uint64_t visits, bool writing)
{
	uint32_t n = blocks_of(&run->point);
	uint32_t offset = run->point.offset;
	uint32_t first = (uint32_t)(run->state / n);
	uint32_t done = (uint32_t)(run->state % n);
	uint32_t at = (first + done) % n;
	char *p = (char *)run->memory + (size_t)at * BLOCK;

	/* nothing else is to be looked up in memory meanwhile */
	__asm__ volatile("" : "+r"(offset), "+r"(n));
	for (; visits > 0; visits--) {
		uint32_t next;
		uint32_t lines = LINES;

		do { /* all in registers: a stack would be in the way */
			char *line = *(char **)(void *)p;

			if (writing)
				((char **)(void *)p)[1] = line;
			p = line;
			__asm__ volatile("" : "+r"(p) : : "memory");
		} while (--lines);
		if (++done == n) {
			done = 0;
			first = (first + offset) % n;
			next = first;
		} else {
			next = at + 1 < n ? at + 1 : 0;
		}
		p += ((ptrdiff_t)next - (ptrdiff_t)at) * BLOCK;
		at = next;
	}
	run->state = (uint64_t)first * n + done;
}

/* A variant of 1 stores. */
static void visit_blocks(struct kernel_run *run, uint64_t visits)
{
	if (run->variant)
		walk(run, visits, true);
	else
		walk(run, visits, false);
}

static void make_rings(struct kernel_run *run)
{
	struct chase chase = { .footprint = BLOCK, .unit = LINE };
	uint32_t n = blocks_of(&run->point);

	if (n == 0) {
		run->failed = "it needs at least a block of 4 KB";
		return;
	}
	for (uint32_t i = 0; i < n; i++)
		chase_make((char *)run->memory + (size_t)i * BLOCK, &chase);
	run->state = 0;
}

static uint64_t visits_of(const struct kernel_point *p)
{
	return (p->times + LINES - 1) / LINES;
}

static void prepare(struct kernel_run *run)
{
	make_rings(run);
	if (!run->failed)
		visit_blocks(run, 4 * (uint64_t)blocks_of(&run->point));
}

static void rotate(struct kernel_run *run)
{
	visit_blocks(run, visits_of(&run->point));
}

#define MAX_WAYS 64

/* One block visited; whether it was among the last @ways different ones. */
static bool visit(uint32_t *recent, unsigned ways, uint32_t block)
{
	unsigned i = 0;
	bool hit;

	while (i < ways && recent[i] != block)
		i++;
	hit = i < ways;
	for (i = hit ? i : ways - 1; i > 0; i--)
		recent[i] = recent[i - 1];
	recent[0] = block;
	return hit;
}

/*
 * Where a block fills one line of every set, least recently used lines are
 * least recently used blocks, and a list of blocks tells what hits.
 */
static double missed(const struct kernel_point *p,
		     const struct kernel_machine *m)
{
	unsigned ways = m->l1d.ways;
	uint32_t n = blocks_of(p);
	uint32_t recent[MAX_WAYS];
	uint64_t visits = 0, misses = 0;

	if (!m->lru || ways == 0 || ways > MAX_WAYS || n == 0 ||
	    m->l1d.bytes / ways != BLOCK)
		return NAN;
	for (unsigned i = 0; i < ways; i++)
		recent[i] = UINT32_MAX;
	/* each beginning once before, and once with, counting */
	for (uint32_t round = 0; round < 2 * n; round++)
		for (uint32_t i = 0; i < n; i++) {
			uint32_t block = (round * p->offset + i) % n;
			bool hit = visit(recent, ways, block);

			visits += round >= n;
			misses += round >= n && !hit;
		}
	return (double)misses / (double)visits;
}

/* Of a line that holds several elements only the first can miss. */
static double lines_missed(const struct kernel_point *p,
			   const struct kernel_machine *m)
{
	double each = m->line_bytes > LINE ? (double)m->line_bytes / LINE : 1;

	return missed(p, m) / each;
}

static void predict(const struct kernel_point *p,
		    const struct kernel_machine *m, struct kernel_term *terms)
{
	double rate = lines_missed(p, m);

	terms[0] = (struct kernel_term){ CONCEPT_L1D_LOAD_HIT, 1 - rate, 0 };
	terms[1] = (struct kernel_term){ CONCEPT_L2_LOAD_HIT, rate, 0 };
}

/* For each line that comes one has to go, and all are modified. */
static void predict_writing(const struct kernel_point *p,
			    const struct kernel_machine *m,
			    struct kernel_term *terms)
{
	double rate = lines_missed(p, m);

	predict(p, m, terms);
	terms[2] = (struct kernel_term){ CONCEPT_L1D_STORE_HIT, 1, 0 };
	terms[3] = (struct kernel_term){ CONCEPT_L1D_EVICT, rate, 0 };
	terms[4] = (struct kernel_term){ CONCEPT_L1D_WB, rate, 0 };
	/* whether a line that comes back is still known to be modified */
	if (rate != 0)
		terms[5] = (struct kernel_term){ CONCEPT_STORE_CLEAN, NAN, 0 };
}

/* Whole cycles of beginnings, so that what is counted is all of it. */
static uint64_t times_of(uint64_t footprint)
{
	uint64_t n = footprint / BLOCK;

	return n * n * LINES;
}

/* From the size of L1 on, @step blocks more each time, by offset. */
static void add_points(const struct kernel_machine *m, uint32_t step,
		       uint32_t offsets, struct kernel_points *to)
{
	if (m->l1d.bytes == 0) /* more than it is no size */
		return;
	for (uint32_t more = 0; more <= 4; more += step)
		for (uint32_t i = 0; i < offsets; i++) {
			uint64_t footprint =
				(m->l1d.bytes / BLOCK + more) * BLOCK;

			kernel_points_add(to,
					  (struct kernel_point){
						  .times = times_of(footprint),
						  .footprint = footprint,
						  .offset = i });
		}
}

static void points(const struct kernel_machine *m, struct kernel_points *to)
{
	add_points(m, 1, 4, to);
}

static void points_of_writing(const struct kernel_machine *m,
			      struct kernel_points *to)
{
	add_points(m, 4, 2, to);
}

static const struct kernel rows[] = {
	{
		.name = "cache/rotate",
		.text = "blocks of 4 KB in turn, each round starting later",
		.uses = USES_FOOTPRINT | USES_OFFSET,
		.steady = true,
		.memory = memory_of,
		.prepare = prepare,
		.run = rotate,
		.large = LARGE_DATA,
		.none = 1u << FAMILY_FP | 1u << FAMILY_SYSTEM |
			1u << FAMILY_SHARE,
		.predict = predict,
		.points = points,
	},
	{
		.name = "cache/rotate-write",
		.text = "the same with a store to each line",
		.uses = USES_FOOTPRINT | USES_OFFSET,
		.steady = true,
		.memory = memory_of,
		.variant = 1,
		.prepare = prepare,
		.run = rotate,
		.large = LARGE_DATA,
		.none = 1u << FAMILY_FP | 1u << FAMILY_SYSTEM |
			1u << FAMILY_SHARE | 1u << FAMILY_EVICT,
		.expect = EXPECT(
			{ CONCEPT_LOAD_INS, 1, 0 }, { CONCEPT_LOAD_8, 1, 0 },
			{ CONCEPT_STORE_INS, 1, 0 }, { CONCEPT_STORE_8, 1, 0 },
			{ CONCEPT_LOAD_STORE_INS, 2, 0 }),
		.predict = predict_writing,
		.points = points_of_writing,
	},
};

KERNEL_TABLE(kernels_rotate, rows);
