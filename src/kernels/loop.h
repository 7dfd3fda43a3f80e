/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Loops in x86 assembly whose instructions are exactly those written: a body,
 * then dec and jnz. Inside this folder only.
 */
#pragma once

#include "kernels/tables.h"

#define R4(x)  x x x x
#define R5(x)  R4(x) x
#define R8(x)  R4(x) R4(x)
#define R10(x) R5(x) R5(x)

/*
 * @function runs @setup once and @body point.times times, with %[m] the
 * kernel's memory and %[n] the number of times left. Labels 1 and 9 are taken.
 * @tail stands behind the loop and is jumped over. It may use rax, rbx, rcx,
 * rdx, rsi, rdi, r8 to r11 and vector registers 0 to 8.
 */
#define LOOP(function, setup, body, tail)                                      \
	static void function(struct kernel_run *run)                           \
	{                                                                      \
		uint64_t n = run->point.times;                                 \
                                                                               \
		__asm__ volatile(setup ".p2align 6\n"                          \
				       "1:\n" body "dec %[n]\n"                \
				       "jnz 1b\n" tail                         \
				 : [n] "+r"(n)                                 \
				 : [m] "r"(run->memory)                        \
				 : "rax", "rbx", "rcx", "rdx", "rsi", "rdi",   \
				   "r8", "r9", "r10", "r11", "xmm0", "xmm1",   \
				   "xmm2", "xmm3", "xmm4", "xmm5", "xmm6",     \
				   "xmm7", "xmm8", "cc", "memory");            \
	}

/* What the loop itself adds besides its two instructions. */
#define LOOP_BRANCH                                                            \
	{ CONCEPT_BR_COND, 1, 0 }, { CONCEPT_BR_COND_EXEC, 1, 0 },             \
		{ CONCEPT_BR_TAKEN, 1, 0 },                                    \
	{                                                                      \
		CONCEPT_BR_TAKEN_EXEC, 1, 0                                    \
	}

/*
 * Families of which such a loop has nothing unless it says so. How often its
 * lines are fetched depends on where it lies.
 */
#define LOOP_NONE                                                              \
	(((1u << FAMILY_COUNT) - 1) &                                          \
	 ~(1u << FAMILY_CYCLE | 1u << FAMILY_CODE | 1u << FAMILY_ITLB |        \
	   1u << FAMILY_SHARE | 1u << FAMILY_BYTES | 1u << FAMILY_SPENT))

/* One page of memory, touched before it is counted. */
size_t loop_memory(const struct kernel_point *point);
void loop_prepare(struct kernel_run *run);
