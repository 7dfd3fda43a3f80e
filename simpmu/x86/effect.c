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
	[BRANCH_COND] = SIG_BR_COND,
	[BRANCH_JUMP] = SIG_BR_JUMP,
	[BRANCH_CALL] = SIG_BR_CALL,
	[BRANCH_RETURN] = SIG_BR_RET,
	[BRANCH_IND_JUMP] = SIG_BR_IND_JUMP,
	[BRANCH_IND_CALL] = SIG_BR_IND_CALL,
};

enum {
	IS_INT = 1, /* SIG_INT_INS */
	IS_FP = 2,  /* SIG_FP_INS and its breakdown */
	IS_VEC = 4, /* SIG_VEC_INS, packed by nature */
	IS_PREFETCH = 8,
};

#define NO_SIGNAL (-1)

/* The signal of each kind, and the sums it belongs to. */
static const struct {
	int16_t signal;
	uint8_t in;
} kind_signal[X86_KIND_COUNT] = {
	[X86_OTHER] = { SIG_OTHER_INS, 0 },
	[X86_ADD] = { SIG_INT_ADD, IS_INT },
	[X86_LOGIC] = { SIG_INT_LOGIC, IS_INT },
	[X86_SHIFT] = { SIG_INT_SHIFT, IS_INT },
	[X86_MUL] = { SIG_INT_MUL, IS_INT },
	[X86_DIV] = { SIG_INT_DIV, IS_INT },
	[X86_LEA] = { SIG_INT_LEA, IS_INT },
	[X86_BIT] = { SIG_INT_BIT, IS_INT },
	[X86_MOVE] = { SIG_INT_MOVE, 0 },
	[X86_CMOV] = { SIG_INT_CMOV, 0 },
	[X86_NOP] = { SIG_NOP_INS, 0 },
	[X86_STACK] = { SIG_STACK_INS, 0 },
	[X86_STRING] = { SIG_OTHER_INS, 0 },
	[X86_BRANCH] = { NO_SIGNAL, 0 },
	[X86_SYSCALL] = { SIG_SYSCALL, 0 },
	[X86_FENCE] = { SIG_FENCE_INS, 0 },
	[X86_PREFETCH_T0] = { SIG_PREFETCH_T0, IS_PREFETCH },
	[X86_PREFETCH_T1] = { SIG_PREFETCH_T1, IS_PREFETCH },
	[X86_PREFETCH_NTA] = { SIG_PREFETCH_NTA, IS_PREFETCH },
	[X86_PREFETCH_W] = { SIG_PREFETCH_W, IS_PREFETCH },
	[X86_SERIAL] = { SIG_OTHER_INS, 0 },
	[X86_FADD] = { SIG_FP_ADD, IS_FP },
	[X86_FMUL] = { SIG_FP_MUL, IS_FP },
	[X86_FMA] = { SIG_FP_FMA, IS_FP },
	[X86_FDIV] = { SIG_FP_DIV, IS_FP },
	[X86_FSQRT] = { SIG_FP_SQRT, IS_FP },
	[X86_FMINMAX] = { SIG_FP_CMP, IS_FP },
	[X86_FCMP] = { SIG_FP_CMP, 0 },
	[X86_FCVT] = { SIG_FP_CVT, 0 },
	[X86_FRCP] = { NO_SIGNAL, IS_FP },
	[X86_FDOT] = { NO_SIGNAL, IS_FP },
	[X86_FMISC] = { NO_SIGNAL, IS_FP },
	[X86_FMOVE] = { SIG_FP_MOVE, 0 },
	[X86_VMOVE] = { SIG_FP_MOVE, IS_VEC },
	[X86_VSHUFFLE] = { NO_SIGNAL, IS_VEC },
	[X86_VINT] = { SIG_VEC_INT, IS_VEC },
	[X86_VMUL] = { SIG_VEC_INT, IS_VEC },
};

/* The instruction count of each precision and width. */
static int width_signal(const struct x86 *insn)
{
	bool wide;

	if (insn->fp == FP_X87)
		return SIG_FP_X87;
	if (insn->lanes == 1)
		return insn->fp == FP_DOUBLE ? SIG_FP_D_S : SIG_FP_S_S;
	if (insn->fp == FP_DOUBLE) {
		wide = insn->lanes > 2;
		return wide ? SIG_FP_D_256 : SIG_FP_D_128;
	}
	wide = insn->lanes > 4;
	return wide ? SIG_FP_S_256 : SIG_FP_S_128;
}

static void add_fp(const struct x86 *insn, int32_t *amount)
{
	bool twice = insn->kind == X86_FMA || insn->kind == X86_FDOT;
	int operations = insn->lanes * (twice ? 2 : 1);

	amount[SIG_FP_INS]++;
	amount[SIG_FP_OPS] += operations;
	amount[width_signal(insn)]++;
	if (insn->fp == FP_SINGLE)
		amount[SIG_SP_OPS] += operations;
	if (insn->fp == FP_DOUBLE)
		amount[SIG_DP_OPS] += operations;
}

static void add_kind(const struct x86 *insn, int32_t *amount)
{
	unsigned in = kind_signal[insn->kind].in;

	if (kind_signal[insn->kind].signal != NO_SIGNAL)
		amount[kind_signal[insn->kind].signal]++;
	if (in & IS_INT)
		amount[SIG_INT_INS]++;
	if (in & IS_PREFETCH)
		amount[SIG_PREFETCH_INS]++;
	if (in & IS_FP)
		add_fp(insn, amount);
	if ((in & IS_VEC) || (insn->fp != FP_NONE && insn->lanes > 1))
		amount[SIG_VEC_INS]++;
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
	int load = size_signal(insn->load_size, SIG_LOAD_1);
	int store = size_signal(insn->store_size, SIG_STORE_1);

	amount[SIG_LOAD] += insn->loads;
	amount[SIG_STORE] += insn->stores;
	amount[SIG_LOAD_BYTES] += insn->loads * insn->load_size;
	amount[SIG_STORE_BYTES] += insn->stores * insn->store_size;
	if (insn->loads && load != NO_SIGNAL)
		amount[load] += insn->loads;
	if (insn->stores && store != NO_SIGNAL)
		amount[store] += insn->stores;
	if (insn->flags & X86_NT)
		amount[SIG_NT_STORE] += insn->stores;
}

void effect_of_instruction(const struct x86 *insn, unsigned bytes,
			   int32_t amount[SIG_ARCH_COUNT])
{
	amount[SIG_INS]++;
	amount[SIG_INS_BYTES] += (int32_t)bytes;
	if (insn->branch && insn->branch != BRANCH_STOP)
		amount[branch_signal[insn->branch]]++;
	add_kind(insn, amount);
	if (insn->flags & X86_LOCK)
		amount[SIG_LOCK_INS]++;
	amount[SIG_LOAD_INS] += insn->loads > 0;
	amount[SIG_STORE_INS] += insn->stores > 0;
	amount[SIG_LST_INS] += insn->loads || insn->stores;
	if (insn->flags & X86_REP)
		amount[SIG_REP_INS]++;
	else
		add_memory(insn, amount);
}

void effect_of_iteration(const struct x86 *insn, int32_t amount[SIG_ARCH_COUNT])
{
	amount[SIG_REP_ITER]++;
	add_memory(insn, amount);
}
