/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory operands: how many there are and how large they are is the
 * decoder's word; where they are is VEX's.
 *
 * VEX may access an operand in pieces, from the lowest address up; then the
 * first piece tells. It may leave a load out whose value nobody uses, and all
 * software prefetches and flushes: for them the address comes from hint.c.
 */
#include <pub_tool_basics.h>
#include <pub_tool_libcassert.h>

#include "simpmu/vg/hint.h"
#include "simpmu/vg/operand.h"

void operand_open(struct operands *o)
{
	o->loads = o->stores = 0;
	o->hint.address = NULL;
	o->settled = false;
}

static void add(struct operand *list, unsigned *n, Int statement,
		IRExpr *address, unsigned size)
{
	if (*n == OPERAND_MAX)
		return;
	list[*n].statement = statement;
	list[*n].address = address;
	list[*n].size = size;
	++*n;
}

static void meet_load(struct operands *o, Int statement, IRExpr *address,
		      unsigned size)
{
	add(o->load, &o->loads, statement, address, size);
}

static void meet_store(struct operands *o, Int statement, IRExpr *address,
		       unsigned size)
{
	add(o->store, &o->stores, statement, address, size);
}

static void meet_call(struct operands *o, Int statement, const IRDirty *d)
{
	if (hint_is(d)) {
		o->hint.statement = statement;
		o->hint.address = d->args[0];
		return;
	}
	if (d->mFx == Ifx_Read || d->mFx == Ifx_Modify)
		meet_load(o, statement, d->mAddr, (unsigned)d->mSize);
	if (d->mFx == Ifx_Write || d->mFx == Ifx_Modify)
		meet_store(o, statement, d->mAddr, (unsigned)d->mSize);
}

void operand_meet(struct operands *o, Int i, const IRStmt *st)
{
	const IRExpr *e;

	switch (st->tag) {
	case Ist_WrTmp:
		e = st->Ist.WrTmp.data;
		if (e->tag == Iex_Load)
			meet_load(o, i, e->Iex.Load.addr,
				  (unsigned)sizeofIRType(e->Iex.Load.ty));
		break;
	case Ist_LoadG:
		meet_load(o, i, st->Ist.LoadG.details->addr, 8);
		break;
	case Ist_Store:
		/* the type of what is stored is not at hand; 0: as decoded */
		meet_store(o, i, st->Ist.Store.addr, 0);
		break;
	case Ist_StoreG:
		meet_store(o, i, st->Ist.StoreG.details->addr, 0);
		break;
	case Ist_CAS:
		meet_load(o, i, st->Ist.CAS.details->addr, 0);
		meet_store(o, i, st->Ist.CAS.details->addr, 0);
		break;
	case Ist_Dirty:
		meet_call(o, i, st->Ist.Dirty.details);
		break;
	default:
		break;
	}
}

static void show(struct plan *plan, const struct plan_insn *insn,
		 const struct operand *o, unsigned size, enum access_kind kind)
{
	struct plan_access *a = &plan->accesses[plan->access_count];

	if (plan->access_count == PLAN_ACCESSES)
		return;
	plan->access_count++;
	a->statement = o->statement;
	a->address = o->address;
	a->pc = insn->address;
	a->size = (uint16_t)size;
	a->kind = (uint8_t)kind;
}

/* A lone access smaller than the operand is all that is touched of it: a bit
 * test in a string of bits. */
static unsigned shown_size(unsigned decoded, const struct operand *o,
			   unsigned pieces)
{
	return pieces == 1 && o->size && o->size < decoded ? o->size : decoded;
}

static enum access_kind prefetch_kind(const struct x86 *x)
{
	if (x->kind == X86_PREFETCH_T1)
		return ACCESS_TO_L2;
	return x->kind == X86_PREFETCH_W ? ACCESS_TO_WRITE : ACCESS_TO_L1;
}

void operand_settle(struct operands *o, const struct plan_insn *insn,
		    struct plan *plan)
{
	const struct x86 *x = &insn->x86;
	enum access_kind stores = x->flags & X86_NT ? ACCESS_NT : ACCESS_STORES;

	o->settled = true;
	for (unsigned i = 0; i < x->loads && i < o->loads; i++)
		show(plan, insn, &o->load[i],
		     shown_size(x->load_size, &o->load[i], o->loads),
		     ACCESS_LOADS);
	for (unsigned i = 0; i < x->stores && i < o->stores; i++)
		show(plan, insn, &o->store[i], x->store_size, stores);
	if (x->flags & X86_FLUSH && o->hint.address)
		show(plan, insn, &o->hint, 1, ACCESS_FLUSH);
	else if (o->hint.address && hint_is_prefetch(x))
		show(plan, insn, &o->hint, 1, prefetch_kind(x));
	else if (o->hint.address && x->loads && !o->loads)
		show(plan, insn, &o->hint, x->load_size, ACCESS_LOADS);
}
