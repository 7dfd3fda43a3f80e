/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What kernels of branches share, and one of them, Figure 6 of the 2018 paper:
 * it is compiled twice, without optimisation (branch.c) and with much of it
 * (branch_o3.c), for what the compiler makes of an else is what it is about.
 * Inside this folder only.
 */
#pragma once

#include <math.h>

#include "kernels/tables.h"

static volatile uint32_t z1, z2, z3, z4;
static volatile int64_t temp, sum1, sum2;
static volatile uint32_t result;

/*
 * Expressions, not blocks: without optimisation some compilers jump from the
 * end of a block to what follows it.
 */
/* clang-format off */
#define RANDOM_NUMBER(out)                                                     \
	(z1 = ((z1 & 0xfffffffeU) << 18) ^ (((z1 << 6) ^ z1) >> 13),           \
	 z2 = ((z2 & 0xfffffff8U) << 2) ^ (((z2 << 2) ^ z2) >> 27),            \
	 z3 = ((z3 & 0xfffffff0U) << 7) ^ (((z3 << 13) ^ z3) >> 21),           \
	 z4 = ((z4 & 0xffffff80U) << 13) ^ (((z4 << 3) ^ z4) >> 12),           \
	 (out) = z1 ^ z2 ^ z3 ^ z4)

#define DISTANCE()                                                             \
	((void)(RANDOM_NUMBER(result), RANDOM_NUMBER(result),                  \
		RANDOM_NUMBER(result), RANDOM_NUMBER(result)))
/* clang-format on */

/* Every run sees the same numbers. */
static void seed(struct kernel_run *run)
{
	(void)run;
	z1 = 1234567;
	z2 = 7654321;
	z3 = 2345671;
	z4 = 6543217;
	result = 0;
	sum1 = 0;
	sum2 = 0;
}

/* Two blocks that exclude each other. They end differently, or a compiler may
 * make one of them, without a branch (clang 14 at -O3 with -fPIC). */
static void if_else(struct kernel_run *run)
{
	int64_t size = (int64_t)run->point.times;

	temp = 0;
	do {
		temp++;
		DISTANCE();
		if (result % 2 == 0) {
			sum1 += 1;
			__asm__ volatile("" : : "i"(1));
		} else {
			sum1 += 2;
			__asm__ volatile("" : : "i"(2));
		}
	} while (temp < size);
}

/* How many jumps there are is the compiler's business. */
#define IF_ELSE_ROW(id, words)                                                 \
	{                                                                      \
		.name = id, .text = words, .role = ROLE_FIGURE,                \
		.prepare = seed, .run = if_else,                               \
		.none = 1u << FAMILY_FP | 1u << FAMILY_SYSTEM |                \
			1u << FAMILY_SHARE,                                    \
		.expect = EXPECT({ CONCEPT_BR_COND, 2, 0 },                    \
				 { CONCEPT_BR_MISP, 0.5, 0.5 },                \
				 { CONCEPT_BR_COND_EXEC, NAN, 0 },             \
				 { CONCEPT_BR_TAKEN, NAN, 0 },                 \
				 { CONCEPT_BR_TAKEN_EXEC, NAN, 0 },            \
				 { CONCEPT_BR_MISP_TAKEN, NAN, 0 },            \
				 { CONCEPT_BR_DIRECT, NAN, 0 }),               \
	}
