/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is to be added to a block, found out before anything is emitted:
 * segments with their effects, instructions, and (where a trap is near) the
 * places where counts change, instruction by instruction.
 */
#pragma once

#include "simpmu/vg/state.h"
#include "simpmu/x86/decode.h"

/* A block has up to 60 instructions; unrolling makes at most 8 copies. */
#define PLAN_SEGMENTS 640
#define PLAN_INSNS    512
#define PLAN_STEPS    1600
#define PLAN_ACCESSES 1024

/* What an access is to the model. */
enum access_kind {
	ACCESS_LOADS,
	ACCESS_STORES,
	ACCESS_NT,
	/* those below move no data */
	ACCESS_FLUSH,
	ACCESS_TO_L1, /* prefetches */
	ACCESS_TO_L2,
	ACCESS_TO_WRITE,
};

/* A memory operand whose address VEX computes. */
struct plan_access {
	Int statement; /* which does; the address is known behind it */
	IRExpr *address;
	Addr pc;
	uint16_t size;
	uint8_t kind; /* enum access_kind */
};

struct plan_insn {
	Int statement; /* its mark */
	Int end;       /* the next mark, or the end of the block */
	Addr address;
	Addr next; /* address behind it */
	bool excluded;
	uint8_t lines;   /* that fetching it begins: 0, 1 or 2 */
	Addr goes_on;    /* where control goes but for exits; 0: not constant */
	bool loses_load; /* VEX has left its load out */
	struct x86 x86;
};

/* Counts change by @amount before @statement. */
struct plan_step {
	Int statement;
	bool on_exit; /* only if the exit that stands there is taken */
	Addr address;
	int64_t amount[ENGINE_TRAPS];
};

struct plan {
	struct draft drafts[PLAN_SEGMENTS];
	Int start[PLAN_SEGMENTS]; /* statement before which each begins */
	unsigned segments;
	struct plan_insn insns[PLAN_INSNS];
	unsigned count;
	bool precise; /* steps are wanted, and a segment per instruction */
	struct plan_step steps[PLAN_STEPS];
	unsigned step_count;
	struct plan_access accesses[PLAN_ACCESSES];
	unsigned access_count;
};

/* Whether leaving @insn, a conditional branch, for @to is the branch taken. */
bool plan_is_exit_taken(const struct plan_insn *insn, Addr to);

/* Analyse @sb from statement @from, its first mark, on. */
void plan_analyse(struct plan *plan, const IRSB *sb, Int from);
