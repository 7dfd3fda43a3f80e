/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Code on the wrong path of a mispredicted branch, in x86 assembly. The
 * directions are random bytes in memory, so half of the predictions are wrong.
 * Both paths do the same eight things and then reach a fence that waits for the
 * branch: what runs on the wrong path is known, however far a machine looks
 * ahead. So it is behind the loop: its own branch, too, is mispredicted now and
 * then where a small predictor confuses it with the random one.
 */
#include <math.h>

#include "kernels/loop.h"
#include "kernels/shuffle.h"

#define EIGHT 8
/* With the fence. */
#define BEHIND (EIGHT + 1)

#define WRONG_PATH(function, things)                                           \
	static void function(struct kernel_run *run)                           \
	{                                                                      \
		uint64_t n = run->point.times;                                 \
		const char *way = (const char *)run->memory + 64;              \
                                                                               \
		__asm__ volatile(                                              \
			".p2align 6\n"                                         \
			"1:\n"                                                 \
			"movzbl (%[way]), %%eax\n"                             \
			"inc %[way]\n"                                         \
			"test %%eax, %%eax\n"                                  \
			"jz 2f\n" R8(things) "lfence\n"                        \
					     "jmp 3f\n"                        \
					     "2:\n" R8(things) "lfence\n"      \
							       "3:\n"          \
							       "dec %[n]\n"    \
							       "jnz 1b\n"      \
							       "lfence\n"      \
			: [n] "+r"(n), [way] "+r"(way)                         \
			: [m] "r"(run->memory)                                 \
			: "rax", "rbx", "cc", "memory");                       \
	}

WRONG_PATH(nops, "nop\n")
WRONG_PATH(loads, "movq (%[m]), %%rbx\n")
WRONG_PATH(stores, "movq %[m], (%[m])\n")
WRONG_PATH(jumps, "jmp 4f\n4:\n")

static size_t memory_of(const struct kernel_point *point)
{
	return 64 + point->times;
}

static void choose_ways(struct kernel_run *run)
{
	unsigned char *way = (unsigned char *)run->memory + 64;
	uint64_t state = SHUFFLE_SEED;

	for (uint64_t i = 0; i < run->point.times; i++)
		way[i] = shuffle_random(&state) >> 16 & 1;
}

/*
 * One of the two ways has a jump more, and one a branch that is taken. The
 * loop's own branch is behind the fence.
 */
#define HALF(concept, n)                                                       \
	{                                                                      \
		CONCEPT_##concept, (n) / 2.0, (n) / 2.0                        \
	}

/*
 * In lengths by which the predictor has seen enough to know nothing.
 */
/* clang-format off */
#define ROW(id, words, function, ...)                                          \
	{                                                                      \
		.name = "wrong-path/" id, .text = words, .memory = memory_of,        \
		.prepare = choose_ways, .run = function,                       \
		.none = 1u << FAMILY_FP | 1u << FAMILY_SYSTEM,                 \
		.times = { 1000, 2000, 4000 },                                      \
		.expect = EXPECT(                                              \
			{ CONCEPT_INS, 7.5 + EIGHT, 0.5 },                     \
			{ CONCEPT_BR_COND, 2, 0 },                             \
			{ CONCEPT_BR_COND_EXEC, 2, 0 },                        \
			{ CONCEPT_BR_TAKEN, 1.5, 0.5 },                        \
			{ CONCEPT_BR_TAKEN_EXEC, 1.5, 0.5 },                   \
			HALF(BR_MISP, 1),                                      \
			{ CONCEPT_BR_MISP_TAKEN, NAN, 0 },                     \
			HALF(WRONG_PATH_INS, BEHIND), __VA_ARGS__),            \
	}

/* The byte that says which way; eight more where that is what it does. */
#define LOADS(ins, bytes_8)                                                    \
	{ CONCEPT_LOAD_INS, ins, 0 }, { CONCEPT_LOAD_STORE_INS, ins, 0 },      \
	{ CONCEPT_LOAD_1, 1, 0 }, { CONCEPT_LOAD_8, bytes_8, 0 },              \
	{ CONCEPT_FENCE, NAN, 0 }

static const struct kernel rows[] = {
	ROW("nop", "a random if, with eight no-operations on both paths", nops,
	    HALF(BR_DIRECT, 1), LOADS(1, 0),
	    { CONCEPT_NOP, EIGHT, 0 }),
	ROW("load", "a random if, with eight loads on both paths", loads,
	    HALF(BR_DIRECT, 1), LOADS(1 + EIGHT, EIGHT),
	    HALF(WRONG_PATH_LOAD, EIGHT)),
	ROW("store", "a random if, with eight stores on both paths", stores,
	    HALF(BR_DIRECT, 1), LOADS(1, 0),
	    { CONCEPT_STORE_INS, EIGHT, 0 }, { CONCEPT_STORE_8, EIGHT, 0 },
	    { CONCEPT_LOAD_STORE_INS, 1 + EIGHT, 0 },
	    HALF(WRONG_PATH_STORE, EIGHT)),
	ROW("jump", "a random if, with eight jumps on both paths", jumps,
	    { CONCEPT_BR_DIRECT, EIGHT + 0.5, 0.5 }, LOADS(1, 0),
	    HALF(WRONG_PATH_JUMP, EIGHT)),
};
/* clang-format on */

KERNEL_TABLE(kernels_x86_wrong_path, rows);
