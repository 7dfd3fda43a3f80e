/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Adds code to a block: copies its statements and puts in between what the
 * plan says.
 */
#include <pub_tool_basics.h>
#include <pub_tool_libcassert.h>
#include <pub_tool_libcbase.h>
#include <pub_tool_tooliface.h>

#include "simpmu/vg/exclude/entry.h"
#include "simpmu/vg/exclude/pause.h"
#include "simpmu/vg/hint.h"
#include "simpmu/vg/ir.h"
#include "simpmu/vg/machine.h"
#include "simpmu/vg/observe.h"
#include "simpmu/vg/plan.h"
#include "simpmu/vg/trap.h"

/* Where the copying is: the next of each list. */
struct writer {
	IRSB *out;
	const IRSB *in;
	const VexGuestLayout *layout;
	const struct plan *plan;
	uint32_t first; /* number of the first segment */
	unsigned segment, step, insn;
	struct observer *observer;
};

/* entered[segment]++ of the running thread. */
static void emit_count(struct writer *w, uint32_t segment)
{
	HWord offset = offsetof(struct frame, entered) + 8 * (HWord)segment;
	IRExpr *frame = ir_shadow(w->out, w->layout, SHADOW_FRAME);
	IRExpr *old = ir_load_at(w->out, frame, offset);

	ir_store_at(w->out, frame, offset,
		    ir_op(w->out, Iop_Add64, old, ir_const(1)));
}

/* Segments that begin here; @inside: only those of the instruction before. */
static void emit_segments(struct writer *w, Int statement, bool inside)
{
	const struct plan *p = w->plan;

	while (w->segment < p->segments && p->start[w->segment] == statement &&
	       (!inside || p->drafts[w->segment].inside)) {
		emit_count(w, w->first + w->segment);
		if (!p->precise)
			trap_emit_segment(w->out, w->layout,
					  &p->drafts[w->segment]);
		w->segment++;
	}
}

static void emit_steps(struct writer *w, Int statement)
{
	const struct plan *p = w->plan;

	while (w->step < p->step_count &&
	       p->steps[w->step].statement == statement) {
		const struct plan_step *s = &p->steps[w->step++];
		IRExpr *guard = NULL;

		if (s->on_exit)
			guard = w->in->stmts[statement]->Ist.Exit.guard;
		trap_emit_step(w->out, w->layout, s, guard);
	}
}

/* Between two instructions a trap that fired ends the block. */
static void emit_stop(struct writer *w, const struct plan_insn *next)
{
	IRExpr *fired = trap_emit_fired(w->out, w->layout);

	if (w->observer)
		observe_stop(w->observer, fired);
	trap_emit_stop(w->out, w->layout, fired, next);
}

static void emit_stops(struct writer *w, Int statement)
{
	const struct plan *p = w->plan;

	while (w->insn + 1 < p->count && p->insns[w->insn].end == statement) {
		w->insn++;
		if (p->precise)
			emit_stop(w, &p->insns[w->insn]);
	}
}

/* What VEX may leave out and can fault is made in the place of its mark. */
static void copy_statement(struct writer *w, IRStmt *st)
{
	const struct plan_insn *insn = &w->plan->insns[w->insn];

	if (!hint_is_statement(st))
		addStmtToIRSB(w->out, st);
	else if (insn->x86.kind == X86_DIV)
		fault_emit_use(w->out, w->layout,
			       st->Ist.Dirty.details->args[0]);
	else if (insn->loses_load)
		fault_emit_load(w->out, w->layout,
				st->Ist.Dirty.details->args[0],
				insn->x86.load_size);
}

static void copy(struct writer *w, Int from)
{
	for (Int i = from; i <= w->in->stmts_used; i++) {
		if (w->observer)
			observe_reach(w->observer, i);
		/* What ends an instruction counts before its traps fire. */
		emit_segments(w, i, true);
		emit_steps(w, i);
		emit_stops(w, i);
		emit_segments(w, i, false);
		if (i < w->in->stmts_used)
			copy_statement(w, w->in->stmts[i]);
	}
}

IRSB *instrument_block(VgCallbackClosure *closure, IRSB *in,
		       const VexGuestLayout *layout,
		       const VexGuestExtents *extents, const VexArchInfo *host,
		       IRType guest_word, IRType host_word)
{
	static struct plan plan; /* too large for Valgrind's stack */
	struct writer w = { .in = in, .layout = layout, .plan = &plan };
	const struct plan_insn *last;
	Int from = 0;

	(void)host;
	tl_assert(guest_word == Ity_I64 && host_word == Ity_I64);
	while (from < in->stmts_used && in->stmts[from]->tag != Ist_IMark)
		from++;
	if (from == in->stmts_used)
		return in;
	wrongpath_translate(closure->nraddr);
	plan.precise = trap_is_precise(closure->nraddr);
	plan_analyse(&plan, in, from);
	if (in->jumpkind == Ijk_NoDecode)
		unknown_note(plan.insns[plan.count - 1].address);
	w.first = segment_intern(closure->nraddr, plan.drafts, plan.segments);
	w.out = deepCopyIRSBExceptStmts(in);
	for (Int i = 0; i < from; i++)
		addStmtToIRSB(w.out, in->stmts[i]);
	trap_emit_block(w.out, layout, &plan, closure->nraddr, extents->len[0]);
	fault_emit_block(w.out, layout, w.first);
	failure_emit(w.out);
	entry_emit(w.out, plan.insns[0].address);
	if (exclude_is_led_to(plan.insns[0].address))
		pause_emit_enter(w.out, layout);
	w.observer = observe_begin(w.out, in, layout, &plan);
	copy(&w, from);
	last = &plan.insns[plan.count - 1];
	if (last->excluded && last->x86.branch == BRANCH_RETURN)
		pause_emit_leave(w.out);
	return w.out;
}
