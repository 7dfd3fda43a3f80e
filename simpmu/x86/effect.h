/* SPDX-License-Identifier: BSD-3-Clause */
/* What an instruction adds to the architectural signals. */
#pragma once

#include "simpmu/model/tally.h"
#include "simpmu/x86/decode.h"

/*
 * Add to @amount what retiring @insn means, but not whether its branch is
 * taken, nor the iterations of a rep string.
 */
void effect_of_instruction(const struct x86 *insn, unsigned bytes,
			   int32_t amount[TALLY_ARCH_COUNT]);

/* Add what one iteration of the rep string @insn means. */
void effect_of_iteration(const struct x86 *insn,
			 int32_t amount[TALLY_ARCH_COUNT]);

/*
 * Lines of @line_bytes that are fetched behind the first byte of an instruction
 * in [@pc, @next): each that it goes on into, and the one with what follows, if
 * that is another, or if the instruction @leaves: a branch that is taken, or a
 * system call. Fetches so depend on the program and on nothing else.
 */
static inline uint32_t effect_lines(uint64_t pc, uint64_t next,
				    uint64_t line_bytes, bool leaves)
{
	if (leaves)
		return (uint32_t)((next - 1) / line_bytes - pc / line_bytes) +
		       1;
	return (uint32_t)(next / line_bytes - pc / line_bytes);
}
