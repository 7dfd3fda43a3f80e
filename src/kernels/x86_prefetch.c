/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Software prefetches, in x86 assembly: of each kind for a line that is in L1D
 * already, and of lines that L2 has, or has not.
 */
#include <math.h>

#include "kernels/levels.h"
#include "kernels/loop.h"

#define PAGE 4096

/*
 * From one line to the next: never in the same page, nor a neighbour, so that
 * no other prefetcher sees a pattern; odd in units of 256, so that all of them
 * come before the first comes again.
 */
#define UNIT            256
#define STEP            (UNIT * 37)

#define TEXT_OF(number) #number
#define TEXT(number)    TEXT_OF(number)

LOOP(prefetch, "", R8("prefetcht0 (%[m])\n"), "")
LOOP(prefetch_l2, "", R4("prefetcht1 (%[m])\n") R4("prefetcht2 (%[m])\n"), "")
LOOP(prefetch_once, "", R8("prefetchnta (%[m])\n"), "")
LOOP(prefetch_write, "", R8("prefetchw (%[m])\n"), "")
/* Where it stands, and what its offsets are below, is in the first line. */
LOOP(prefetch_on, "mov (%[m]), %%rbx\nmov 8(%[m]), %%rax\n",
     "prefetcht0 (%[m], %%rax)\n"
     "add $" TEXT(STEP) ", %%rax\n"
			"and %%rbx, %%rax\n",
     "mov %%rax, 8(%[m])\n")

static size_t memory_of(const struct kernel_point *p)
{
	return p->footprint + PAGE;
}

/* From where the run before has stopped. */
static void prefetch_lines(struct kernel_run *run)
{
	uint64_t *memory = run->memory;

	memory[1] = run->state;
	prefetch_on(run);
	run->state = memory[1];
}

/* Twice around: then the caches hold what they will always hold. */
static void prepare(struct kernel_run *run)
{
	struct kernel_run round = *run;
	uint64_t bytes = run->point.footprint, *memory = run->memory;

	if (bytes < PAGE || bytes & (bytes - 1)) {
		run->failed = "its footprint must be a power of two";
		return;
	}
	for (uint64_t at = 0; at < bytes; at += PAGE)
		*(volatile char *)((char *)run->memory + at) = 0;
	memory[0] = bytes - 1;
	round.point.times = 2 * (bytes / UNIT);
	prefetch_lines(&round);
	run->state = round.state;
}

/* What others bring meanwhile is only known where L2 has all of it. */
static void predict(const struct kernel_point *p,
		    const struct kernel_machine *m, struct kernel_term *terms)
{
	int level = level_of(p->footprint, m);
	double brought = level == 2 ? 0 : NAN;
	double found = level == 0 || level == 1 ? NAN : level == 2;
	size_t n = 0;

	terms[n++] = levels_term(CONCEPT_PF_L1, NAN);
	terms[n++] = levels_term(CONCEPT_PF_L1_USED, NAN);
	terms[n++] = levels_term(CONCEPT_PF_L2, brought);
	terms[n++] = levels_term(CONCEPT_PF_L2_USED, brought);
	terms[n++] = levels_term(CONCEPT_PF_L2_UNUSED, brought);
	terms[n++] = levels_term(CONCEPT_PF_L2_MEM, brought);
	terms[n++] = levels_term(CONCEPT_SWPF_L1_FILL, isnan(found) ? NAN : 1);
	terms[n++] = levels_term(CONCEPT_SWPF_L2_HIT, found);
	terms[n++] = levels_term(CONCEPT_SWPF_L2_MISS, 1 - found);
}

static void points(const struct kernel_machine *m, struct kernel_points *to)
{
	const uint64_t sizes[] = { m->l2.bytes / 2, m->l2.bytes * 4 };
	int beyond = m->l3.bytes > 1 ? 3 : 4;

	for (size_t i = 0; i < 2; i++) {
		uint64_t bytes = PAGE;

		while (bytes * 2 <= sizes[i])
			bytes *= 2;
		bytes = level_footprint(bytes, i ? beyond : 2, 2, 4 * bytes, m);
		if (sizes[i] >= PAGE)
			kernel_points_add(to, (struct kernel_point){
						      .times = 4096,
						      .footprint = bytes });
	}
}

/* Eight of a kind for a line that is there. */
#define THERE(id, words, function, concept)                                    \
	{                                                                      \
		.name = id, .text = words, .code = #function,                  \
		.memory = loop_memory, .prepare = loop_prepare,                \
		.run = function,                                               \
		.none = LOOP_NONE & ~(1u << FAMILY_CACHE | 1u << FAMILY_TLB),  \
		.expect = EXPECT({ CONCEPT_INS, 10, 0 }, LOOP_BRANCH,          \
				 { CONCEPT_##concept, 8, 0 },                  \
				 { CONCEPT_SWPF_L1_HIT, 8, 0 },                \
				 { CONCEPT_INT_ADD, 1, 0 }),                   \
	}

/* clang-format off */
static const struct kernel rows[] = {
	THERE("prefetch/software", "eight prefetches of a line already in L1D",
	      prefetch, PREFETCH_T0),
	THERE("prefetch/once", "eight prefetches of data used once",
	      prefetch_once, PREFETCH_NTA),
	THERE("prefetch/write", "eight prefetches for writing",
	      prefetch_write, PREFETCH_W),
	{
		.name = "prefetch/l2",
		.text = "eight prefetches into L2 of a line already in L1D",
		.memory = loop_memory,
		.prepare = loop_prepare,
		.code = "prefetch_l2",
		.run = prefetch_l2,
		.none = LOOP_NONE & ~(1u << FAMILY_CACHE | 1u << FAMILY_TLB),
		.expect = EXPECT({ CONCEPT_INS, 10, 0 },
			LOOP_BRANCH,
			{ CONCEPT_PREFETCH_T1, 8, 0 },
			/* whether L1D is asked first */
			{ CONCEPT_SWPF_L1_HIT, NAN, 0 },
			{ CONCEPT_SWPF_L2_HIT, NAN, 0 },
			{ CONCEPT_INT_ADD, 1, 0 }),
	},
	{
		.name = "prefetch/lines",
		.text = "prefetches of consecutive lines",
		.uses = USES_FOOTPRINT,
		.memory = memory_of,
		.prepare = prepare,
		.code = "prefetch_lines",
		.run = prefetch_lines,
		.large = LARGE_DATA,
		.steady = true,
		.none = 1u << FAMILY_FP | 1u << FAMILY_SYSTEM |
			1u << FAMILY_KIND,
		.expect = EXPECT({ CONCEPT_INS, 5, 0 },
			LOOP_BRANCH,
			{ CONCEPT_PREFETCH_T0, 1, 0 },
			{ CONCEPT_INT_ADD, 2, 0 },
			{ CONCEPT_INT_LOGIC, 1, 0 }),
		.predict = predict,
		.points = points,
	},
};
/* clang-format on */

KERNEL_TABLE(kernels_x86_prefetch, rows);
