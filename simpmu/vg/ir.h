/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Short names for building VEX's intermediate code. */
#pragma once

#include <pub_tool_basics.h>
#include <pub_tool_libcbase.h>
#include <pub_tool_machine.h>
#include <pub_tool_tooliface.h>

#include "simpmu/vg/state.h"

/* Give @value a name: VEX wants flat statements. */
static inline IRExpr *ir_let(IRSB *sb, IRType type, IRExpr *value)
{
	IRTemp t = newIRTemp(sb->tyenv, type);

	addStmtToIRSB(sb, IRStmt_WrTmp(t, value));
	return IRExpr_RdTmp(t);
}

/*
 * Call @function, which reads or writes (@fx) @size bytes of the guest's state
 * at @offset, where @guard is true; NULL: always.
 */
static inline void ir_call(IRSB *sb, const HChar *name, void *function,
			   IRExpr **args, IRExpr *guard, IREffect fx,
			   Int offset, Int size)
{
	IRDirty *d = unsafeIRDirty_0_N(0, name, VG_(fnptr_to_fnentry)(function),
				       args);

	if (guard)
		d->guard = guard;
	d->nFxState = 1;
	VG_(memset)(&d->fxState, 0, sizeof(d->fxState));
	d->fxState[0].fx = fx;
	d->fxState[0].offset = (UShort)offset;
	d->fxState[0].size = (UShort)size;
	addStmtToIRSB(sb, IRStmt_Dirty(d));
}

static inline IRExpr *ir_const(uint64_t value)
{
	return IRExpr_Const(IRConst_U64(value));
}

static inline IRExpr *ir_op(IRSB *sb, IROp op, IRExpr *a, IRExpr *b)
{
	return ir_let(sb, Ity_I64, IRExpr_Binop(op, a, b));
}

static inline IRExpr *ir_test(IRSB *sb, IROp op, IRExpr *a, IRExpr *b)
{
	return ir_let(sb, Ity_I1, IRExpr_Binop(op, a, b));
}

static inline IRExpr *ir_load(IRSB *sb, IRType type, IRExpr *at)
{
	return ir_let(sb, type, IRExpr_Load(Iend_LE, type, at));
}

static inline void ir_store(IRSB *sb, IRExpr *at, IRExpr *value)
{
	addStmtToIRSB(sb, IRStmt_Store(Iend_LE, at, value));
}

/*
 * What lies @offset bytes from @base; NULL: an address below 2 GB. Addresses
 * that are used once, and end in a constant, cost nothing.
 */
static inline IRExpr *ir_at(IRSB *sb, IRExpr *base, uint64_t offset)
{
	return base ? ir_op(sb, Iop_Add64, base, ir_const(offset))
		    : ir_const(offset);
}

static inline IRExpr *ir_load_at(IRSB *sb, IRExpr *base, uint64_t offset)
{
	return ir_load(sb, Ity_I64, ir_at(sb, base, offset));
}

static inline void ir_store_at(IRSB *sb, IRExpr *base, uint64_t offset,
			       IRExpr *value)
{
	ir_store(sb, ir_at(sb, base, offset), value);
}

/* A shadow register of the running thread. */
static inline IRExpr *ir_shadow(IRSB *sb, const VexGuestLayout *layout,
				enum shadow which)
{
	return ir_let(sb, Ity_I64,
		      IRExpr_Get(layout->total_sizeB + (Int)which, Ity_I64));
}
