/* SPDX-License-Identifier: BSD-3-Clause */
/* Jumps, calls and returns in x86 assembly, and code made as it is needed. */

#include <math.h>

#include "kernels/loop.h"
#include "kernels/shuffle.h"

LOOP(direct, "", R10("jmp 2f\n2:\n"), "")
LOOP(call, "", R5("call 3f\n"), "jmp 9f\n3:\nret\n9:\n")
/*
 * Calls that nobody returns from: over a byte, since a call of what comes next
 * is no call to some predictors.
 */
LOOP(drop, "", R5("call 2f\nint3\n2:\nlea 8(%%rsp), %%rsp\n"), "")
LOOP(indirect, "", R5("lea 2f(%%rip), %%rax\njmp *%%rax\n2:\n"), "")
LOOP(indirect_call, "lea 3f(%%rip), %%rax\n", R5("call *%%rax\n"),
     "jmp 9f\n3:\nret\n9:\n")

/* Calls nested rcx deep. */
#define DEEP                                                                   \
	"jmp 9f\n"                                                             \
	"3:\ndec %%rcx\njz 4f\ncall 3b\n4:\nret\n9:\n"

static void deep(struct kernel_run *run)
{
	uint64_t n = run->point.times;
	uint64_t depth = run->point.k;

	__asm__ volatile("1:\nmov %[k], %%rcx\ncall 3f\n"
			 "dec %[n]\njnz 1b\n" DEEP
			 : [n] "+r"(n)
			 : [k] "r"(depth)
			 : "rcx", "cc", "memory");
}

/*
 * Eight targets of 16 bytes each; which of them is next stands in memory, a
 * byte each, written at random.
 */
#define TARGET ".p2align 4\njmp 5f\n"

static void random_target(struct kernel_run *run)
{
	uint64_t n = run->point.times;
	const char *next = run->memory;

	__asm__ volatile("lea 4f(%%rip), %%rbx\n"
			 "1:\n"
			 "movzbl (%[next]), %%eax\n"
			 "inc %[next]\n"
			 "shl $4, %%eax\n"
			 "add %%rbx, %%rax\n"
			 "jmp *%%rax\n"
			 ".p2align 4\n4:\n" R8(TARGET) ".p2align 4\n5:\n"
						       "dec %[n]\njnz 1b\n"
			 : [n] "+r"(n), [next] "+r"(next)
			 :
			 : "rax", "rbx", "cc", "memory");
}

static size_t memory_of_targets(const struct kernel_point *point)
{
	return point->times;
}

static void choose_targets(struct kernel_run *run)
{
	unsigned char *next = run->memory;
	uint64_t state = SHUFFLE_SEED;

	for (uint64_t i = 0; i < run->point.times; i++)
		next[i] =
			(unsigned char)(shuffle_random(&state) % run->point.k);
}

static void predict_targets(const struct kernel_point *point,
			    const struct kernel_machine *machine,
			    struct kernel_term *terms)
{
	double p = 1.0 / point->k;

	(void)machine;
	terms[0] = (struct kernel_term){ CONCEPT_BR_COND, 1, 0 };
	terms[1] = (struct kernel_term){ CONCEPT_BR_COND_EXEC, NAN, 0 };
	terms[2] = (struct kernel_term){ CONCEPT_BR_TAKEN, 1, 0 };
	terms[3] = (struct kernel_term){ CONCEPT_BR_TAKEN_EXEC, NAN, 0 };
	terms[4] = (struct kernel_term){ CONCEPT_BR_DIRECT, 1, 0 };
	terms[5] = (struct kernel_term){ CONCEPT_BR_IND_JUMP, 1, 0 };
	terms[6] = (struct kernel_term){ CONCEPT_BR_MISP_IND, 1 - p,
					 sqrt(p * (1 - p)) };
}

static enum kernel_bound bound_of_targets(const struct kernel_point *point,
					  const struct kernel_machine *machine)
{
	(void)machine;
	return point->k >= 4 ? BOUND_MISP : BOUND_UNKNOWN;
}

/* Returns beyond what the return stack holds have no prediction. */
static void predict_deep(const struct kernel_point *point,
			 const struct kernel_machine *machine,
			 struct kernel_term *terms)
{
	double k = point->k;
	double lost = machine->ras == 0  ? NAN
		      : k > machine->ras ? k - machine->ras
					 : 0;

	terms[0] = (struct kernel_term){ CONCEPT_BR_CALL, k, 0 };
	terms[1] = (struct kernel_term){ CONCEPT_BR_RET, k, 0 };
	terms[2] = (struct kernel_term){ CONCEPT_BR_COND, k + 1, 0 };
	terms[3] = (struct kernel_term){ CONCEPT_BR_TAKEN, 2, 0 };
	terms[4] = (struct kernel_term){ CONCEPT_BR_MISP_RET, lost, 0 };
	terms[5] = (struct kernel_term){ CONCEPT_BR_MISP, NAN, 0 };
	terms[6] = (struct kernel_term){ CONCEPT_BR_MISP_TAKEN, NAN, 0 };
	terms[7] = (struct kernel_term){ CONCEPT_BR_COND_EXEC, NAN, 0 };
	terms[8] = (struct kernel_term){ CONCEPT_BR_TAKEN_EXEC, NAN, 0 };
}

static enum kernel_bound bound_of_deep(const struct kernel_point *point,
				       const struct kernel_machine *machine)
{
	return machine->ras && point->k >= 2 * machine->ras ? BOUND_MISP
							    : BOUND_UNKNOWN;
}

#define NONE (1u << FAMILY_FP | 1u << FAMILY_SYSTEM)

#define ROW(id, words, function, ins, concept, number, more, others)           \
	{                                                                      \
		.name = id, .text = words, .run = function, .none = NONE,      \
		.expect = EXPECT({ CONCEPT_INS, ins, 0 }, LOOP_BRANCH,         \
				 { CONCEPT_##concept, number, 0 },             \
				 { CONCEPT_##more, others, 0 },                \
				 { CONCEPT_INT_ADD, 1, 0 }),                   \
	}

/* clang-format off */
static const struct kernel rows[] = {
	{
		.name = "jump/direct",
		.text = "ten jumps",
		.code = "direct",
		.run = direct,
		.none = NONE,
		.bound = BOUND_JUMP,
		.expect = EXPECT({ CONCEPT_INS, 12, 0 },
			LOOP_BRANCH,
			{ CONCEPT_INS_BYTES, 25, 0 },
			{ CONCEPT_BR_DIRECT, 10, 0 },
			{ CONCEPT_INT_ADD, 1, 0 }),
	},
	ROW("jump/call", "five calls of a function that returns", call, 12,
	    BR_CALL, 5, BR_RET, 5),
	ROW("jump/drop", "five calls that do not return", drop, 12,
	    BR_CALL, 5, INT_LEA, 5),
	ROW("jump/indirect", "five indirect jumps, each to one target",
	    indirect, 12, BR_IND_JUMP, 5, INT_LEA, 5),
	ROW("jump/indirect-call", "five indirect calls", indirect_call, 12,
	    BR_IND_CALL, 5, BR_RET, 5),
	{
		.name = "jump/random",
		.text = "an indirect jump to one of k targets, at random",
		.uses = USES_K,
		.memory = memory_of_targets,
		.prepare = choose_targets,
		.run = random_target,
		.none = NONE,
		.expect = EXPECT({ CONCEPT_INS, 8, 0 }),
		.predict = predict_targets,
		.bound_at = bound_of_targets,
		.times = { 1000, 2000, 4000 },
		.k = { 1, 2, 4, 8 },
	},
	{
		.name = "jump/deep",
		.text = "calls nested k deep",
		.uses = USES_K,
		.run = deep,
		.none = NONE,
		.predict = predict_deep,
		.bound_at = bound_of_deep,
		.times = { 64, 128, 256 },
		.k = { 4, 40 },
	},
};
/* clang-format on */

KERNEL_TABLE(kernels_x86_jump, rows);
