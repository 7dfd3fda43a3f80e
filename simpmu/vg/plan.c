/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Splits a block into segments and says what each means.
 *
 * A block comes from VEX as statements, with a mark at the start of each
 * guest instruction. What an instruction is comes from its bytes, never from
 * the statements: VEX drops loads whose value nobody uses, splits operands,
 * and leaves blocks for reasons that are no branches (a rep string goes once
 * round per iteration, a locked instruction retries). The statements only
 * tell where control goes:
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

#include "simpmu/vg/audit.h"
#include "simpmu/vg/hint.h"
#include "simpmu/vg/machine.h"
#include "simpmu/vg/operand.h"
#include "simpmu/vg/plan.h"
#include "simpmu/vg/repeat.h"
#include "simpmu/vg/trap.h"
#include "simpmu/x86/effect.h"

/* The analysis of one block; @insn is the instruction at hand. */
struct walk {
	struct plan *plan;
	struct plan_insn *insn;
	bool exit_not_taken, iterated;
	bool touched;      /* it has accessed memory */
	struct draft once; /* what the instruction counts but iterations */
	struct operands operands;
	Addr line; /* that was fetched last in this block */
	struct audit audit;
};

static struct draft *current(struct walk *w)
{
	return &w->plan->drafts[w->plan->segments - 1];
}

static void begin_segment(struct walk *w, Int statement, bool inside)
{
	struct plan *p = w->plan;

	tl_assert(p->segments < PLAN_SEGMENTS);
	p->start[p->segments] = statement;
	VG_(memset)(&p->drafts[p->segments], 0, sizeof(struct draft));
	p->drafts[p->segments].address = w->insn->address;
	p->drafts[p->segments].last = w->insn->address;
	p->drafts[p->segments].inside = inside;
	p->segments++;
}

/* What the segment has so far is the rest of the instruction it began in. */
static void leave_head(struct walk *w)
{
	struct draft *d = current(w);

	if (d->inside && d->last == d->address)
		VG_(memcpy)(d->head, d->amount, sizeof(d->head));
}

static void add_draft(struct draft *to, const struct draft *from, int sign)
{
	for (unsigned s = 0; s < DRAFT_COUNT; s++)
		to->amount[s] += sign * from->amount[s];
}

static void add_step(struct walk *w, Int statement, const struct draft *draft,
		     bool on_exit)
{
	struct plan_step *step;

	if (!w->plan->precise || !trap_is_touched(draft))
		return;
	tl_assert(w->plan->step_count < PLAN_STEPS);
	step = &w->plan->steps[w->plan->step_count++];
	step->statement = statement;
	step->on_exit = on_exit;
	step->address = w->insn->address;
	trap_weigh(draft, step->amount);
}

static bool is_rep(const struct walk *w)
{
	return w->insn->x86.flags & X86_REP;
}

static void add_iteration(struct walk *w, Int statement)
{
	struct draft each;

	w->iterated = true;
	if (w->insn->excluded)
		return;
	VG_(memset)(&each, 0, sizeof(each));
	effect_of_iteration(&w->insn->x86, each.amount);
	add_draft(current(w), &each, 1);
	add_step(w, statement, &each, false);
}

static bool is_fault(IRJumpKind kind)
{
	return kind == Ijk_NoDecode || kind == Ijk_SigILL ||
	       kind == Ijk_SigSEGV || kind == Ijk_SigBUS || kind == Ijk_SigFPE;
}

/* Lines fetched behind the instruction's first byte; none if nobody asks. */
static int32_t lines_fetched(const struct plan_insn *insn, bool leaves)
{
	if (!(engine.parts & PART_FETCH))
		return 0;
	return (int32_t)effect_lines(insn->address, insn->next,
				     machine_line_bytes(), leaves);
}

/* What it means that control goes from the instruction to @to. */
static void add_edge(const struct walk *w, struct draft *edge, Addr to,
		     IRJumpKind kind, bool taken)
{
	if (w->insn->excluded)
		return;
	if (engine.audit && is_rep(w) && w->iterated && to == w->insn->next)
		edge->amount[DRAFT_EXTRA(REP_FOUND)]++;
	if (w->insn->x86.branch == BRANCH_COND) {
		edge->amount[TALLY_BR_TAKEN] += taken;
		if (taken)
			edge->amount[DRAFT_EXTRA(SEEN_FETCHES)] +=
				lines_fetched(w->insn, true) -
				lines_fetched(w->insn, false);
	} else if (w->insn->x86.branch == BRANCH_NONE ||
		   w->insn->x86.branch == BRANCH_STOP) {
		if (to == w->insn->address || is_fault(kind))
			add_draft(edge, &w->once, -1);
	}
}

/*
 * The same for traps: they must not see a rep string retire before it is
 * through, so there the whole instruction counts when control leaves it.
 */
static void step_edge(struct walk *w, Int statement, const struct draft *edge,
		      Addr to, bool on_exit)
{
	if (!is_rep(w))
		add_step(w, statement, edge, on_exit);
	else if (to == w->insn->next)
		add_step(w, statement, &w->once, on_exit);
}

/* The memory operands met so far are those of the instruction. */
static void settle_operands(struct walk *w)
{
	unsigned first = w->plan->access_count;

	if (!(engine.parts & (PART_DATA | ENGINE_PAGES)) || w->insn->excluded ||
	    w->operands.settled)
		return;
	operand_settle(&w->operands, w->insn, w->plan);
	for (unsigned i = first;
	     i < w->plan->access_count && (engine.parts & PART_DATA); i++) {
		const struct plan_access *a = &w->plan->accesses[i];
		int32_t pieces = (a->size + 63) / 64;

		if (a->kind == ACCESS_LOADS)
			current(w)->amount[DRAFT_EXTRA(SEEN_LOADS)] += pieces;
		else if (a->kind == ACCESS_STORES)
			current(w)->amount[DRAFT_EXTRA(SEEN_STORES)] += pieces;
	}
}

/* The instruction ends before @statement and goes on at @to, if known. */
static void close_instruction(struct walk *w, Int statement, Addr to,
			      IRJumpKind kind)
{
	bool taken = to != w->insn->next;
	struct draft edge;

	if (!w->insn->x86.relative)
		taken = w->exit_not_taken;
	if (is_rep(w) && !w->iterated && to != w->insn->next)
		add_iteration(w, statement);
	VG_(memset)(&edge, 0, sizeof(edge));
	add_edge(w, &edge, to, kind, taken);
	if (kind == Ijk_ClientReq && !w->insn->excluded)
		edge.amount[DRAFT_EXTRA(SEEN_FETCHES)] +=
			lines_fetched(w->insn, true) -
			lines_fetched(w->insn, false);
	add_draft(current(w), &edge, 1);
	step_edge(w, statement, &edge, to, false);
	settle_operands(w);
	if (engine.audit)
		audit_close(&w->audit, &w->insn->x86, w->plan,
			    is_rep(w) && !w->iterated);
	w->insn->loses_load = w->insn->x86.loads && w->operands.hint.address &&
			      !w->operands.loads;
	w->insn->end = statement;
	w->insn->goes_on = to;
	w->insn = NULL;
}

static void decode_insn(struct plan_insn *insn, UInt length)
{
	if (!x86_decode((const uint8_t *)insn->address, length, &insn->x86) ||
	    insn->x86.length != length)
		x86_unknown(length, &insn->x86);
}

/* Code that belongs to the library, or leads into it and nowhere else. */
static bool is_excluded(const struct walk *w, const struct plan_insn *insn)
{
	const struct x86 *x = &insn->x86;

	if (exclude_holds(insn->address))
		return true;
	if (insn == w->plan->insns && exclude_is_led_to(insn->address))
		return true;
	/* behind the first instruction of a stub */
	if (insn > w->plan->insns && insn[-1].excluded &&
	    insn[-1].x86.kind == X86_NOP)
		return exclude_is_led_to(insn->address);
	if (x->branch == BRANCH_CALL || x->branch == BRANCH_JUMP)
		return exclude_is_led_to(insn->next + (Addr)(Long)x->relative);
	return false;
}

/*
 * Lines that the model is shown for the instruction, besides the last one. How
 * many fetches that counts does not depend on where VEX begins and ends blocks:
 * see effect_lines().
 */
static void find_lines(struct walk *w)
{
	Addr mask = ~(Addr)(machine_line_bytes() - 1);
	Addr first = w->insn->address & mask;
	Addr last = (w->insn->next - 1) & mask;

	w->insn->lines = (uint8_t)((first != w->line) + (last != first));
	w->line = last;
	w->once.amount[DRAFT_EXTRA(SEEN_FETCHES)] += lines_fetched(
		w->insn,
		w->insn->x86.branch && w->insn->x86.branch != BRANCH_COND);
}

static void open_instruction(struct walk *w, Int statement, const IRStmt *mark)
{
	struct plan *p = w->plan;
	struct plan_insn *insn = &p->insns[p->count++];

	tl_assert(p->count < PLAN_INSNS);
	insn->statement = statement;
	insn->address = mark->Ist.IMark.addr;
	insn->next = insn->address + mark->Ist.IMark.len;
	decode_insn(insn, mark->Ist.IMark.len);
	repeat_meet(insn->address);
	insn->excluded = is_excluded(w, insn);

	w->insn = insn;
	w->exit_not_taken = w->iterated = false;
	VG_(memset)(&w->once, 0, sizeof(w->once));
	if (!insn->excluded)
		effect_of_instruction(&insn->x86, mark->Ist.IMark.len,
				      w->once.amount);
	insn->lines = 0;
	if (!insn->excluded && (engine.parts & PART_FETCH))
		find_lines(w);
	operand_open(&w->operands);
	if (!p->segments || p->precise)
		begin_segment(w, statement, false);
	else
		leave_head(w);
	current(w)->last = insn->address;
	w->touched = false;
	if (engine.audit)
		audit_open(&w->audit, p);
	add_draft(current(w), &w->once, 1);
	if (!is_rep(w))
		add_step(w, statement + 1, &w->once, false);
}

/*
 * Whether taking this exit is the branch taken. If both ways lead to one
 * place, VEX makes the exit the taken way for even condition codes and the
 * other way for odd ones.
 */
bool plan_is_exit_taken(const struct plan_insn *insn, Addr to)
{
	if (!insn->x86.relative)
		return !(insn->x86.flags & X86_ODD);
	return to != insn->next;
}

static void meet_exit(struct walk *w, Int statement, const IRStmt *st)
{
	Addr to = st->Ist.Exit.dst->Ico.U64;
	bool taken = plan_is_exit_taken(w->insn, to);
	struct draft edge;

	w->exit_not_taken |= !taken;
	if (w->operands.loads || w->operands.stores)
		settle_operands(w);
	VG_(memset)(&edge, 0, sizeof(edge));
	add_edge(w, &edge, to, st->Ist.Exit.jk, taken);
	if (engine.audit)
		audit_exit(&w->audit, &w->insn->x86, st, w->plan);
	step_edge(w, statement, &edge, to, true);
	add_draft(current(w), &edge, 1);
	begin_segment(w, statement + 1, true);
	add_draft(current(w), &edge, -1);
	/* behind the test that the count is 0 */
	if (is_rep(w) && !w->iterated && to == w->insn->next)
		add_iteration(w, statement + 1);
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

static void meet_statement(struct walk *w, Int statement, const IRStmt *st)
{
	bool touches = touches_memory(st) || hint_is_statement(st);

	if (is_rep(w) && !w->iterated && touches_memory(st))
		add_iteration(w, statement);
	if (touches && !w->touched && current(w)->inside &&
	    current(w)->last == current(w)->address)
		current(w)->touches = true;
	w->touched |= touches;
	operand_meet(&w->operands, statement, st);
	if (engine.audit)
		audit_statement(&w->audit, st, w->plan);
}

static bool is_empty(const struct draft *draft)
{
	for (unsigned s = 0; s < DRAFT_COUNT; s++)
		if (draft->amount[s])
			return false;
	return true;
}

/* Drop segments in which nothing happens; they need no counter. */
static void drop_empty(struct plan *p)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < p->segments; i++) {
		if (is_empty(&p->drafts[i]))
			continue;
		if (kept != i) {
			p->drafts[kept] = p->drafts[i];
			p->start[kept] = p->start[i];
		}
		kept++;
	}
	p->segments = kept;
}

void plan_analyse(struct plan *p, const IRSB *sb, Int from)
{
	struct walk w = { .plan = p, .line = 1 };
	Addr to = 0;

	p->segments = p->count = p->step_count = p->access_count = 0;
	for (Int i = from; i < sb->stmts_used; i++) {
		const IRStmt *st = sb->stmts[i];

		if (st->tag == Ist_IMark) {
			if (w.insn)
				close_instruction(&w, i, st->Ist.IMark.addr,
						  Ijk_Boring);
			open_instruction(&w, i, st);
		} else if (st->tag == Ist_Exit) {
			meet_exit(&w, i, st);
		} else {
			meet_statement(&w, i, st);
		}
	}
	if (sb->next->tag == Iex_Const)
		to = sb->next->Iex.Const.con->Ico.U64;
	close_instruction(&w, sb->stmts_used, to, sb->jumpkind);
	drop_empty(p);
}
