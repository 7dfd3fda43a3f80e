/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a guest instruction is, from its bytes alone: length, kind, memory
 * operands, registers, condition flags. All of x86-64 that user programs
 * execute, AVX-512 included; of an EVEX or VEX instruction that the opcode maps
 * do not name, length and operands follow from the encoding. Freestanding, so
 * that it can be tested natively.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "simpmu/model/segment.h"

#define X86_MAX_LENGTH 15

/*
 * Kinds of instructions: name, class of the cycle model. An instruction has
 * exactly one.
 */
/* clang-format off */
#define X86_KINDS(X)                                                           \
	X(OTHER,    INSN_OTHER)  /* of no kind below */                        \
	X(ADD,      INSN_ALU)    /* add, sub, inc, dec, neg, cmp */            \
	X(LOGIC,    INSN_ALU)    /* and, or, xor, not, test, bit tests */      \
	X(SHIFT,    INSN_SHIFT)                                                \
	X(MUL,      INSN_MUL)                                                  \
	X(DIV,      INSN_DIV)                                                  \
	X(LEA,      INSN_LEA)                                                  \
	X(BIT,      INSN_BIT)    /* counts and scans */                        \
	X(MOVE,     INSN_MOVE)                                                 \
	X(CMOV,     INSN_ALU)    /* conditional moves and sets */              \
	X(NOP,      INSN_NOP)                                                  \
	X(STACK,    INSN_MOVE)   /* push, pop */                               \
	X(STRING,   INSN_MOVE)   /* movs, stos, lods, cmps, scas */            \
	X(BRANCH,   INSN_BRANCH)                                               \
	X(SYSCALL,  INSN_SERIAL)                                               \
	X(FENCE,    INSN_SERIAL)                                               \
	X(PREFETCH_T0,  INSN_NOP)                                              \
	X(PREFETCH_T1,  INSN_NOP) /* and t2 */                                 \
	X(PREFETCH_NTA, INSN_NOP)                                              \
	X(PREFETCH_W,   INSN_NOP) /* for writing */                            \
	X(SERIAL,   INSN_SERIAL) /* cpuid and its like */                      \
	X(FADD,     INSN_FADD)   /* add, subtract, both */                     \
	X(FMUL,     INSN_FMUL)                                                 \
	X(FMA,      INSN_FMA)                                                  \
	X(FDIV,     INSN_FDIV_S)                                               \
	X(FSQRT,    INSN_FSQRT_S)                                              \
	X(FMINMAX,  INSN_FADD)                                                 \
	X(FCMP,     INSN_FADD)                                                 \
	X(FCVT,     INSN_FCVT)   /* conversions, rounding to integer */        \
	X(FRCP,     INSN_FMUL)   /* approximate reciprocals */                 \
	X(FDOT,     INSN_FMA)    /* dot products */                            \
	X(FMISC,    INSN_X87)    /* other x87 arithmetic: sin, atan, ... */    \
	X(FMOVE,    INSN_MOVE)   /* scalar moves of FP and vector registers */ \
	X(VMOVE,    INSN_MOVE)   /* packed moves */                            \
	X(VSHUFFLE, INSN_VEC)    /* FP shuffles, blends, logic */              \
	X(VINT,     INSN_VEC)    /* packed integer */                          \
	X(VMUL,     INSN_FMUL)   /* packed integer multiplication */
/* clang-format on */

enum x86_kind {
#define X(name, class) X86_##name,
	X86_KINDS(X)
#undef X
	X86_KIND_COUNT
};

enum x86_flag {
	X86_REP = 1 << 0,    /* a string instruction with a rep prefix */
	X86_LOCK = 1 << 1,   /* locked, by prefix or (xchg) by nature */
	X86_NT = 1 << 2,     /* its store is non-temporal */
	X86_FLUSH = 1 << 3,  /* clflush and its like */
	X86_ODD = 1 << 4,    /* a conditional branch on the negated condition */
	X86_GATHER = 1 << 5, /* loads of many elements by a vector of indices */
	X86_RIP = 1 << 6,    /* memory operand relative to the next address */
	X86_SEGMENT = 1 << 7,   /* memory operand relative to fs or gs */
	X86_GS = 1 << 8,        /* ... to gs */
	X86_BROADCAST = 1 << 9, /* EVEX: one element is loaded for all lanes */
	X86_ZERO = 1 << 10,     /* of a register and itself: the result is 0 */
};

/* Condition flags, as struct x86 has them. */
enum x86_condition {
	X86_CF = 1 << 0,
	X86_PF = 1 << 1,
	X86_AF = 1 << 2,
	X86_ZF = 1 << 3,
	X86_SF = 1 << 4,
	X86_OF = 1 << 5,
	X86_ALL_FLAGS = (1 << 6) - 1,
};

/* Precision of a floating-point instruction. */
enum x86_fp {
	FP_NONE,
	FP_SINGLE,
	FP_DOUBLE,
	FP_X87,
};

struct x86 {
	uint8_t length;
	uint8_t kind;   /* enum x86_kind */
	uint8_t branch; /* enum branch_kind */
	uint8_t fp;     /* enum x86_fp */
	uint8_t lanes;  /* of a floating-point instruction: 1 is scalar */
	uint8_t loads;  /* memory operands read; per iteration of a rep */
	uint8_t stores; /* memory operands written */
	uint16_t flags;
	uint16_t load_size, store_size; /* bytes of each operand */

	/* Registers as in enum insn_reg; REG_NONE where there is none. */
	uint8_t addr[2];
	uint8_t src[3];
	uint8_t dst[2];

	/* The explicit memory operand: addr[0] + addr[1] * scale + disp. */
	uint8_t scale;
	int32_t disp;

	int32_t relative; /* target of a direct branch, from its end */

	/* Condition flags: those it may read, and those it always writes (or
	 * leaves undefined). A shift by cl, which may be 0, writes none. */
	uint8_t flags_read, flags_written;

	/* Where things stand, for those who rewrite the instruction. */
	uint8_t map; /* 0: one byte, 1: 0F, 2: 0F 38, 3: 0F 3A, 5, 6 */
	uint8_t opcode;
	uint8_t modrm;
	uint8_t modrm_at; /* offset of ModRM; 0: there is none */
	uint8_t encoding; /* enum x86_encoding */
	uint8_t vvvv;     /* register in a VEX or EVEX prefix */
};

enum x86_encoding {
	X86_LEGACY,
	X86_VEX,
	X86_EVEX,
};

/* Decode up to @capacity bytes at @code. False if that is no instruction. */
bool x86_decode(const uint8_t *code, size_t capacity, struct x86 *out);

/* An instruction of @length bytes of which nothing else is known. */
void x86_unknown(size_t length, struct x86 *out);

/* The instruction at @address of the guest; false if there is no code. */
typedef bool x86_read_fn(uint64_t address, struct x86 *out);

/* Code from @address up to the first branch; no instructions: no code. */
void x86_decode_run(uint64_t address, x86_read_fn *read, struct code_run *run);

/* Class in the cycle model. */
enum insn_class x86_class(const struct x86 *insn);
