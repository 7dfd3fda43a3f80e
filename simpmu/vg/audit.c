/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why VEX's loads, stores and exits are not the architecture's:
 *
 *	LOCK    a locked instruction is a load and a compare-and-swap, which
 *	        counts as a load and a store, and an exit in case it fails
 *	STATE   saving and restoring the processor's state is many accesses
 *	SPLIT   one operand is accessed in pieces (FMA, masked moves, gathers)
 *	BITS    bit tests of a register go by way of the stack
 *	DEAD    a load whose value nobody uses is left out
 *	CALL    the access is made by a helper (80-bit floats)
 *	REP     a rep string has an exit per iteration
 *	FAULT   aligned accesses have an exit for the misaligned case
 *	FOLDED  a conditional branch whose condition is constant has no exit
 */
#include <pub_tool_basics.h>
#include <pub_tool_libcbase.h>

#include "simpmu/vg/audit.h"
#include "simpmu/vg/hint.h"

static int32_t *count(struct plan *plan, unsigned what)
{
	return &plan->drafts[plan->segments - 1]
			.amount[TALLY_ARCH_COUNT + what];
}

void audit_open(struct audit *a, const struct plan *plan)
{
	VG_(memset)(a, 0, sizeof(*a));
	a->segment = plan->segments - 1;
}

static void meet_load(struct audit *a, struct plan *plan)
{
	a->loads++;
	++*count(plan, EXTRA_VEX_LOADS);
}

static void meet_store(struct audit *a, struct plan *plan)
{
	a->stores++;
	++*count(plan, EXTRA_VEX_STORES);
}

static void meet_call(struct audit *a, const IRDirty *d)
{
	if (hint_is(d))
		return;
	if (d->mFx == Ifx_Read || d->mFx == Ifx_Modify)
		a->called_loads++;
	if (d->mFx == Ifx_Write || d->mFx == Ifx_Modify)
		a->called_stores++;
}

void audit_statement(struct audit *a, const IRStmt *st, struct plan *plan)
{
	switch (st->tag) {
	case Ist_WrTmp:
		if (st->Ist.WrTmp.data->tag == Iex_Load)
			meet_load(a, plan);
		break;
	case Ist_LoadG:
		meet_load(a, plan);
		break;
	case Ist_Store:
	case Ist_StoreG:
		meet_store(a, plan);
		break;
	case Ist_CAS:
		meet_load(a, plan);
		meet_store(a, plan);
		if (st->Ist.CAS.details->dataHi) {
			meet_load(a, plan);
			meet_store(a, plan);
		}
		break;
	case Ist_Dirty:
		meet_call(a, st->Ist.Dirty.details);
		break;
	default:
		break;
	}
}

void audit_exit(struct audit *a, const struct x86 *x86, const IRStmt *st,
		struct plan *plan)
{
	IRJumpKind kind = st->Ist.Exit.jk;

	++*count(plan, EXTRA_VEX_EXITS);
	if (x86->branch == BRANCH_COND) {
		if (a->exits++)
			++*count(plan, EXTRA_OTHER_EXITS);
	} else if (kind == Ijk_SigSEGV || kind == Ijk_EmWarn) {
		++*count(plan, EXTRA_FAULT_EXITS);
	} else if (x86->flags & X86_REP) {
		++*count(plan, EXTRA_REP_EXITS);
	} else if (x86->flags & X86_LOCK) {
		++*count(plan, EXTRA_LOCK_EXITS);
	} else {
		++*count(plan, EXTRA_OTHER_EXITS);
	}
}

static bool is_state(const struct x86 *x)
{
	return x->load_size > 32 || x->store_size > 32 ||
	       (x->kind == X86_OTHER &&
		(x->load_size == 28 || x->store_size == 28));
}

static bool is_split(const struct x86 *x)
{
	return x->fp != FP_NONE || x->kind == X86_VMOVE ||
	       x->kind == X86_FCVT || (x->flags & X86_GATHER);
}

static unsigned load_cause(const struct x86 *x)
{
	if (x->flags & X86_LOCK)
		return EXTRA_LOCK_LOADS;
	if (is_state(x))
		return EXTRA_STATE_LOADS;
	if (x->kind == X86_LOGIC && !x->loads)
		return EXTRA_BITS_LOADS;
	return is_split(x) ? EXTRA_SPLIT_LOADS : EXTRA_OTHER_LOADS;
}

static unsigned store_cause(const struct x86 *x)
{
	if (is_state(x))
		return EXTRA_STATE_STORES;
	if (x->kind == X86_LOGIC && !x->stores)
		return EXTRA_BITS_STORES;
	return is_split(x) ? EXTRA_SPLIT_STORES : EXTRA_OTHER_STORES;
}

/*
 * Differences of loads and stores go to the segment in which the instruction
 * ends: all its accesses are made by then.
 */
void audit_close(struct audit *a, const struct x86 *x, struct plan *plan,
		 bool skipped)
{
	int more_loads = a->loads - (skipped ? 0 : x->loads);
	int more_stores = a->stores - (skipped ? 0 : x->stores);

	if (more_loads < 0 && a->called_loads)
		*count(plan, EXTRA_CALL_LOADS) += -more_loads;
	else if (more_loads < 0)
		*count(plan, EXTRA_DEAD_LOADS) += -more_loads;
	else if (more_loads > 0)
		*count(plan, load_cause(x)) += more_loads;
	if (more_stores < 0 && a->called_stores)
		*count(plan, EXTRA_CALL_STORES) += -more_stores;
	else if (more_stores)
		*count(plan, store_cause(x)) += more_stores;
	if (x->branch == BRANCH_COND && !a->exits)
		++*count(plan, EXTRA_FOLDED);
}
