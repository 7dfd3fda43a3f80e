/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Accesses to lines that were flushed out of every cache, in x86 assembly:
 * memory serves them whatever the size of the last cache, which in a virtual
 * machine may be a share of what it is said to be. Units are visited in the
 * order of a generator that comes to each once; see x86_store.c.
 */
#include <math.h>

#include "kernels/loop.h"

#define PAGE   4096
#define UNIT   256
#define STEP   1013904223u
#define FACTOR "1664525"

static size_t memory_of(const struct kernel_point *p)
{
	return p->times * UNIT + PAGE;
}

/* The pages are touched first: flushing brings no page. */
static void prepare(struct kernel_run *run)
{
	volatile char *memory = run->memory;
	uint64_t n = run->point.times;

	if (n & (n - 1)) {
		run->failed = "the number of iterations must be a power of two";
		return;
	}
	for (uint64_t i = 0; i < n; i++)
		memory[i * UNIT] = 1;
	for (uint64_t i = 0; i < n; i++)
		__asm__ volatile("clflush (%0)" : : "r"(memory + i * UNIT));
	__asm__ volatile("mfence" : : : "memory");
}

#define WALK(function, access)                                                 \
	static void function(struct kernel_run *run)                           \
	{                                                                      \
		uint64_t n = run->point.times, at = 0;                         \
                                                                               \
		__asm__ volatile(".p2align 6\n"                                \
				 "1:\n" access "imul $" FACTOR                 \
				 ", %[at], %[at]\n"                            \
				 "add %[step], %[at]\n"                        \
				 "and %[mask], %[at]\n"                        \
				 "dec %[n]\n"                                  \
				 "jnz 1b\n"                                    \
				 : [n] "+r"(n), [at] "+r"(at)                  \
				 : [m] "r"(run->memory),                       \
				   [step] "r"((uint64_t)STEP * UNIT),          \
				   [mask] "r"((run->point.times - 1) * UNIT)   \
				 : "rax", "cc", "memory");                     \
	}

WALK(flushed_load, "mov (%[m], %[at]), %%rax\n")
WALK(flushed_store, "mov %[at], (%[m], %[at])\n")
WALK(flushed_clean, "mov (%[m], %[at]), %%rax\n"
		    "mov %[at], 8(%[m], %[at])\n")

/*
 * One line again and again: its place in each cache is free when it comes back,
 * so nothing has to leave, and its neighbour is there all the time, so nobody
 * prefetches anything.
 */
LOOP(flush_load, "",
     "clflush (%[m])\n"
     "mfence\n"
     "mov (%[m]), %%rax\n",
     "")
LOOP(flush_store, "",
     "clflush (%[m])\n"
     "mfence\n"
     "movq $1, (%[m])\n",
     "")

/* clang-format off */
#define NONE                                                                   \
	(1u << FAMILY_FP | 1u << FAMILY_SYSTEM | 1u << FAMILY_KIND)
#define WALKED                                                                 \
	LOOP_BRANCH, { CONCEPT_INT_ADD, 2, 0 }, { CONCEPT_INT_LOGIC, 1, 0 },   \
		{ CONCEPT_INT_MUL, 1, 0 }, { CONCEPT_INT_MOVE, NAN, 0 }

static const struct kernel rows[] = {
	{
		.name = "flush/load",
		.text = "loads of lines that are in no cache",
		.code = "flushed_load",
		.memory = memory_of,
		.prepare = prepare,
		.run = flushed_load,
		.large = LARGE_DATA,
		.none = NONE,
		.expect = EXPECT(WALKED,
			{ CONCEPT_INS, 6, 0 },
			{ CONCEPT_LOAD_INS, 1, 0 },
			{ CONCEPT_LOAD_STORE_INS, 1, 0 },
			{ CONCEPT_LOAD_8, 1, 0 },
			{ CONCEPT_MEM_LOAD, 1, 0 }),
		.times = { 256, 512, 1024, 2048 },
	},
	{
		.name = "flush/store",
		.text = "stores to lines that are in no cache",
		.code = "flushed_store",
		.memory = memory_of,
		.prepare = prepare,
		.run = flushed_store,
		.large = LARGE_DATA,
		.none = NONE,
		.expect = EXPECT(WALKED,
			{ CONCEPT_INS, 6, 0 },
			{ CONCEPT_STORE_INS, 1, 0 },
			{ CONCEPT_LOAD_STORE_INS, 1, 0 },
			{ CONCEPT_STORE_8, 1, 0 },
			{ CONCEPT_MEM_STORE, 1, 0 }),
		.times = { 256, 512, 1024, 2048 },
	},
	{
		.name = "flush/clean",
		.text = "stores to lines that a load has just fetched",
		.code = "flushed_clean",
		.memory = memory_of,
		.prepare = prepare,
		.run = flushed_clean,
		.large = LARGE_DATA,
		.none = NONE,
		.expect = EXPECT(WALKED,
			{ CONCEPT_INS, 7, 0 },
			{ CONCEPT_LOAD_INS, 1, 0 },
			{ CONCEPT_STORE_INS, 1, 0 },
			{ CONCEPT_LOAD_STORE_INS, 2, 0 },
			{ CONCEPT_LOAD_8, 1, 0 },
			{ CONCEPT_STORE_8, 1, 0 },
			{ CONCEPT_MEM_LOAD, 1, 0 },
			{ CONCEPT_L1D_STORE_HIT, 1, 0 },
			{ CONCEPT_STORE_CLEAN, 1, 0 }),
		.times = { 256, 512, 1024, 2048 },
	},
	{
		.name = "flush/again",
		.text = "a line flushed and loaded repeatedly",
		.memory = loop_memory,
		.prepare = loop_prepare,
		.run = flush_load,
		.large = LARGE_DATA,
		.none = NONE | 1u << FAMILY_EVICT | 1u << FAMILY_PREFETCH,
		.expect = EXPECT(LOOP_BRANCH,
			{ CONCEPT_INS, 5, 0 },
			{ CONCEPT_LOAD_8, 1, 0 },
			{ CONCEPT_FENCE, 1, 0 },
			{ CONCEPT_MEM_LOAD, 1, 0 },
			{ CONCEPT_DRAM_READ, 1, 0 },
			{ CONCEPT_OTHER, 1, 0 },
			{ CONCEPT_LOAD_INS, NAN, 0 },
			{ CONCEPT_LOAD_STORE_INS, NAN, 0 }),
	},
	{
		.name = "flush/dirty",
		.text = "a line flushed and stored to repeatedly",
		.memory = loop_memory,
		.prepare = loop_prepare,
		.run = flush_store,
		.large = LARGE_DATA,
		.none = NONE | 1u << FAMILY_PREFETCH,
		.expect = EXPECT(LOOP_BRANCH,
			{ CONCEPT_INS, 5, 0 },
			{ CONCEPT_STORE_8, 1, 0 },
			{ CONCEPT_FENCE, 1, 0 },
			{ CONCEPT_MEM_STORE, 1, 0 },
			{ CONCEPT_DRAM_READ, 1, 0 },
			{ CONCEPT_DRAM_WRITE, 1, 0 },
			{ CONCEPT_L1D_WB, NAN, 0 },
			{ CONCEPT_L2_WB, NAN, 0 },
			{ CONCEPT_L3_WB, NAN, 0 },
			{ CONCEPT_OTHER, 1, 0 },
			{ CONCEPT_STORE_INS, NAN, 0 },
			{ CONCEPT_LOAD_STORE_INS, NAN, 0 }),
	},
};
/* clang-format on */

KERNEL_TABLE(kernels_x86_flush, rows);
