/* SPDX-License-Identifier: BSD-3-Clause */
/* Which registers the record has already, while a path is translated. */
#pragma once

#include <stdint.h>

#include "simpmu/x86/decode.h"

/* A register is word[] of the record plus beyond[]; word 0: not logged. */
struct values {
	uint16_t word[16];
	int64_t beyond[16];
};

void values_forget_all(struct values *values);
void values_note(struct values *values, unsigned reg, uint16_t word);

/* What the instruction at @pc does to registers. */
void values_change(struct values *values, uint64_t pc, const struct x86 *insn);
