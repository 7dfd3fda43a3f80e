/* SPDX-License-Identifier: BSD-3-Clause */
/* The decoder's state within one instruction. Private to the decoder. */
#pragma once

#include "simpmu/x86/decode.h"

struct reader {
	const uint8_t *code;
	size_t capacity, at;
	bool short_of_bytes;

	/* prefixes */
	bool size_prefix, address_prefix, lock, segment, gs, rex, vex, evex;
	uint8_t repeat; /* f2, f3 or 0 */
	unsigned rex_w, rex_r, rex_x, rex_b;
	uint8_t vector; /* bytes of a vector: 16, 32 or 64 */
	bool broadcast;
	uint8_t vvvv;

	uint8_t map; /* 0: one byte, 1: 0F, 2: 0F 38, 3: 0F 3A, 5, 6 */
	uint8_t on;  /* the mandatory prefix, as an ON_ bit */
	uint8_t opcode;
	bool wide; /* operand size is 8 by default */

	/* ModRM */
	uint8_t modrm, mod, reg, rm;
	uint8_t modrm_at;
	uint8_t base, index, scale;
	int32_t disp;
	bool rip;
};

/* The next byte, and the next @bytes with their sign; 0 behind the end. */
uint8_t reader_byte(struct reader *r);
int64_t reader_signed(struct reader *r, unsigned bytes);

/* Everything up to and including the opcode; false if there is none. */
bool reader_take_opcode(struct reader *r);

/* ModRM and what belongs to it; @vector_index: of a gather. */
void reader_take_modrm(struct reader *r, bool vector_index);

/* Operands as @text, in the notation of optable.h, has them. */
void notation_read(struct reader *r, struct x86 *out, const char *text);

/* Note a register or a memory operand; @access is '=', '+' or else read. */
void reader_add_register(struct x86 *out, unsigned reg, char access);
void reader_add_memory(struct x86 *out, unsigned size, char access);

/* Which condition flags @out reads and writes; all its bytes are taken. */
void flags_decode(const struct reader *r, struct x86 *out);

/* The escape opcodes D8 to DF, with ModRM taken. */
void x87_decode(const struct reader *r, struct x86 *out);
