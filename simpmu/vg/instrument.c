/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Adds the counting code to a block.
 *
 * A block comes from VEX as statements, with a mark at the start of each
 * guest instruction. analyse() splits it into segments and says what each
 * means; emit() copies the block and puts an increment at the start of each
 * segment.
 *
 * What an instruction is comes from its bytes, never from the statements:
 * VEX drops loads whose value nobody uses, splits operands, and leaves blocks
 * for reasons that are no branches (a rep string goes once round per
 * iteration, a locked instruction retries). The statements only tell where
 * control goes:
 *
 * - Leaving to the instruction's own start, and not by a branch, takes back
 *   what the instruction counted: it will be entered again, or has faulted.
 * - An exit to the target of a conditional branch is the branch taken; an
 *   exit to the instruction behind it (VEX inverts conditions, and unrolls
 *   loops) means that going on is the branch taken.
 * - Where the condition is constant VEX drops the exit; then the place where
 *   the block goes on tells.
 */
#include <pub_tool_basics.h>
#include <pub_tool_libcassert.h>
#include <pub_tool_libcbase.h>
#include <pub_tool_machine.h>
#include <pub_tool_tooliface.h>

#include "simpmu/vg/decode.h"
#include "simpmu/vg/effect.h"
#include "simpmu/vg/state.h"

/* A block has up to 60 instructions; unrolling makes at most 8 copies. */
#define MAX_SEGMENTS 640

struct plan {
	struct draft drafts[MAX_SEGMENTS];
	Int start[MAX_SEGMENTS]; /* statement before which it begins */
	unsigned count;

	/* the instruction at hand */
	bool open;
	struct x86 insn;
	Addr address, next, target;
	bool exit_taken, exit_not_taken;
	bool iterated;
	struct draft once;
};

static struct plan plan;

static struct draft *current(void)
{
	return &plan.drafts[plan.count - 1];
}

static void begin_segment(Int statement)
{
	tl_assert(plan.count < MAX_SEGMENTS);
	plan.start[plan.count] = statement;
	VG_(memset)(&plan.drafts[plan.count], 0, sizeof(struct draft));
	plan.count++;
}

static void add_draft(struct draft *to, const struct draft *from, int sign)
{
	for (unsigned s = 0; s < SIG_ARCH_COUNT; s++)
		to->amount[s] += sign * from->amount[s];
}

static void add_iteration(void)
{
	struct draft each;

	plan.iterated = true;
	VG_(memset)(&each, 0, sizeof(each));
	effect_of_iteration(&plan.insn, each.amount);
	add_draft(current(), &each, 1);
}

static bool is_boring_fault(IRJumpKind kind)
{
	return kind == Ijk_NoDecode || kind == Ijk_SigILL ||
	       kind == Ijk_SigSEGV || kind == Ijk_SigBUS || kind == Ijk_SigFPE;
}

/* What it means that control goes from the open instruction to @to. */
static void add_edge(struct draft *edge, Addr to, IRJumpKind kind)
{
	if (plan.insn.branch == BRANCH_NONE) {
		if (to == plan.address || is_boring_fault(kind))
			add_draft(edge, &plan.once, -1);
	} else if (plan.insn.branch == BRANCH_COND) {
		if (to != plan.next)
			edge->amount[SIG_BR_TAKEN]++;
	}
}

/* The open instruction ends here and goes on at @to (0 if not constant). */
static void close_instruction(Addr to, IRJumpKind kind)
{
	bool is_cond = plan.insn.branch == BRANCH_COND;

	if (!plan.open)
		return;
	plan.open = false;
	if ((plan.insn.flags & X86_REP) && !plan.iterated && to != plan.next)
		add_iteration();
	if (is_cond && plan.target == plan.next) {
		if (plan.exit_not_taken)
			current()->amount[SIG_BR_TAKEN]++;
	} else {
		add_edge(current(), to, kind);
	}
}

static void open_instruction(Int statement, Addr address, UInt length)
{
	plan.open = true;
	plan.address = address;
	plan.next = address + length;
	plan.exit_taken = plan.exit_not_taken = false;
	plan.iterated = false;
	if (!x86_decode((const uint8_t *)address, length, &plan.insn) ||
	    plan.insn.length != length)
		x86_unknown(length, &plan.insn);
	plan.target = plan.next + (Addr)(Long)plan.insn.relative;
	if (!plan.count)
		begin_segment(statement);
	VG_(memset)(&plan.once, 0, sizeof(plan.once));
	effect_of_instruction(&plan.insn, length, plan.once.amount);
	add_draft(current(), &plan.once, 1);
}

/*
 * A branch to the instruction behind it: both ways lead to one place. VEX
 * makes the exit the taken way for even condition codes and the other way
 * for odd ones.
 */
static bool is_exit_taken(Addr to)
{
	if (plan.target == plan.next)
		return !(plan.insn.flags & X86_ODD);
	return to != plan.next;
}

static void meet_exit(Int statement, const IRStmt *st)
{
	Addr to = st->Ist.Exit.dst->Ico.U64;
	struct draft edge;

	VG_(memset)(&edge, 0, sizeof(edge));
	if (plan.insn.branch == BRANCH_COND) {
		if (is_exit_taken(to)) {
			plan.exit_taken = true;
			edge.amount[SIG_BR_TAKEN]++;
		} else {
			plan.exit_not_taken = true;
		}
	} else {
		add_edge(&edge, to, st->Ist.Exit.jk);
	}
	add_draft(current(), &edge, 1);
	begin_segment(statement + 1);
	add_draft(current(), &edge, -1);
}

static bool touches_memory(const IRStmt *st)
{
	switch (st->tag) {
	case Ist_Store:
	case Ist_StoreG:
	case Ist_LoadG:
	case Ist_CAS:
	case Ist_LLSC:
		return true;
	case Ist_WrTmp:
		return st->Ist.WrTmp.data->tag == Iex_Load;
	default:
		return false;
	}
}

static void analyse(const IRSB *sb, Int from)
{
	Addr to = 0;

	plan.count = 0;
	plan.open = false;
	for (Int i = from; i < sb->stmts_used; i++) {
		const IRStmt *st = sb->stmts[i];

		if (st->tag == Ist_IMark) {
			close_instruction(st->Ist.IMark.addr, Ijk_Boring);
			open_instruction(i, st->Ist.IMark.addr,
					 st->Ist.IMark.len);
		} else if (st->tag == Ist_Exit) {
			meet_exit(i, st);
		} else if (touches_memory(st) && !plan.iterated &&
			   (plan.insn.flags & X86_REP)) {
			add_iteration();
		}
	}
	if (sb->next->tag == Iex_Const)
		to = sb->next->Iex.Const.con->Ico.U64;
	close_instruction(to, sb->jumpkind);
}

static bool is_empty(const struct draft *draft)
{
	for (unsigned s = 0; s < SIG_ARCH_COUNT; s++)
		if (draft->amount[s])
			return false;
	return true;
}

/* Drop segments in which nothing happens; they need no counter. */
static void drop_empty(void)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < plan.count; i++) {
		if (is_empty(&plan.drafts[i]))
			continue;
		if (kept != i) {
			plan.drafts[kept] = plan.drafts[i];
			plan.start[kept] = plan.start[i];
		}
		kept++;
	}
	plan.count = kept;
}

static IRExpr *assign(IRSB *sb, IRType type, IRExpr *value)
{
	IRTemp t = newIRTemp(sb->tyenv, type);

	addStmtToIRSB(sb, IRStmt_WrTmp(t, value));
	return IRExpr_RdTmp(t);
}

/* entered[segment]++ of the running thread. */
static void emit_count(IRSB *sb, const VexGuestLayout *layout, uint32_t segment)
{
	IRExpr *base = assign(
		sb, Ity_I64,
		IRExpr_Get(layout->total_sizeB + SHADOW_ENTERED, Ity_I64));
	IRExpr *at = assign(sb, Ity_I64,
			    IRExpr_Binop(Iop_Add64, base,
					 mkIRExpr_HWord(8 * (HWord)segment)));
	IRExpr *old = assign(sb, Ity_I64, IRExpr_Load(Iend_LE, Ity_I64, at));
	IRExpr *new = assign(sb, Ity_I64,
			     IRExpr_Binop(Iop_Add64, old, mkIRExpr_HWord(1)));

	addStmtToIRSB(sb, IRStmt_Store(Iend_LE, at, new));
}

static IRSB *emit(const IRSB *in, Int from, const VexGuestLayout *layout,
		  uint32_t first)
{
	IRSB *out = deepCopyIRSBExceptStmts(in);
	unsigned next = 0;

	for (Int i = 0; i < from; i++)
		addStmtToIRSB(out, in->stmts[i]);
	for (Int i = from; i <= in->stmts_used; i++) {
		while (next < plan.count && plan.start[next] == i) {
			emit_count(out, layout, first + next);
			next++;
		}
		if (i < in->stmts_used)
			addStmtToIRSB(out, in->stmts[i]);
	}
	return out;
}

IRSB *instrument_block(VgCallbackClosure *closure, IRSB *in,
		       const VexGuestLayout *layout,
		       const VexGuestExtents *extents, const VexArchInfo *host,
		       IRType guest_word, IRType host_word)
{
	Int from = 0;
	uint32_t first;

	(void)extents;
	(void)host;
	tl_assert(guest_word == Ity_I64 && host_word == Ity_I64);
	while (from < in->stmts_used && in->stmts[from]->tag != Ist_IMark)
		from++;
	if (from == in->stmts_used)
		return in;
	analyse(in, from);
	drop_empty();
	first = segment_intern(closure->nraddr, plan.drafts, plan.count);
	return emit(in, from, layout, first);
}
