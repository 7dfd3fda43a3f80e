/* SPDX-License-Identifier: BSD-3-Clause */
/* Integer instructions by kind, in x86 assembly: ten of a kind, and a loop. */

#include <math.h>

#include "kernels/loop.h"

#define PAGE 4096

size_t loop_memory(const struct kernel_point *point)
{
	(void)point;
	return 2 * PAGE;
}

/* Ones as floating-point numbers, so that nothing is denormal. */
void loop_prepare(struct kernel_run *run)
{
	double *d = run->memory;

	for (size_t i = 0; i < 2 * PAGE / sizeof(*d); i++)
		d[i] = 1.0;
}

/* A chain: each waits for the one before. */
LOOP(add_chain, "mov $1, %%rbx\nmov $0, %%rax\n", R10("add %%rbx, %%rax\n"), "")
LOOP(nops, "", R10("nop\n"), "")
LOOP(long_nops, "", R10("nopw 512(%%rax, %%rax)\n"), "")
LOOP(mul, "mov $3, %%rbx\nmov $1, %%rax\n", R10("imul %%rbx, %%rax\n"), "")
/* By one: the quotient is the dividend and nothing is left over. */
LOOP(divide, "mov $1, %%rcx\nmov $9, %%rax\nmov $0, %%rdx\n", R4("div %%rcx\n"),
     "")
LOOP(logic, "mov $5, %%rbx\nmov $1, %%rax\n", R10("xor %%rbx, %%rax\n"), "")
LOOP(shift, "mov $5, %%rax\n", R10("shl $1, %%rax\n"), "")
LOOP(lea, "mov $5, %%rax\n", R10("lea 1(%%rax), %%rax\n"), "")
LOOP(bits, "mov $5, %%rbx\n", R10("bsr %%rbx, %%rax\n"), "")
LOOP(move, "mov $5, %%rbx\n", R10("mov %%rbx, %%rax\n"), "")
LOOP(cmov, "mov $5, %%rbx\nmov $6, %%rax\n", R10("cmovz %%rbx, %%rax\n"), "")
LOOP(stack, "mov $5, %%rax\n", R5("push %%rax\npop %%rax\n"), "")
/* 64 bytes a time, in one instruction. */
LOOP(rep_store, "mov $0, %%eax\n",
     "mov %[m], %%rdi\nmov $64, %%ecx\nrep stosb\n", "")

#define ROW(id, words, function, concept, ins, number, bytes, bound_by)        \
	{                                                                      \
		.name = id, .text = words, .code = #function, .run = function, \
		.none = LOOP_NONE, .bound = BOUND_##bound_by,                  \
		.expect = EXPECT({ CONCEPT_INS, ins, 0 },                      \
				 { CONCEPT_INS_BYTES, bytes, 0 }, LOOP_BRANCH, \
				 { CONCEPT_INT_ADD, 1, 0 },                    \
				 { CONCEPT_##concept, number, 0 }),            \
	}

/* Each needs what the one before has made, one cycle later. */
#define CHAIN(id, words, function, concept)                                    \
	{                                                                      \
		.name = id, .text = words, .code = #function, .run = function, \
		.none = LOOP_NONE, .bound = BOUND_ALU,                         \
		.expect = EXPECT({ CONCEPT_INS, 12, 0 }, LOOP_BRANCH,          \
				 { CONCEPT_INS_BYTES, 35, 0 },                 \
				 { CONCEPT_INT_ADD, 1, 0 },                    \
				 { CONCEPT_##concept, 10, 0 },                 \
				 { CONCEPT_CYCLES, 10, 0 }),                   \
	}

/* clang-format off */
static const struct kernel rows[] = {
	ROW("nop", "ten NOP instructions", nops, NOP, 12, 10, 15,
	    ISSUE),
	ROW("nop/long", "ten NOP instructions of nine bytes", long_nops, NOP,
	    12, 10, 95, ISSUE),
	{
		.name = "int/add",
		.text = "a chain of ten additions",
		.code = "add_chain",
		.run = add_chain,
		.none = LOOP_NONE,
		.bound = BOUND_ALU,
		.expect = EXPECT({ CONCEPT_INS, 12, 0 },
			{ CONCEPT_INS_BYTES, 35, 0 },
			LOOP_BRANCH,
			{ CONCEPT_INT_ADD, 11, 0 },
			{ CONCEPT_CYCLES, 10, 0 }),
	},
	ROW("int/mul", "a chain of ten multiplications", mul, INT_MUL, 12, 10,
	    45, INT),
	ROW("int/div", "four dependent divisions", divide, INT_DIV, 6, 4,
	    17, INT),
	CHAIN("int/logic", "ten dependent XORs", logic, INT_LOGIC),
	CHAIN("int/shift", "a chain of ten shifts", shift, INT_SHIFT),
	ROW("int/lea", "ten address computations", lea, INT_LEA, 12, 10, 45,
	    UNKNOWN),
	ROW("int/bit", "ten bit scans", bits, INT_BIT, 12, 10, 45, UNKNOWN),
	ROW("int/move", "ten moves", move, INT_MOVE, 12, 10, 35, UNKNOWN),
	ROW("int/cmov", "ten conditional moves", cmov, INT_CMOV, 12, 10, 45,
	    ALU),
	{
		.name = "int/stack",
		.text = "five pushes and pops",
		.code = "stack",
		.run = stack,
		.none = LOOP_NONE & ~(1u << FAMILY_ACCESS),
		.expect = EXPECT({ CONCEPT_INS, 12, 0 },
			LOOP_BRANCH,
			{ CONCEPT_INT_ADD, 1, 0 },
			{ CONCEPT_STACK, 10, 0 },
			{ CONCEPT_L1D_LOAD_HIT, 5, 0 },
			{ CONCEPT_L1D_STORE_HIT, 5, 0 },
			{ CONCEPT_DTLB_LOAD_HIT, 5, 0 },
			{ CONCEPT_DTLB_STORE_HIT, 5, 0 }),
	},
	{
		.name = "int/rep",
		.text = "one string instruction that stores 64 bytes",
		.memory = loop_memory,
		.prepare = loop_prepare,
		.run = rep_store,
		.none = 1u << FAMILY_FP | 1u << FAMILY_SYSTEM,
		.expect = EXPECT({ CONCEPT_INS, 5, 0 },
			LOOP_BRANCH,
			{ CONCEPT_INT_ADD, 1, 0 },
			{ CONCEPT_INT_MOVE, 2, 0 },
			{ CONCEPT_REP, 1, 0 },
			{ CONCEPT_REP_TURN, 64, 0 },
			{ CONCEPT_OTHER, 1, 0 }, /* some count it there, too */
			{ CONCEPT_STORE_INS, 1, 0 },
			{ CONCEPT_LOAD_STORE_INS, 1, 0 },
			/* operands of bytes, which a machine may join */
			{ CONCEPT_STORE_1, NAN, 0 },
			{ CONCEPT_STORE_8, NAN, 0 },
			{ CONCEPT_STORE_16, NAN, 0 },
			{ CONCEPT_STORE_32, NAN, 0 }),
	},
};
/* clang-format on */

KERNEL_TABLE(kernels_x86_int, rows);
