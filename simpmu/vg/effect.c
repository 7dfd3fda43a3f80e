/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What an instruction adds to the architectural signals. */
#include "simpmu/vg/effect.h"

static const int branch_signal[] = {
	[BRANCH_COND] = SIG_BR_COND,
	[BRANCH_JUMP] = SIG_BR_JUMP,
	[BRANCH_CALL] = SIG_BR_CALL,
	[BRANCH_RETURN] = SIG_BR_RET,
	[BRANCH_IND_JUMP] = SIG_BR_IND_JUMP,
	[BRANCH_IND_CALL] = SIG_BR_IND_CALL,
};

void effect_of_instruction(const struct x86 *insn, unsigned bytes,
			   int32_t amount[SIG_ARCH_COUNT])
{
	amount[SIG_INS]++;
	amount[SIG_INS_BYTES] += (int32_t)bytes;
	if (insn->branch)
		amount[branch_signal[insn->branch]]++;
	if (insn->flags & X86_REP)
		amount[SIG_REP_INS]++;
}

void effect_of_iteration(const struct x86 *insn, int32_t amount[SIG_ARCH_COUNT])
{
	(void)insn;
	amount[SIG_REP_ITER]++;
}
