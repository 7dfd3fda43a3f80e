/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What an instruction adds to the architectural signals.
 *
 * Decisions: a fused multiply-add is one FP instruction and two operations a
 * lane; a dot product likewise. Comparisons, conversions and moves are no FP
 * arithmetic, minima and maxima are (as Intel's FP_ARITH events have it).
 * Address computations by lea are integer arithmetic; moves are not. A
 * gather is one load per element.
 */
#include "simpmu/x86/effect.h"

static const int branch_signal[] = {
	[BRANCH_COND] = TALLY_BR_COND,
	[BRANCH_JUMP] = TALLY_BR_JUMP,
	[BRANCH_CALL] = TALLY_BR_CALL,
	[BRANCH_RETURN] = TALLY_BR_RET,
	[BRANCH_IND_JUMP] = TALLY_BR_IND_JUMP,
	[BRANCH_IND_CALL] = TALLY_BR_IND_CALL,
};

enum {
	IS_INT = 1, /* TALLY_INT_INS */
	IS_FP = 2,  /* TALLY_FP_INS and its breakdown */
	IS_VEC = 4, /* TALLY_VEC_INS, packed by nature */
	IS_PREFETCH = 8,
};

#define NO_SIGNAL (-1)

/* The signal of each kind, and the sums it belongs to. */
static const struct {
	int16_t signal;
	uint8_t in;
} kind_signal[X86_KIND_COUNT] = {
	[X86_OTHER] = { TALLY_OTHER_INS, 0 },
	[X86_ADD] = { TALLY_INT_ADD, IS_INT },
	[X86_LOGIC] = { TALLY_INT_LOGIC, IS_INT },
	[X86_SHIFT] = { TALLY_INT_SHIFT, IS_INT },
	[X86_MUL] = { TALLY_INT_MUL, IS_INT },
	[X86_DIV] = { TALLY_INT_DIV, IS_INT },
	[X86_LEA] = { TALLY_INT_LEA, IS_INT },
	[X86_BIT] = { TALLY_INT_BIT, IS_INT },
	[X86_MOVE] = { TALLY_INT_MOVE, 0 },
	[X86_CMOV] = { TALLY_INT_CMOV, 0 },
	[X86_NOP] = { TALLY_NOP_INS, 0 },
	[X86_STACK] = { TALLY_STACK_INS, 0 },
	[X86_STRING] = { TALLY_OTHER_INS, 0 },
	[X86_BRANCH] = { NO_SIGNAL, 0 },
	[X86_SYSCALL] = { TALLY_SYSCALL, 0 },
	[X86_FENCE] = { TALLY_FENCE_INS, 0 },
	[X86_PREFETCH_T0] = { TALLY_PREFETCH_T0, IS_PREFETCH },
	[X86_PREFETCH_T1] = { TALLY_PREFETCH_T1, IS_PREFETCH },
	[X86_PREFETCH_NTA] = { TALLY_PREFETCH_NTA, IS_PREFETCH },
	[X86_PREFETCH_W] = { TALLY_PREFETCH_W, IS_PREFETCH },
	[X86_SERIAL] = { TALLY_OTHER_INS, 0 },
	[X86_FADD] = { TALLY_FP_ADD, IS_FP },
	[X86_FMUL] = { TALLY_FP_MUL, IS_FP },
	[X86_FMA] = { TALLY_FP_FMA, IS_FP },
	[X86_FDIV] = { TALLY_FP_DIV, IS_FP },
	[X86_FSQRT] = { TALLY_FP_SQRT, IS_FP },
	[X86_FMINMAX] = { TALLY_FP_CMP, IS_FP },
	[X86_FCMP] = { TALLY_FP_CMP, 0 },
	[X86_FCVT] = { TALLY_FP_CVT, 0 },
	[X86_FRCP] = { NO_SIGNAL, IS_FP },
	[X86_FDOT] = { NO_SIGNAL, IS_FP },
	[X86_FMISC] = { NO_SIGNAL, IS_FP },
	[X86_FMOVE] = { TALLY_FP_MOVE, 0 },
	[X86_VMOVE] = { TALLY_FP_MOVE, IS_VEC },
	[X86_VSHUFFLE] = { NO_SIGNAL, IS_VEC },
	[X86_VINT] = { TALLY_VEC_INT, IS_VEC },
	[X86_VMUL] = { TALLY_VEC_INT, IS_VEC },
};

/* The instruction count of each precision and width. */
static int width_signal(const struct x86 *insn)
{
	if (insn->fp == FP_X87)
		return TALLY_FP_X87;
	if (insn->fp == FP_DOUBLE)
		return insn->lanes == 1   ? TALLY_FP_D_S
		       : insn->lanes <= 2 ? TALLY_FP_D_128
		       : insn->lanes <= 4 ? TALLY_FP_D_256
					  : TALLY_FP_D_512;
	return insn->lanes == 1   ? TALLY_FP_S_S
	       : insn->lanes <= 4 ? TALLY_FP_S_128
	       : insn->lanes <= 8 ? TALLY_FP_S_256
				  : TALLY_FP_S_512;
}

static void add_fp(const struct x86 *insn, int32_t *amount)
{
	bool twice = insn->kind == X86_FMA || insn->kind == X86_FDOT;
	int operations = insn->lanes * (twice ? 2 : 1);

	amount[TALLY_FP_INS]++;
	amount[TALLY_FP_OPS] += operations;
	amount[width_signal(insn)]++;
	if (insn->fp == FP_SINGLE)
		amount[TALLY_SP_OPS] += operations;
	if (insn->fp == FP_DOUBLE)
		amount[TALLY_DP_OPS] += operations;
}

static void add_kind(const struct x86 *insn, int32_t *amount)
{
	unsigned in = kind_signal[insn->kind].in;

	if (kind_signal[insn->kind].signal != NO_SIGNAL)
		amount[kind_signal[insn->kind].signal]++;
	if (in & IS_INT)
		amount[TALLY_INT_INS]++;
	if (in & IS_PREFETCH)
		amount[TALLY_PREFETCH_INS]++;
	if (in & IS_FP)
		add_fp(insn, amount);
	if ((in & IS_VEC) || (insn->fp != FP_NONE && insn->lanes > 1))
		amount[TALLY_VEC_INS]++;
}

static int size_signal(unsigned size, int first)
{
	for (int i = 0; i < 6; i++)
		if (size == 1u << i)
			return first + i;
	return NO_SIGNAL;
}

/* Memory operands; of a rep string, those of one iteration. */
static void add_memory(const struct x86 *insn, int32_t *amount)
{
	int load = size_signal(insn->load_size, TALLY_LOAD_1);
	int store = size_signal(insn->store_size, TALLY_STORE_1);

	amount[TALLY_LOAD] += insn->loads;
	amount[TALLY_STORE] += insn->stores;
	amount[TALLY_LOAD_BYTES] += insn->loads * insn->load_size;
	amount[TALLY_STORE_BYTES] += insn->stores * insn->store_size;
	if (insn->loads && load != NO_SIGNAL)
		amount[load] += insn->loads;
	if (insn->stores && store != NO_SIGNAL)
		amount[store] += insn->stores;
	if (insn->flags & X86_NT)
		amount[TALLY_NT_STORE] += insn->stores;
}

void effect_of_instruction(const struct x86 *insn, unsigned bytes,
			   int32_t amount[TALLY_ARCH_COUNT])
{
	amount[TALLY_INS]++;
	amount[TALLY_INS_BYTES] += (int32_t)bytes;
	if (insn->branch && insn->branch != BRANCH_STOP)
		amount[branch_signal[insn->branch]]++;
	add_kind(insn, amount);
	if (insn->flags & X86_LOCK)
		amount[TALLY_LOCK_INS]++;
	amount[TALLY_LOAD_INS] += insn->loads > 0;
	amount[TALLY_STORE_INS] += insn->stores > 0;
	amount[TALLY_LST_INS] += insn->loads || insn->stores;
	if (insn->flags & X86_REP)
		amount[TALLY_REP_INS]++;
	else
		add_memory(insn, amount);
}

void effect_of_iteration(const struct x86 *insn,
			 int32_t amount[TALLY_ARCH_COUNT])
{
	amount[TALLY_REP_ITER]++;
	add_memory(insn, amount);
}
