/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Addresses that VEX throws away before a tool sees the block: where software
 * prefetches go, which do nothing to VEX, and loads whose value the block
 * overwrites unused.
 *
 * The first pass of VEX's optimiser is called by way of this file (the linker
 * wraps it), which puts next to such an instruction a call that has the address
 * as its argument and no effect, and so stays. Whoever copies the block leaves
 * it out again. Which loads will be thrown away is not known yet: marked are
 * all whose results the block overwrites, used or not.
 *
 * Divisions, which fault too, are marked as well, with their result. To VEX
 * these marks look like accesses to memory: so it keeps the guest's registers
 * exact there.
 */
#include <pub_tool_basics.h>
#include <pub_tool_machine.h>
#include <pub_tool_tooliface.h>

#include "simpmu/vg/hint.h"
#include "simpmu/vg/plan.h"

/* Not in the headers for tools. */
extern VexControl vex_control;
IRSB *__real_do_minimal_initial_iropt_BB(IRSB *block);
IRSB *__wrap_do_minimal_initial_iropt_BB(IRSB *block);

/* An instruction of the block. */
struct marked {
	Int mark; /* statement */
	struct x86 x86;
};

/* Never called. */
static void hint(uint64_t address)
{
	(void)address;
}

bool hint_is(const IRDirty *call)
{
	return call->cee->addr == (void *)VG_(fnptr_to_fnentry)(&hint);
}

bool hint_is_prefetch(const struct x86 *x)
{
	return x->kind == X86_PREFETCH_T0 || x->kind == X86_PREFETCH_T1 ||
	       x->kind == X86_PREFETCH_NTA || x->kind == X86_PREFETCH_W;
}

/* ---- which ---- */

static bool is_overwritten(const struct marked *insns, unsigned n, uint8_t reg)
{
	for (unsigned i = 0; i < n; i++)
		if (insns[i].x86.dst[0] == reg || insns[i].x86.dst[1] == reg)
			return true;
	return reg == REG_NONE;
}

/* insns[0] loads, and the results may be lost to those behind it. */
static bool is_endangered(const struct marked *insns, unsigned n)
{
	const struct x86 *x = &insns[0].x86;

	return x->loads == 1 && !x->stores && !x->branch &&
	       !(x->flags & X86_REP) &&
	       is_overwritten(insns + 1, n - 1, x->dst[0]) &&
	       is_overwritten(insns + 1, n - 1, x->dst[1]);
}

/* ---- where ---- */

static Int end_of(const IRSB *block, Int mark)
{
	Int i = mark + 1;

	while (i < block->stmts_used && block->stmts[i]->tag != Ist_IMark)
		i++;
	return i;
}

/* The last value that a prefetch computes is its address. */
static IRExpr *find_prefetch(const IRSB *block, Int mark, Int *at)
{
	for (Int i = end_of(block, mark) - 1; i > mark; i--) {
		const IRStmt *st = block->stmts[i];

		if (st->tag != Ist_WrTmp ||
		    typeOfIRTemp(block->tyenv, st->Ist.WrTmp.tmp) != Ity_I64)
			continue;
		*at = i + 1;
		return IRExpr_RdTmp(st->Ist.WrTmp.tmp);
	}
	return NULL;
}

/* The address of what is flushed: VEX goes on with the 256 bytes around it. */
static IRExpr *find_flush(const IRSB *block, Int mark, Int *at)
{
	Int end = end_of(block, mark);

	for (*at = mark + 1; *at < end; ++*at) {
		const IRStmt *st = block->stmts[*at];
		const IRExpr *e = NULL;

		if (st->tag == Ist_WrTmp)
			e = st->Ist.WrTmp.data;
		else if (st->tag == Ist_Put)
			e = st->Ist.Put.data;
		if (e && e->tag == Iex_Binop && e->Iex.Binop.op == Iop_And64)
			return deepCopyIRExpr(e->Iex.Binop.arg1);
	}
	return NULL;
}

/* The address of a load within @e; NULL if there is none. */
static IRExpr *load_in(const IRExpr *e)
{
	IRExpr *found;

	switch (e->tag) {
	case Iex_Load:
		return e->Iex.Load.addr;
	case Iex_Unop:
		return load_in(e->Iex.Unop.arg);
	case Iex_Binop:
		found = load_in(e->Iex.Binop.arg1);
		return found ? found : load_in(e->Iex.Binop.arg2);
	default:
		return NULL;
	}
}

static IRExpr *find_load(const IRSB *block, Int mark, Int *at)
{
	Int end = end_of(block, mark);

	for (*at = mark + 1; *at < end; ++*at) {
		const IRStmt *st = block->stmts[*at];
		IRExpr *found = NULL;

		if (st->tag == Ist_WrTmp)
			found = load_in(st->Ist.WrTmp.data);
		else if (st->tag == Ist_Put)
			found = load_in(st->Ist.Put.data);
		if (found)
			return deepCopyIRExpr(found);
	}
	return NULL;
}

/* 64 bits of what @st divides; NULL if it does not. */
static IRExpr *quotient(const IRStmt *st)
{
	IRExpr *result;

	if (st->tag != Ist_WrTmp || st->Ist.WrTmp.data->tag != Iex_Binop)
		return NULL;
	result = IRExpr_RdTmp(st->Ist.WrTmp.tmp);
	switch (st->Ist.WrTmp.data->Iex.Binop.op) {
	case Iop_DivModU128to64:
	case Iop_DivModS128to64:
		return IRExpr_Unop(Iop_128to64, result);
	case Iop_DivModU64to32:
	case Iop_DivModS64to32:
		return result;
	default:
		return NULL;
	}
}

/* The result of a division, behind it. */
static IRExpr *find_division(const IRSB *block, Int mark, Int *at)
{
	Int end = end_of(block, mark);

	for (Int i = mark + 1; i < end; i++) {
		IRExpr *found = quotient(block->stmts[i]);

		*at = i + 1;
		if (found)
			return found;
	}
	return NULL;
}

/* ---- marking ---- */

static void insert(IRSB *block, Int at, IRExpr *value, bool faults)
{
	IRDirty *d = unsafeIRDirty_0_N(0, "hint", VG_(fnptr_to_fnentry)(&hint),
				       mkIRExprVec_1(value));

	if (faults) {
		d->mFx = Ifx_Read;
		d->mAddr = deepCopyIRExpr(value);
		d->mSize = 1;
	}
	addStmtToIRSB(block, IRStmt_NoOp());
	for (Int i = block->stmts_used - 1; i > at; i--)
		block->stmts[i] = block->stmts[i - 1];
	block->stmts[at] = IRStmt_Dirty(d);
}

static unsigned decode(const IRSB *block, struct marked *insns)
{
	unsigned n = 0;

	for (Int i = 0; i < block->stmts_used && n < PLAN_INSNS; i++) {
		const IRStmt *st = block->stmts[i];

		if (st->tag != Ist_IMark)
			continue;
		insns[n].mark = i;
		if (!x86_decode((const uint8_t *)(Addr)st->Ist.IMark.addr,
				st->Ist.IMark.len, &insns[n].x86))
			x86_unknown(st->Ist.IMark.len, &insns[n].x86);
		n++;
	}
	return n;
}

/*
 * VEX would go on with several iterations of a rep string in one block. Which
 * of them has faulted could not be told.
 */
static void keep_iterations_apart(const struct marked *insns, unsigned n)
{
	static Int usual = -1;

	if (usual < 0)
		usual = vex_control.iropt_unroll_thresh;
	vex_control.iropt_unroll_thresh = usual;
	for (unsigned i = 0; i < n; i++)
		if (insns[i].x86.flags & X86_REP)
			vex_control.iropt_unroll_thresh = 0;
}

/* From the end, so that places before stay where they are. */
static void mark_block(IRSB *block)
{
	static struct marked insns[PLAN_INSNS];
	unsigned n = decode(block, insns);

	keep_iterations_apart(insns, n);

	for (unsigned i = n; i-- > 0;) {
		bool prefetches = hint_is_prefetch(&insns[i].x86);
		bool flushes = insns[i].x86.flags & X86_FLUSH;
		IRExpr *address = NULL;
		Int at = 0;

		if (prefetches)
			address = find_prefetch(block, insns[i].mark, &at);
		else if (flushes)
			address = find_flush(block, insns[i].mark, &at);
		else if (is_endangered(insns + i, n - i))
			address = find_load(block, insns[i].mark, &at);
		else if (insns[i].x86.kind == X86_DIV)
			address = find_division(block, insns[i].mark, &at);
		if (address)
			insert(block, at, address, !prefetches && !flushes);
	}
}

IRSB *__wrap_do_minimal_initial_iropt_BB(IRSB *block)
{
	/* an audit compares with tools that do not do this */
	if (!engine.audit)
		mark_block(block);
	return __real_do_minimal_initial_iropt_BB(block);
}
