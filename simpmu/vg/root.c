/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Follows constant additions back to where they start. */
#include <pub_tool_basics.h>
#include <pub_tool_libcassert.h>
#include <pub_tool_tooliface.h>

#include "simpmu/vg/root.h"

/* Offsets beyond are left to the translated code. */
#define MAX_OFFSET 0x7fffffffLL

static bool is_constant(const IRExpr *e)
{
	return e->tag == Iex_Const && e->Iex.Const.con->tag == Ico_U64;
}

static Long constant_of(const IRExpr *e)
{
	return (Long)e->Iex.Const.con->Ico.U64;
}

struct address roots_get(const struct roots *roots, const IRExpr *address)
{
	struct address constant = { IRTemp_INVALID, 0 };

	if (address->tag == Iex_RdTmp)
		return roots->of[address->Iex.RdTmp.tmp];
	tl_assert(is_constant(address));
	constant.offset = constant_of(address);
	return constant;
}

/* @e as a value plus a constant; false if it is nothing of the kind. */
static bool is_sum(const IRExpr *e, const IRExpr **value, Long *constant)
{
	const IRExpr *a, *b;

	if (e->tag != Iex_Binop)
		return false;
	a = e->Iex.Binop.arg1;
	b = e->Iex.Binop.arg2;
	if (e->Iex.Binop.op == Iop_Add64 && is_constant(a)) {
		*value = b;
		*constant = constant_of(a);
		return true;
	}
	if (!is_constant(b) ||
	    (e->Iex.Binop.op != Iop_Add64 && e->Iex.Binop.op != Iop_Sub64))
		return false;
	*value = a;
	*constant =
		e->Iex.Binop.op == Iop_Add64 ? constant_of(b) : -constant_of(b);
	return true;
}

static void find_one(struct roots *roots, IRTemp t, const IRExpr *e)
{
	const IRExpr *value = e;
	Long constant = 0, sum;

	if (e->tag != Iex_RdTmp && !is_sum(e, &value, &constant))
		return;
	if (value->tag != Iex_RdTmp)
		return;
	sum = roots->of[value->Iex.RdTmp.tmp].offset + constant;
	if (sum > MAX_OFFSET || sum < -MAX_OFFSET)
		return;
	roots->of[t].root = roots->of[value->Iex.RdTmp.tmp].root;
	roots->of[t].offset = sum;
}

void roots_find(struct roots *roots, const IRSB *sb)
{
	Int n = sb->tyenv->types_used;

	roots->of = LibVEX_Alloc((SizeT)n * sizeof(*roots->of));
	for (Int t = 0; t < n; t++) {
		roots->of[t].root = (IRTemp)t;
		roots->of[t].offset = 0;
	}
	for (Int i = 0; i < sb->stmts_used; i++) {
		const IRStmt *st = sb->stmts[i];

		if (st->tag == Ist_WrTmp)
			find_one(roots, st->Ist.WrTmp.tmp, st->Ist.WrTmp.data);
	}
}
