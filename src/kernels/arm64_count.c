/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Kernels for validation in arm64 assembly: as x86_count.c has them, one
 * occurrence of an event a time, and none if asked for none.
 */
#include <stdint.h>
#include <sys/syscall.h>

#include "kernels/shuffle.h"
#include "kernels/tables.h"

#define PAGE 4096

/*
 * @function runs @setup once and @body point.times times, with %[m] the
 * kernel's memory and %[n] the number of times left. Labels 1 and 9 are taken;
 * @tail stands behind the loop and is jumped over.
 */
#define COUNT_LOOP(function, setup, body, tail)                                \
	static void function(struct kernel_run *run)                           \
	{                                                                      \
		uint64_t n = run->point.times;                                 \
                                                                               \
		__asm__ volatile(setup "cbz %[n], 9f\n"                        \
				       ".p2align 6\n"                          \
				       "1:\n" body "subs %[n], %[n], #1\n"     \
				       "b.ne 1b\n" tail "9:\n"                 \
				 : [n] "+r"(n)                                 \
				 : [m] "r"(run->memory)                        \
				 : "x9", "x10", "x30", "v0", "v1", "cc",       \
				   "memory");                                  \
	}

COUNT_LOOP(one_fp, "ldr d0, [%[m]]\nldr d1, [%[m]]\n", "fadd d0, d0, d1\n", "")
COUNT_LOOP(one_sqrt, "ldr d0, [%[m]]\n", "fsqrt d0, d0\n", "")
COUNT_LOOP(one_load, "", "ldr x9, [%[m]]\n", "")
COUNT_LOOP(one_store, "mov x9, #1\n", "str x9, [%[m]]\n", "")
COUNT_LOOP(one_jump, "", "b 2f\n2:\n", "")
COUNT_LOOP(one_call, "", "bl 3f\n", "b 9f\n3:\nret\n")
COUNT_LOOP(ten_turns, "", "mov x9, #10\n2:\nsubs x9, x9, #1\nb.ne 2b\n", "")

/* An if on a bit of Marsaglia's xorshift64 that nobody can predict. */
static void half_mispredicted(struct kernel_run *run)
{
	uint64_t n = run->point.times;
	uint64_t x = run->state;

	__asm__ volatile("cbz %[n], 9f\n"
			 ".p2align 6\n"
			 "1:\n"
			 "eor %[x], %[x], %[x], lsl #13\n"
			 "eor %[x], %[x], %[x], lsr #7\n"
			 "eor %[x], %[x], %[x], lsl #17\n"
			 "tbz %[x], #20, 2f\n"
			 "nop\n"
			 "2:\n"
			 "subs %[n], %[n], #1\n"
			 "b.ne 1b\n"
			 "9:\n"
			 : [n] "+r"(n), [x] "+r"(x)
			 :
			 : "cc");
	run->state = x;
}

static void seed(struct kernel_run *run)
{
	run->state = SHUFFLE_SEED;
}

/*
 * A chain of additions, SLED of them in a row, entered where the odd ones are
 * left. An instruction has four bytes.
 */
#define SLED 1000

static void sled(struct kernel_run *run)
{
	uint64_t rounds = run->point.times / SLED;
	uint64_t back = run->point.times % SLED * 4;

	__asm__ volatile("mov x8, %[call]\n"
			 "svc #0\n"
			 "mov x10, #1\n"
			 "adr x9, 2f\n"
			 "sub x9, x9, %[back]\n"
			 "mov x11, x9\n"
			 "br x9\n"
			 ".p2align 6\n"
			 "1:\n"
			 ".rept 1000\n"
			 "add x11, x11, x10\n"
			 ".endr\n"
			 "2:\n"
			 "subs %[rounds], %[rounds], #1\n"
			 "b.pl 1b\n"
			 "mov x8, %[call]\n"
			 "svc #0\n"
			 : [rounds] "+r"(rounds)
			 : [back] "r"(back), [call] "i"(SYS_getppid)
			 : "x0", "x8", "x9", "x10", "x11", "cc", "memory");
}

static size_t one_page(const struct kernel_point *point)
{
	(void)point;
	return PAGE;
}

static void put_ones(struct kernel_run *run)
{
	double *d = run->memory;

	for (size_t i = 0; i < PAGE / sizeof(*d); i++)
		d[i] = 1.0;
}

#define ROW(id, words, function, ins)                                          \
	{                                                                      \
		.name = id, .text = words, .code = #function, .zero = true,    \
		.role = ROLE_VALIDATE, .memory = one_page,                     \
		.prepare = put_ones, .run = function, .times = { 1000, 3000 }, \
		.expect = EXPECT({ CONCEPT_INS, ins, 0 }),                     \
	}

static const struct kernel rows[] = {
	ROW("count/fp", "one addition in double precision", one_fp, 3),
	ROW("count/sqrt", "one square root", one_sqrt, 3),
	ROW("count/load", "one load", one_load, 3),
	ROW("count/store", "one store", one_store, 3),
	ROW("count/jump", "one jump", one_jump, 3),
	ROW("count/call", "one call and return", one_call, 4),
	{
		.name = "count/mispredict",
		.text = "a branch that is mispredicted half of the time",
		.role = ROLE_VALIDATE,
		.zero = true,
		.rehearse = 10,
		.prepare = seed,
		.run = half_mispredicted,
		.times = { 1000, 3000 },
		.expect = EXPECT({ CONCEPT_INS, 6.5, 0.5 }),
	},
	{
		.name = "count/loop10",
		.text = "an inner loop of ten iterations (Figure 3)",
		.role = ROLE_VALIDATE,
		.zero = true,
		.rehearse = 10,
		.run = ten_turns,
		.times = { 1000, 3000 },
		.expect = EXPECT({ CONCEPT_INS, 23, 0 }),
	},
	{
		.name = "count/add",
		.text = "one addition of a chain",
		.code = "sled",
		.sled = SLED,
		.role = ROLE_VALIDATE,
		.zero = true,
		.rehearse = 40,
		.run = sled,
		.times = { 1000, 3000 },
		.expect = EXPECT({ CONCEPT_INS, 1 + 2.0 / SLED, 0 }),
	},
};

KERNEL_TABLE(kernels_arm64_count, rows);
