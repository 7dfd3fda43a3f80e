/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Kernels for validation, in x86 assembly: one occurrence of an event a time,
 * so that any number of them can be asked for. Run no times, they do all but
 * that: what is then counted is overhead, of the interface and of the way into
 * the kernel and out of it.
 */
#include <math.h>
#include <sys/syscall.h>

#include "kernels/loop.h"
#include "kernels/shuffle.h"

/* As LOOP(), and the body may be left out. */
#define COUNT_LOOP(function, setup, body, tail)                                \
	LOOP(function, setup "test %[n], %[n]\njz 9f\n", body, tail "9:\n")

COUNT_LOOP(one_fp, "movups (%[m]), %%xmm0\nmovups (%[m]), %%xmm8\n",
	   "addsd %%xmm8, %%xmm0\n", "")
COUNT_LOOP(one_sqrt, "movups (%[m]), %%xmm0\n", "sqrtsd %%xmm0, %%xmm0\n", "")
COUNT_LOOP(one_load, "", "movq (%[m]), %%rax\n", "")
COUNT_LOOP(one_store, "mov $1, %%rax\n", "movq %%rax, (%[m])\n", "")
COUNT_LOOP(one_jump, "", "jmp 2f\n2:\n", "")
COUNT_LOOP(one_call, "", "call 3f\n", "jmp 9f\n3:\nret\n")

/* Marsaglia's xorshift64. */
static uint64_t next_random(uint64_t x)
{
	x ^= x << 13;
	x ^= x >> 7;
	return x ^ x << 17;
}

/*
 * Ifs on bits that nobody can predict: the lower BITS ones of a random number,
 * then those of the next, and so on. A predictor is wrong half of the times, so
 * two times make one misprediction. The numbers go on from run to run: those of
 * the last run might be remembered.
 *
 * All that is counted must be those ifs. After outcomes by chance a predictor
 * that goes by them may be wrong about the loop's own branch as often: there is
 * one for a thousand of them. The odd ones are entered first, as in the sled
 * below: whole numbers, and BITS ifs of six bytes each of one more.
 */
#define BITS    40
#define NUMBERS 25

static void half_mispredicted(struct kernel_run *run)
{
	uint64_t rounds = run->point.times / (BITS * NUMBERS);
	uint64_t odd = run->point.times % (BITS * NUMBERS);
	uint64_t numbers = odd / BITS, back = odd % BITS * 6;
	uint64_t x = next_random(run->state);

	__asm__ volatile("lea 2f(%%rip), %%rcx\n"
			 "lea 1f(%%rip), %%rbx\n"
			 "mov %%rcx, %%rax\n"
			 "sub %%rbx, %%rax\n"
			 "xor %%edx, %%edx\n"
			 "mov $25, %%ebx\n"
			 "div %%rbx\n"
			 "imul %[numbers], %%rax\n"
			 "sub %%rax, %%rcx\n"
			 "sub %[back], %%rcx\n"
			 "mov %[x], %%rbx\n"
			 "jmp *%%rcx\n"
			 ".p2align 6\n"
			 "1:\n"
			 ".rept 25\n"
			 "mov %[x], %%rbx\nshl $13, %%rbx\nxor %%rbx, %[x]\n"
			 "mov %[x], %%rbx\nshr $7, %%rbx\nxor %%rbx, %[x]\n"
			 "mov %[x], %%rbx\nshl $17, %%rbx\nxor %%rbx, %[x]\n"
			 "mov %[x], %%rbx\n"
			 ".rept 40\n"
			 "shr %%rbx\njc 3f\nnop\n3:\n"
			 ".endr\n"
			 ".endr\n"
			 "2:\n"
			 "sub $1, %[rounds]\n"
			 "jns 1b\n"
			 : [rounds] "+r"(rounds), [x] "+r"(x)
			 : [back] "r"(back), [numbers] "r"(numbers)
			 : "rax", "rbx", "rcx", "rdx", "cc");
	run->state = x;
}

static void seed(struct kernel_run *run)
{
	run->state = SHUFFLE_SEED;
}

/*
 * Figure 3 of the 2005 paper: an inner loop of ten turns, left n times. Its
 * end is mispredicted each time by a predictor whose history is shorter.
 */
COUNT_LOOP(ten_turns, "", "mov $10, %%rax\n2:\ndec %%rax\njnz 2b\n", "")

/*
 * A chain of additions, each waiting for the one before: SLED of them in a
 * row, entered where the odd ones are left, then round after round. So there
 * is one branch for a thousand instructions. An addition has three bytes.
 *
 * System calls before and after it wait for all that came before, as nothing
 * else surely does; and the chain waits for the address that it is entered at.
 * So nothing of it overlaps with anything.
 */
#define SLED 1000

static void sled(struct kernel_run *run)
{
	uint64_t rounds = run->point.times / SLED;
	uint64_t back = run->point.times % SLED * 3;

	__asm__ volatile("mov %[call], %%eax\n"
			 "syscall\n"
			 "mov $1, %%rbx\n"
			 "lea 2f(%%rip), %%rdx\n"
			 "sub %[back], %%rdx\n"
			 "mov %%rdx, %%rax\n"
			 "jmp *%%rdx\n"
			 ".p2align 6\n"
			 "1:\n"
			 ".rept 1000\n"
			 "add %%rbx, %%rax\n"
			 ".endr\n"
			 "2:\n"
			 "sub $1, %[rounds]\n"
			 "jns 1b\n"
			 "mov %[call], %%eax\n"
			 "syscall\n"
			 : [rounds] "+r"(rounds)
			 : [back] "r"(back), [call] "i"(SYS_getppid)
			 : "rax", "rbx", "rcx", "rdx", "r11", "cc");
}

#define ROW(id, words, function, ins, ...)                                     \
	{                                                                      \
		.name = id, .text = words, .code = #function, .zero = true,    \
		.role = ROLE_VALIDATE, .memory = loop_memory,                  \
		.prepare = loop_prepare, .run = function,                      \
		.times = { 1000, 3000 },                                       \
		.expect = EXPECT({ CONCEPT_INS, ins, 0 }, __VA_ARGS__),        \
	}

/* clang-format off */
static const struct kernel rows[] = {
	ROW("count/fp", "one addition in double precision", one_fp, 3,
	    { CONCEPT_FP_D1_ADD, 1, 0 }),
	ROW("count/sqrt", "one square root", one_sqrt, 3,
	    { CONCEPT_FP_D1_SQRT, 1, 0 }),
	ROW("count/load", "one load", one_load, 3, { CONCEPT_LOAD_8, 1, 0 },
	    { CONCEPT_LOAD_INS, 1, 0 }, { CONCEPT_LOAD_STORE_INS, 1, 0 }),
	ROW("count/store", "one store", one_store, 3, { CONCEPT_STORE_8, 1, 0 },
	    { CONCEPT_STORE_INS, 1, 0 }, { CONCEPT_LOAD_STORE_INS, 1, 0 }),
	ROW("count/jump", "one jump", one_jump, 3, { CONCEPT_BR_DIRECT, 1, 0 },
	    { CONCEPT_BR_COND, 1, 0 }, { CONCEPT_BR_COND_EXEC, 1, 0 },
	    { CONCEPT_BR_TAKEN, 1, 0 }, { CONCEPT_BR_TAKEN_EXEC, 1, 0 }),
	ROW("count/call", "one call and return", one_call, 4,
	    { CONCEPT_BR_CALL, 1, 0 }, { CONCEPT_BR_RET, 1, 0 },
	    { CONCEPT_BR_COND, 1, 0 }, { CONCEPT_BR_COND_EXEC, 1, 0 },
	    { CONCEPT_BR_TAKEN, 1, 0 }, { CONCEPT_BR_TAKEN_EXEC, 1, 0 }),
	{
		.name = "count/mispredict",
		.text = "a branch that is mispredicted half of the time",
		.large = LARGE_CODE, /* more targets than may be kept */
		.role = ROLE_VALIDATE,
		.zero = true,
		.rehearse = 10,
		.prepare = seed,
		.run = half_mispredicted,
		.times = { 1000, 3000 },
		.expect = EXPECT({ CONCEPT_INS, 2.752, 0.5 },
			{ CONCEPT_BR_COND, 1.001, 0 },
			{ CONCEPT_BR_TAKEN, 0.501, 0.5 },
			{ CONCEPT_BR_MISP, 0.5, 0.5 },
			{ CONCEPT_BR_COND_EXEC, NAN, 0 },
			{ CONCEPT_BR_TAKEN_EXEC, NAN, 0 },
			{ CONCEPT_BR_MISP_TAKEN, NAN, 0 }),
	},
	{
		.name = "count/loop10",
		.text = "an inner loop of ten iterations (Figure 3)",
		.role = ROLE_VALIDATE,
		.zero = true,
		.rehearse = 10,
		.run = ten_turns,
		.times = { 1000, 3000 },
		.expect = EXPECT({ CONCEPT_INS, 23, 0 },
			{ CONCEPT_BR_COND, 11, 0 },
			{ CONCEPT_BR_TAKEN, 10, 0 },
			{ CONCEPT_BR_MISP, NAN, 0 },
			{ CONCEPT_BR_MISP_TAKEN, NAN, 0 },
			{ CONCEPT_BR_COND_EXEC, NAN, 0 },
			{ CONCEPT_BR_TAKEN_EXEC, NAN, 0 }),
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
		.expect = EXPECT({ CONCEPT_INS, 1 + 2.0 / SLED, 0 },
			    { CONCEPT_CYCLES, 1, 0 }),
	},
};
/* clang-format on */

KERNEL_TABLE(kernels_x86_count, rows);
