/* SPDX-License-Identifier: BSD-3-Clause */
/* The memory operands of an instruction: where each one is, by registers. */
#pragma once

#include <stdint.h>

#include "simpmu/x86/decode.h"

#define OPERAND_NONE 0xff
#define OPERAND_MOST 2

struct operand {
	uint8_t base, index; /* registers, or OPERAND_NONE */
	uint8_t shift;
	uint8_t access; /* enum log_access */
	uint8_t flags;  /* enum item_flag, those about the address */
	uint16_t size;
	int64_t offset;
};

/* Up to OPERAND_MOST of them, in the order of their accesses; how many. Not
 * for rep strings and gathers. */
unsigned operand_find(uint64_t pc, const struct x86 *insn,
		      struct operand out[OPERAND_MOST]);

/* Whether operand_find() can tell the operands of @insn. */
bool operand_has_room(uint64_t pc, const struct x86 *insn);

/* The explicit operand's address. */
void operand_address(uint64_t pc, const struct x86 *insn, struct operand *out);

/* Registers r8 to r15 that the encoding names, one bit each. */
unsigned operand_high_registers(uint64_t pc, const struct x86 *insn);
