/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The opcode maps, as rows. A row says for which encodings it holds, what
 * kind of instruction that is and what its operands are, in a notation close
 * to that of the processor manuals' opcode maps:
 *
 *	addressing, type, and "=" if written, "+" if read and written
 *
 * Addressing:
 *	E  general register or memory by ModRM.rm   G  general register by reg
 *	W  vector register or memory by ModRM.rm    V  vector register by reg
 *	H  vector register by VEX.vvvv; in the legacy encoding the same as V
 *	B  general register by VEX.vvvv             L  vector register by imm8
 *	U  vector register by rm, never memory      M  memory, never a register
 *	m  memory or register by rm, not accessed
 *	Z  general register by opcode               I  immediate
 *	A, C, D  rax, rcx, rdx                      J  branch displacement
 *	S  the stack: push or pop                   O  absolute memory address
 *	X, Y  string source and destination         T  table look-up of xlat
 *
 * Type, in bytes:
 *	b 1, w 2, d 4, q 8, o 16, t 10, 5 512
 *	v  operand size: 2, 4 or 8       y  4, or 8 with REX.W
 *	z  immediate: 2 or 4             x  whole vector: 16 or 32
 *	f  x, or scalar by prefix        i  x, or 8 for MMX
 *	h, c, e  half, quarter, eighth of x     s  scalar FMA: 4 or 8
 *	p  8, or 32 for a 256-bit vector        n  16, or 8 for MMX
 *	k  mask: 1, 2, 4 or 8
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Which encodings. */
enum {
	ON_NONE = 1 << 0, /* no mandatory prefix */
	ON_66 = 1 << 1,
	ON_F3 = 1 << 2,
	ON_F2 = 1 << 3,
	ON_ANY = 15,
	ON_MEM = 1 << 4,    /* only with a memory operand */
	ON_REG = 1 << 5,    /* only with a register */
	ON_VEX = 1 << 6,    /* only with a VEX prefix */
	ON_LEGACY = 1 << 7, /* only without */
};

/* What else. */
enum {
	ROW_WIDE = 1 << 0,  /* operand size is 8 without REX.W */
	ROW_USES = 1 << 1,  /* reads the condition flags */
	ROW_SETS = 1 << 2,  /* writes the condition flags */
	ROW_LOCK = 1 << 3,  /* locked if it has a memory operand */
	ROW_NT = 1 << 4,    /* the store is non-temporal */
	ROW_FLUSH = 1 << 5, /* clflush */
	ROW_BARE = 1 << 6,  /* no ModRM byte */
	ROW_STOP = 1 << 7,  /* nothing is fetched past it */
	ROW_GATHER = 1 << 8,
	ROW_COND = 1 << 9, /* branches; kind is X86_BRANCH */
	ROW_JUMP = 1 << 10,
	ROW_CALL = 1 << 11,
	ROW_RETURN = 1 << 12,
};

/* How to tell the floating-point type. */
enum row_fp {
	RF_NONE,
	RF_PREFIX, /* none, 66, F3, F2: ps, pd, ss, sd */
	RF_PS,
	RF_PD,
	RF_SS,
	RF_SD,
	RF_W_PACKED, /* double with VEX.W */
	RF_W_SCALAR,
	RF_X87,
};

#define ANY_REG (-1)

struct row {
	uint8_t opcode;
	uint8_t last; /* opcodes up to this one */
	uint8_t on;
	int8_t reg; /* ModRM.reg, or ANY_REG */
	uint8_t kind;
	uint8_t fp;
	uint16_t flags;
	const char *operands;
};

/* The maps: one byte, 0F, 0F 38, 0F 3A; and x87 with a memory operand. */
extern const struct row *const optable_maps[4];
extern const size_t optable_sizes[4];
