/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Instruction caches and TLBs: blocks of code, one in each unit of memory,
 * that jump from one to the next in a random order. What the 2005 paper's
 * Figure 4 has as source, of a size fixed when it is compiled, is written here
 * as machine code for the footprint that is asked for. A block is
 *
 *	jmp  next	e9 rel32
 *
 * but for the first, which counts rounds:
 *
 *	dec  %rdi	48 ff cf
 *	jz   out	0f 84 rel32
 *	jmp  next	e9 rel32
 *
 * In code/jumps all but the first and the last are as short as a jump can be,
 * each to the one behind it:
 *
 *	jmp  next	eb 00
 */
#include <math.h>
#include <string.h>
#include <sys/mman.h>

#include "kernels/levels.h"
#include "kernels/shuffle.h"
#include "kernels/tables.h"

#define PAGE 4096
#define LINE 64
#define RET  0xc3

/* Jumps that every branch target buffer holds, and that none holds. */
#define BTB_ALL  256
#define BTB_NONE 24576

/* The first block has 14 bytes. */
#define DENSE 16

/* The shortest jump has two. */
#define SHORT 2

/* Lines apart that no prefetcher brings together. */
#define FAR 256

static uint32_t blocks_of(const struct kernel_point *p)
{
	return p->unit ? (uint32_t)(p->footprint / p->unit) : 0;
}

static size_t code_bytes(const struct kernel_point *p)
{
	return p->footprint + PAGE;
}

/* The code, and a list of the order. */
static size_t memory_of(const struct kernel_point *p)
{
	size_t code = (code_bytes(p) + PAGE - 1) / PAGE * PAGE;

	return code + PAGE + blocks_of(p) * sizeof(uint32_t);
}

/* A page or more apart: another line of each page. */
static unsigned char *block_at(const struct kernel_run *run, uint32_t i)
{
	size_t at = (size_t)i * run->point.unit;

	if (run->point.unit >= PAGE)
		at += i % (PAGE / LINE) * LINE;
	return (unsigned char *)run->memory + at;
}

static unsigned char *put_relative(unsigned char *at, const unsigned char *to)
{
	int32_t away = (int32_t)(to - (at + 4));

	memcpy(at, &away, sizeof(away));
	return at + 4;
}

static unsigned char *put_count(unsigned char *at, const unsigned char *out)
{
	static const unsigned char dec[] = { 0x48, 0xff, 0xcf };

	memcpy(at, dec, sizeof(dec));
	at += sizeof(dec);
	*at++ = 0x0f;
	*at++ = 0x84;
	return put_relative(at, out);
}

static void put_jump(unsigned char *at, const unsigned char *next)
{
	*at++ = 0xe9;
	put_relative(at, next);
}

static void put_order(uint32_t *order, uint32_t n)
{
	uint64_t random = SHUFFLE_SEED;

	for (uint32_t i = 0; i < n; i++)
		order[i] = i;
	for (uint32_t i = n - 1; i > 0; i--) {
		uint32_t k = shuffle_below(&random, i + 1);
		uint32_t t = order[i];

		order[i] = order[k];
		order[k] = t;
	}
}

static void run_code(struct kernel_run *run)
{
	void (*code)(uint64_t);

	memcpy(&code, &run->cursor, sizeof(code));
	/* the last time it gets to the count it leaves */
	code(run->point.times / blocks_of(&run->point) + 1);
}

/* Write the blocks; false if that is not allowed. */
static bool write_blocks(struct kernel_run *run)
{
	size_t bytes = (code_bytes(&run->point) + PAGE - 1) / PAGE * PAGE;
	unsigned char *out = (unsigned char *)run->memory + bytes;
	uint32_t *order = (uint32_t *)(void *)(out + PAGE);
	uint32_t n = blocks_of(&run->point);

	if (n == 0) {
		run->failed = "the buffer is too small for one block of code";
		return false;
	}
	if (mprotect(run->memory, bytes + PAGE,
		     PROT_READ | PROT_WRITE | PROT_EXEC)) {
		run->failed =
			"the system does not allow programs to generate code";
		return false;
	}
	put_order(order, n);
	*out = RET;
	for (uint32_t i = 0; i < n; i++) {
		unsigned char *at = block_at(run, order[i]);

		put_jump(i == 0 ? put_count(at, out) : at,
			 block_at(run, order[(i + 1) % n]));
	}
	run->cursor = block_at(run, order[0]);
	return true;
}

/* One behind the other, and from the last to the first. */
static bool write_jumps(struct kernel_run *run)
{
	size_t bytes = (code_bytes(&run->point) + PAGE - 1) / PAGE * PAGE;
	unsigned char *at = run->memory, *out = at + bytes;
	uint32_t n = blocks_of(&run->point);

	if (mprotect(run->memory, bytes + PAGE,
		     PROT_READ | PROT_WRITE | PROT_EXEC)) {
		run->failed =
			"the system does not allow programs to generate code";
		return false;
	}
	*out = RET;
	at = put_count(at, out);
	for (uint32_t i = 1; i < n; i++) {
		*at++ = 0xeb;
		*at++ = 0;
	}
	put_jump(at, run->memory);
	run->cursor = run->memory;
	return true;
}

/* Twice, to be in the caches. */
static void run_twice(struct kernel_run *run)
{
	uint64_t times = run->point.times;

	run->point.times = 2 * (uint64_t)blocks_of(&run->point);
	run_code(run);
	run->point.times = times;
}

static void prepare_jumps(struct kernel_run *run)
{
	if (write_jumps(run))
		run_twice(run);
}

static void prepare(struct kernel_run *run)
{
	if (write_blocks(run))
		run_twice(run);
}

/* Once, so that what leads there is known; then out of all caches. */
static void prepare_flushed(struct kernel_run *run)
{
	if (!write_blocks(run))
		return;
	run_code(run);
	for (uint32_t i = 0; i < blocks_of(&run->point); i++)
		__asm__ volatile("clflush (%0)" : : "r"(block_at(run, i)));
	__asm__ volatile("mfence" : : : "memory");
}

static void release(struct kernel_run *run)
{
	size_t bytes = (code_bytes(&run->point) + PAGE - 1) / PAGE * PAGE;

	mprotect(run->memory, bytes + PAGE, PROT_READ | PROT_WRITE);
}

/* What holds the code must hold other code, too: an eighth of it. */
static uint64_t with_others(uint64_t needed, uint64_t size)
{
	return needed + size / 8;
}

static enum level_fit fit_l1i(uint64_t needed, const struct kernel_machine *m)
{
	enum level_fit fit = level_fit_l1(needed, &m->l1i, m);

	return fit == FIT_INSIDE
		       ? level_fit_l1(with_others(needed, m->l1i.bytes),
				      &m->l1i, m)
		       : fit;
}

static enum level_fit fit_l2(uint64_t needed, const struct kernel_machine *m)
{
	enum level_fit fit = level_fit_beyond(needed, &m->l2, m);

	return fit == FIT_INSIDE
		       ? level_fit_beyond(with_others(needed, m->l2.bytes),
					  &m->l2, m)
		       : fit;
}

static enum level_fit fit_tlb(uint64_t pages, const struct kernel_tlb *tlb,
			      const struct kernel_machine *m)
{
	enum level_fit fit = level_fit_pages(pages, tlb, m);

	return fit == FIT_INSIDE
		       ? level_fit_pages(with_others(pages, tlb->entries), tlb,
					 m)
		       : fit;
}

static struct kernel_term term(enum concept concept, double per_iteration)
{
	return (struct kernel_term){ concept, per_iteration, 0 };
}

/* A jump each, and the count once a round. */
static void put_instructions(const struct kernel_point *p,
			     struct kernel_term *terms)
{
	double round = 1.0 / blocks_of(p);

	terms[0] = term(CONCEPT_INS, 1 + 2 * round);
	terms[1] = term(CONCEPT_BR_DIRECT, 1);
	terms[2] = term(CONCEPT_BR_COND, round);
	terms[3] = term(CONCEPT_BR_COND_EXEC, round);
	terms[4] = term(CONCEPT_INT_ADD, round);
}
#define MORE 5

static double targets_missed(const struct kernel_point *p)
{
	uint32_t n = blocks_of(p);

	return n >= BTB_NONE ? 1 : n <= BTB_ALL ? 0 : NAN;
}

/* Each line is in the first level that holds all of them. */
static void predict_lines(const struct kernel_point *p,
			  const struct kernel_machine *m,
			  struct kernel_term *terms)
{
	enum level_fit l1 = fit_l1i(p->footprint, m);
	enum level_fit l2 = fit_l2(p->footprint, m);
	bool known =
		l1 == FIT_INSIDE || (l1 == FIT_OUTSIDE && l2 == FIT_INSIDE);

	put_instructions(p, terms);
	terms += MORE;
	terms[0] = term(CONCEPT_L1I_HIT, !known ? NAN : l1 == FIT_INSIDE);
	terms[1] = term(CONCEPT_L2_CODE_HIT, !known ? NAN : l1 != FIT_INSIDE);
	terms[2] = term(CONCEPT_L3_CODE_HIT, known ? 0 : NAN);
	terms[3] = term(CONCEPT_MEM_CODE, known ? 0 : NAN);
	terms[4] = term(CONCEPT_BTB_MISS, targets_missed(p));
}

/* Lines apart, which no prefetcher brings: all in L3, or nowhere. */
static void put_far(const struct kernel_point *p, struct kernel_term *terms,
		    double l3)
{
	put_instructions(p, terms);
	terms += MORE;
	terms[0] = term(CONCEPT_L1I_HIT, 0 * l3);
	terms[1] = term(CONCEPT_L2_CODE_HIT, 0 * l3);
	terms[2] = term(CONCEPT_L3_CODE_HIT, l3);
	terms[3] = term(CONCEPT_MEM_CODE, 1 - l3);
	terms[4] = term(CONCEPT_BTB_MISS, NAN);
}

static void predict_far(const struct kernel_point *p,
			const struct kernel_machine *m,
			struct kernel_term *terms)
{
	bool outside = fit_l2(p->footprint, m) == FIT_OUTSIDE;
	bool in_l3 = m->l3.bytes > 1 && p->footprint < m->l3.bytes / 2 &&
		     level_fit_beyond(p->footprint, &m->l3, m) == FIT_INSIDE;

	put_far(p, terms, outside && in_l3 ? 1 : NAN);
}

/* Several jumps in each line: more than can be known, but not far away. */
static void predict_dense(const struct kernel_point *p,
			  const struct kernel_machine *m,
			  struct kernel_term *terms)
{
	bool in_l2 = fit_l2(p->footprint, m) == FIT_INSIDE;

	put_instructions(p, terms);
	terms += MORE;
	terms[0] = term(CONCEPT_L1I_HIT, NAN);
	terms[1] = term(CONCEPT_L2_CODE_HIT, NAN);
	terms[2] = term(CONCEPT_L3_CODE_HIT, in_l2 ? 0 : NAN);
	terms[3] = term(CONCEPT_MEM_CODE, 0);
	terms[4] = term(CONCEPT_BTB_MISS, targets_missed(p));
}

/* As many jumps as L1I has room for, and few pages: how many targets are known
 * is not known, but nothing else is missing. */
static void predict_jumps(const struct kernel_point *p,
			  const struct kernel_machine *m,
			  struct kernel_term *terms)
{
	bool in_l1 = fit_l1i(p->footprint, m) == FIT_INSIDE;
	bool in_tlb = fit_tlb(code_bytes(p) / PAGE, &m->itlb, m) == FIT_INSIDE;

	put_instructions(p, terms);
	terms += MORE;
	terms[0] = term(CONCEPT_L1I_HIT, NAN);
	terms[1] = term(CONCEPT_L2_CODE_HIT, in_l1 ? 0 : NAN);
	terms[2] = term(CONCEPT_L3_CODE_HIT, in_l1 ? 0 : NAN);
	terms[3] = term(CONCEPT_MEM_CODE, in_l1 ? 0 : NAN);
	terms[4] = term(CONCEPT_BTB_MISS, targets_missed(p));
	terms[5] = term(CONCEPT_ITLB_HIT, NAN);
	terms[6] = term(CONCEPT_STLB_CODE_HIT, in_tlb ? 0 : NAN);
	terms[7] = term(CONCEPT_WALK_CODE, in_tlb ? 0 : NAN);
}

static void predict_flushed(const struct kernel_point *p,
			    const struct kernel_machine *m,
			    struct kernel_term *terms)
{
	(void)m;
	put_far(p, terms, 0);
}

static void predict_pages(const struct kernel_point *p,
			  const struct kernel_machine *m,
			  struct kernel_term *terms)
{
	uint32_t n = blocks_of(p);
	enum level_fit first = fit_tlb(n, &m->itlb, m);
	enum level_fit second =
		m->stlb.entries ? fit_tlb(n, &m->stlb, m) : FIT_OUTSIDE;
	bool known = first == FIT_INSIDE ||
		     (first == FIT_OUTSIDE &&
		      (second == FIT_INSIDE || second == FIT_OUTSIDE));

	put_instructions(p, terms);
	terms += MORE;
	/* the first block may be looked up twice: it has two ways on */
	terms[0] = term(CONCEPT_ITLB_HIT,
			!known || n < 64 ? NAN : first == FIT_INSIDE);
	terms[1] = term(CONCEPT_STLB_CODE_HIT,
			!known ? NAN
			       : first != FIT_INSIDE && second == FIT_INSIDE);
	terms[2] = term(CONCEPT_WALK_CODE,
			!known ? NAN
			       : first != FIT_INSIDE && second == FIT_OUTSIDE);
	/* lines a page apart share few sets, so nobody knows where they are */
	terms[3] = term(CONCEPT_L1I_HIT, NAN);
	terms[4] = term(CONCEPT_L2_CODE_HIT, NAN);
	terms[5] = term(CONCEPT_L3_CODE_HIT, NAN);
	terms[6] = term(CONCEPT_MEM_CODE, 0);
	terms[7] = term(CONCEPT_BTB_MISS, NAN); /* nor what is known of them */
}

/* Nearly every line, or page, has to be fetched from elsewhere. */
static enum kernel_bound bound_of_code(const struct kernel_point *p,
				       const struct kernel_machine *m)
{
	if (p->unit >= PAGE)
		return m->stlb.entries && blocks_of(p) > m->stlb.entries
			       ? BOUND_FETCH
			       : BOUND_UNKNOWN;
	return m->l1i.bytes && p->footprint >= 2 * m->l1i.bytes ? BOUND_FETCH
								: BOUND_UNKNOWN;
}

/* Whole rounds. */
static uint64_t times_of(uint32_t n)
{
	return n >= 2048 ? n : n * ((2048 + n - 1) / n);
}

static void add_point(struct kernel_points *to, uint64_t footprint,
		      uint32_t unit)
{
	struct kernel_point p = { .footprint = footprint, .unit = unit };

	p.times = blocks_of(&p) ? times_of(blocks_of(&p)) : 0;
	if (p.times)
		kernel_points_add(to, p);
}

static void points_of_lines(const struct kernel_machine *m,
			    struct kernel_points *to)
{
	const uint64_t sizes[] = { m->l1i.bytes / 4, m->l1i.bytes / 2,
				   m->l1i.bytes * 2, m->l1i.bytes * 4,
				   m->l2.bytes * 3 / 2 };
	uint32_t unit = m->line_bytes > LINE ? m->line_bytes : LINE;

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		add_point(to, sizes[i] / PAGE * PAGE, unit);
}

static void points_of_far(const struct kernel_machine *m,
			  struct kernel_points *to)
{
	uint64_t bytes = m->l3.bytes > 1
				 ? level_footprint(m->l2.bytes * 2, 3, 1.25,
						   m->l3.bytes / 2, m)
				 : 0;

	add_point(to, bytes / PAGE * PAGE, FAR);
}

static void points_of_dense(const struct kernel_machine *m,
			    struct kernel_points *to)
{
	(void)m;
	add_point(to, BTB_NONE * DENSE, DENSE);
}

static void points_of_jumps(const struct kernel_machine *m,
			    struct kernel_points *to)
{
	add_point(to, m->l1i.bytes / 2 / PAGE * PAGE, SHORT);
}

static void points_of_flushed(const struct kernel_machine *m,
			      struct kernel_points *to)
{
	(void)m;
	add_point(to, 2048 * FAR, FAR);
}

static void points_of_pages(const struct kernel_machine *m,
			    struct kernel_points *to)
{
	const uint64_t counts[] = { m->itlb.entries / 4, m->itlb.entries / 2,
				    (uint64_t)m->itlb.entries * 2,
				    (uint64_t)m->itlb.entries * 4,
				    level_too_many(&m->stlb, m) };

	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
		add_point(to, counts[i] * PAGE, PAGE);
}

/*
 * For validation: blocks that all fall into one set and are more than it
 * has ways, each of which counts. See conflict.c.
 */
static size_t memory_of_conflict(const struct kernel_point *p)
{
	size_t bytes = p->footprint + 3 * (size_t)p->unit;

	return (bytes + PAGE - 1) / PAGE * PAGE;
}

KERNEL_NEAR static void run_conflict(struct kernel_run *run)
{
	void (*code)(uint64_t);

	memcpy(&code, &run->cursor, sizeof(code));
	if (run->point.times > 0)
		code(run->point.times);
}

static void prepare_conflict(struct kernel_run *run)
{
	uint32_t unit = run->point.unit;
	uint32_t n = blocks_of(&run->point);
	uintptr_t ours = (uintptr_t)run_conflict;
	uint64_t times = run->point.times;
	unsigned char *base, *out;

	if (n < 2 || unit < 4 * LINE) {
		run->failed = "it needs two blocks in one set of several";
		return;
	}
	if (mprotect(run->memory, memory_of_conflict(&run->point),
		     PROT_READ | PROT_WRITE | PROT_EXEC)) {
		run->failed =
			"the system does not allow programs to generate code";
		return;
	}
	base = (unsigned char *)(((uintptr_t)run->memory + unit - 1) / unit *
				 unit);
	/* half a page from code that runs now: see KERNEL_NEAR */
	base += (ours % unit + (unit < PAGE ? unit : PAGE) / 2) % unit / LINE *
		LINE;
	out = base + (size_t)n * unit + unit / 4;
	*out = RET;
	for (uint32_t i = 0; i < n; i++) {
		unsigned char *at = base + (size_t)i * unit;

		put_jump(put_count(at, out),
			 base + (size_t)((i + 1) % n) * unit);
	}
	run->cursor = base;
	run->point.times = 4 * (uint64_t)n;
	run_conflict(run);
	run->point.times = times;
}

static void release_conflict(struct kernel_run *run)
{
	mprotect(run->memory, memory_of_conflict(&run->point),
		 PROT_READ | PROT_WRITE);
}

static void points_of_conflict(const struct kernel_machine *m,
			       struct kernel_points *to)
{
	levels_add_set(&m->l1i, to);
	levels_add_set(&m->l2, to);
}

#define NONE                                                                   \
	(1u << FAMILY_FP | 1u << FAMILY_SYSTEM | 1u << FAMILY_SHARE |          \
	 1u << FAMILY_KIND | 1u << FAMILY_ACCESS | 1u << FAMILY_CACHE |        \
	 1u << FAMILY_TLB)

/* Code that was run before it is counted. */
#define RING_OF_CODE                                                           \
	.uses = USES_FOOTPRINT | USES_UNIT, .steady = true,                    \
	.memory = memory_of, .prepare = prepare, .run = run_code,              \
	.release = release, .large = LARGE_CODE, .none = NONE,                 \
	.bound_at = bound_of_code

static const struct kernel rows[] = {
	{
		.name = "code/lines",
		.text = "jumps from line to line, in random order",
		RING_OF_CODE,
		.predict = predict_lines,
		.points = points_of_lines,
	},
	{
		.name = "code/far",
		.text = "jumps between lines that are only in L3",
		RING_OF_CODE,
		.predict = predict_far,
		.points = points_of_far,
	},
	{
		.name = "code/dense",
		.text = "more jumps than the branch target buffer can hold",
		RING_OF_CODE,
		.predict = predict_dense,
		.points = points_of_dense,
	},
	{
		.name = "code/jumps",
		.text = "more jumps than a small branch target buffer can "
			"hold, in few lines",
		.uses = USES_FOOTPRINT | USES_UNIT,
		.steady = true,
		.memory = memory_of,
		.prepare = prepare_jumps,
		.run = run_code,
		.release = release,
		.large = LARGE_CODE,
		.none = NONE,
		.bound_at = bound_of_code,
		.predict = predict_jumps,
		.points = points_of_jumps,
	},
	{
		.name = "code/flushed",
		.text = "jumps between lines that are in no cache",
		.uses = USES_FOOTPRINT | USES_UNIT,
		.memory = memory_of,
		.prepare = prepare_flushed,
		.run = run_code,
		.release = release,
		.large = LARGE_CODE,
		.none = NONE,
		.predict = predict_flushed,
		.bound = BOUND_FETCH,
		.points = points_of_flushed,
	},
	{
		.name = "code/pages",
		.text = "jumps from page to page, in random order",
		RING_OF_CODE,
		.predict = predict_pages,
		.points = points_of_pages,
	},
	{
		.name = "count/miss-code",
		.role = ROLE_VALIDATE,
		.text = "one block of code that misses in its set",
		.uses = USES_FOOTPRINT | USES_UNIT,
		.zero = true,
		.memory = memory_of_conflict,
		.prepare = prepare_conflict,
		.run = run_conflict,
		.release = release_conflict,
		.large = LARGE_CODE,
		.none = NONE,
		.expect = EXPECT(
			{ CONCEPT_INS, 3, 0 }, { CONCEPT_BR_COND, 1, 0 },
			{ CONCEPT_BR_COND_EXEC, 1, 0 },
			{ CONCEPT_BR_DIRECT, 1, 0 }, { CONCEPT_INT_ADD, 1, 0 }),
		.points = points_of_conflict,
	},
};

KERNEL_TABLE(kernels_x86_code, rows);
