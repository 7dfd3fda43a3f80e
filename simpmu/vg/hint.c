/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where software prefetches go.
 *
 * To VEX a prefetch does nothing: its decoder computes the address, and its
 * optimiser throws that away before a tool sees the block. So the optimiser is
 * called by way of this file (the linker wraps it), which puts behind each
 * prefetch a call that has the address as its argument and no effect, and so
 * stays. Whoever copies the block leaves it out again.
 */
#include <pub_tool_basics.h>
#include <pub_tool_machine.h>
#include <pub_tool_tooliface.h>

#include "simpmu/vg/decode.h"
#include "simpmu/vg/hint.h"
#include "simpmu/vg/state.h"

/* The first pass of VEX's optimiser. Not in the headers for tools. */
IRSB *__real_do_minimal_initial_iropt_BB(IRSB *block);
IRSB *__wrap_do_minimal_initial_iropt_BB(IRSB *block);

/* Never called. */
static void hint(uint64_t address)
{
	(void)address;
}

bool hint_is(const IRDirty *call)
{
	return call->cee->addr == (void *)VG_(fnptr_to_fnentry)(&hint);
}

static bool is_prefetch(const IRStmt *mark)
{
	struct x86 x;

	if (!x86_decode((const uint8_t *)(Addr)mark->Ist.IMark.addr,
			mark->Ist.IMark.len, &x))
		return false;
	return x.kind == X86_PREFETCH_T0 || x.kind == X86_PREFETCH_T1 ||
	       x.kind == X86_PREFETCH_NTA || x.kind == X86_PREFETCH_W;
}

/* The last value that statements from @from up to the next mark compute is the
 * address; where is it? -1 if there is none. */
static Int find_address(const IRSB *block, Int from)
{
	Int found = -1;

	for (Int i = from; i < block->stmts_used; i++) {
		const IRStmt *st = block->stmts[i];

		if (st->tag == Ist_IMark)
			break;
		if (st->tag == Ist_WrTmp &&
		    typeOfIRTemp(block->tyenv, st->Ist.WrTmp.tmp) == Ity_I64)
			found = i;
	}
	return found;
}

static void insert_behind(IRSB *block, Int at, IRTemp address)
{
	IRDirty *d = unsafeIRDirty_0_N(0, "hint", VG_(fnptr_to_fnentry)(&hint),
				       mkIRExprVec_1(IRExpr_RdTmp(address)));
	Int last = block->stmts_used;

	addStmtToIRSB(block, IRStmt_NoOp());
	for (Int i = last; i > at + 1; i--)
		block->stmts[i] = block->stmts[i - 1];
	block->stmts[at + 1] = IRStmt_Dirty(d);
}

static void mark_prefetches(IRSB *block)
{
	for (Int i = 0; i < block->stmts_used; i++) {
		const IRStmt *st = block->stmts[i];
		Int at;

		if (st->tag != Ist_IMark || !is_prefetch(st))
			continue;
		at = find_address(block, i + 1);
		if (at >= 0)
			insert_behind(block, at,
				      block->stmts[at]->Ist.WrTmp.tmp);
	}
}

IRSB *__wrap_do_minimal_initial_iropt_BB(IRSB *block)
{
	if (engine.parts & PART_DATA)
		mark_prefetches(block);
	return __real_do_minimal_initial_iropt_BB(block);
}
