/* SPDX-License-Identifier: BSD-3-Clause */
/* What an instruction adds to the architectural signals. */
#ifndef SIMPMU_X86_EFFECT_H
#define SIMPMU_X86_EFFECT_H

#include "simpmu/model/signal.h"
#include "simpmu/x86/decode.h"

/*
 * Add to @amount what retiring @insn means, but not whether its branch is
 * taken, nor the iterations of a rep string.
 */
void effect_of_instruction(const struct x86 *insn, unsigned bytes,
			   int32_t amount[SIG_ARCH_COUNT]);

/* Add what one iteration of the rep string @insn means. */
void effect_of_iteration(const struct x86 *insn,
			 int32_t amount[SIG_ARCH_COUNT]);

#endif /* SIMPMU_X86_EFFECT_H */
