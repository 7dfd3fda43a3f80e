/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a decoder tells the model about code: the instructions of a segment
 * (a run of code with one entry and one end) for the cycle model, and runs of
 * code that never executed for the walk along a wrong path.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Classes of instructions: each has a latency, a unit and an interval. */
enum insn_class {
	INSN_NOP,   /* takes a slot, no unit */
	INSN_ALU,   /* add, logic, compare, set, conditional move */
	INSN_LEA,   /* address computation */
	INSN_LEA3,  /* the same of base, index and displacement */
	INSN_SHIFT, /* shifts and rotates */
	INSN_BIT,   /* bit counts and scans */
	INSN_MUL,   /* integer multiplication */
	INSN_DIV,   /* integer division */
	INSN_MOVE,  /* between registers, integer, vector or x87; load, store */
	INSN_VEC,   /* packed integer, shuffles, FP logic */
	INSN_CROSS, /* between integer and vector registers */
	INSN_FADD,  /* FP add, subtract, compare, minimum, maximum */
	INSN_FMUL,  /* FP multiply */
	INSN_FMA,   /* fused multiply-add */
	INSN_FDIV_S, /* FP division, single precision */
	INSN_FDIV_D, /* FP division, double precision */
	INSN_FSQRT_S,
	INSN_FSQRT_D,
	INSN_FCVT,   /* FP conversions */
	INSN_X87,    /* other x87 arithmetic */
	INSN_BRANCH, /* any jump, call or return */
	INSN_SERIAL, /* waits for all older instructions: fences, cpuid, lock */
	INSN_OTHER,
	INSN_CLASSES
};

/* Registers of the scoreboard. */
enum insn_reg {
	REG_GP = 0,     /* 0-15: rax ... r15 in encoding order */
	REG_SP = 4,     /* the end of the stack */
	REG_VEC = 16,   /* 16-31: xmm/ymm 0-15 */
	REG_FLAGS = 32, /* the condition flags */
	REG_X87 = 33,   /* the x87 stack, as one */
	REG_NONE = 34,  /* no register: always ready */
	REG_COUNT
};

/*
 * One instruction. Unused register fields hold REG_NONE. Memory operands
 * depend on addr[] only, the operation on src[] and on what was loaded.
 */
struct insn {
	uint8_t class;  /* enum insn_class */
	uint8_t length; /* bytes */
	uint8_t loads;  /* memory operands read */
	uint8_t stores; /* memory operands written */
	uint8_t addr[2];
	uint8_t src[3];
	uint8_t dst[2];
};

/*
 * A segment, in program order. The model keeps what it worked out about its
 * timing in the last field, which must be NULL at first; model_forget() gives
 * that back when the segment goes away. To callers it is constant, but it must
 * lie in memory that can be written.
 */
struct segment {
	uint64_t pc;
	uint32_t count;
	const struct insn *insn;
	bool piece; /* of a run that was cut for a look in between: unlike
		       others, it waits for flags and leaves them */
	struct timing *timing;
};

enum branch_kind {
	BRANCH_NONE, /* the run just continues at `next` */
	BRANCH_COND,
	BRANCH_JUMP, /* direct */
	BRANCH_CALL, /* direct */
	BRANCH_RETURN,
	BRANCH_IND_JUMP,
	BRANCH_IND_CALL,
	BRANCH_STOP /* nothing starts past it: system call, fence, hlt, ud2 */
};

/*
 * Code at an address: the instructions up to and including the first branch,
 * at most 64. Bit i of the masks belongs to instruction i.
 */
struct code_run {
	uint64_t load_mask;
	uint64_t store_mask;
	uint64_t end_pc; /* address of the last instruction */
	uint64_t next;   /* address after it */
	uint64_t target; /* of a direct branch */
	uint32_t count;
	enum branch_kind end; /* of the last instruction */
};

/*
 * Decode at @addr. Returns NULL if there is no code there (not executable,
 * not decodable); the walk then ends. The result must stay until the next
 * call; results should be remembered: the model asks again each time.
 */
typedef const struct code_run *decode_fn(void *ctx, uint64_t addr);
