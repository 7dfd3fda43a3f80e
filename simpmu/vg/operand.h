/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the addresses of an instruction's memory operands among the accesses
 * that VEX makes for it.
 */
#pragma once

#include "simpmu/vg/plan.h"

#define OPERAND_MAX 64

struct operand {
	Int statement;
	IRExpr *address;
	unsigned size;
};

/* The accesses met within one instruction. */
struct operands {
	struct operand load[OPERAND_MAX], store[OPERAND_MAX];
	unsigned loads, stores;
	struct operand hint;
	bool settled;
};

void operand_open(struct operands *operands);
void operand_meet(struct operands *operands, Int statement, const IRStmt *st);

/* Add the accesses of @insn to the plan. */
void operand_settle(struct operands *operands, const struct plan_insn *insn,
		    struct plan *plan);
