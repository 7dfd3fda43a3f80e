/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Puts into a block the code that shows the model what it does.
 *
 * What happens between two places where control can leave (and at most as
 * much as a site holds) is shown together. Without the cycle model most of it
 * needs no call: inlined code looks every line and address up in the core's
 * filter (simpmu/model/filter.h), or's all differences together, and calls
 * replay_accesses() only if one is not there. Branches that are settled are
 * skipped likewise. The cycle model sees everything: one call, or a record of
 * what ran if it is left for later. Blocks that have not run often yet (tier.h)
 * make a call as well.
 *
 * Accesses whose addresses differ by constants and lie within one line's
 * length of each other are looked up together. If they straddle two lines
 * the look-up fails and the model sorts it out, so counts do not change.
 */
#include <libvex_guest_amd64.h>
#include <pub_tool_basics.h>
#include <pub_tool_libcassert.h>
#include <pub_tool_libcbase.h>
#include <pub_tool_machine.h>

#include "simpmu/vg/ir.h"
#include "simpmu/vg/lookup.h"
#include "simpmu/vg/machine.h"
#include "simpmu/vg/observe.h"
#include "simpmu/vg/pages.h"
#include "simpmu/vg/push.h"
#include "simpmu/vg/root.h"
#include "simpmu/vg/second.h"
#include "simpmu/vg/site.h"
#include "simpmu/vg/tier.h"
#include "simpmu/vg/trap.h"

static bool has(unsigned parts)
{
	return engine.parts & parts;
}

/* A trap that only the model can spring may be at any instruction. */
static bool is_in_pieces(const struct observer *o)
{
	return o->plan->precise && trap_watches_model;
}

struct observer *observe_begin(IRSB *out, const IRSB *in,
			       const VexGuestLayout *layout,
			       const struct plan *plan)
{
	static struct observer observer; /* too large for the stack */

	if (!engine.parts)
		return NULL;
	observer.out = out;
	observer.in = in;
	observer.layout = layout;
	observer.plan = plan;
	observer.insn = observer.access = observer.first_access = 0;
	observer.shown = NOT_YET;
	observer.together = has(PART_CYCLE);
	observer.by_call =
		(has(PART_CYCLE) && !(second_parts() & PART_CYCLE)) ||
		(has(PART_DATA | PART_FETCH | PART_BRANCH) &&
		 !tier_is_hot(plan->insns[0].address));
	observer.together |= observer.by_call;
	roots_find(&observer.roots, in);
	VG_(memset)(&observer.draft, 0, sizeof(observer.draft));
	observer.root_count = observer.lines = observer.pages = 0;
	return &observer;
}

/* ---- calls ---- */

void observe_call(struct observer *o, const HChar *name, void *function,
		  IRExpr **args, IRExpr *guard)
{
	/* a trap may make guest code stop; see trap.c */
	ir_call(o->out, name, function, args, guard, Ifx_Write,
		offsetof(VexGuestAMD64State, host_EvC_COUNTER), sizeof(UInt));
}

static struct site *site_of(struct observer *o)
{
	struct site *site;

	o->draft.block = o->plan->insns[0].address;
	o->draft.piece = is_in_pieces(o);
	site = site_intern(&o->draft);
	if (second_parts() & PART_CYCLE)
		stretch_prepare(second_core(), &site->stretch);
	return site;
}

static IRExpr *site_argument(struct observer *o)
{
	return ir_const((uint64_t)(Addr)site_of(o));
}

static void forget(struct observer *o)
{
	VG_(memset)(&o->draft, 0, sizeof(o->draft));
	o->root_count = o->lines = o->pages = o->first_access = 0;
}

/* Arguments are passed whether the call is due or not: no more of them than
 * needed. The guest state only if @guest; @more: what comes between the site
 * and the roots, or NULL. */
static IRExpr **arguments(struct observer *o, bool guest, IRExpr *more)
{
	IRExpr **args = mkIRExprVec_6(NULL, NULL, NULL, NULL, NULL, NULL);
	unsigned n = 0;

	if (guest)
		args[n++] = IRExpr_GSPTR();
	args[n++] = site_argument(o);
	if (more)
		args[n++] = more;
	for (unsigned i = 0; i < o->root_count; i++)
		args[n++] = o->root[i];
	return args;
}

/* Accesses that pass by the filter make a call necessary. */
static bool is_unfiltered(const struct observer *o)
{
	for (unsigned i = 0; i < o->draft.accesses; i++)
		if (o->draft.access[i].kind >= ACCESS_NT ||
		    o->draft.access[i].size > 64)
			return true;
	return false;
}

static void show_filtered(struct observer *o)
{
	struct lookup l;
	IRExpr *miss = lookup_accesses(o, &l);

	if (lookup_names_core())
		observe_call(o, "replay_front", &replay_front,
			     arguments(o, false, l.lines), miss);
	else
		observe_call(o, "replay_accesses", &replay_accesses,
			     arguments(o, true, l.lines), miss);
	lookup_stamp(o, &l, miss);
}

static void call_pages(struct observer *o, IRExpr *guard)
{
	observe_call(o, "replay_pages", &replay_pages, arguments(o, true, NULL),
		     guard);
}

/* Lines and accesses that wait. */
static void show_accesses(struct observer *o)
{
	if (!o->draft.lines && !o->draft.accesses)
		return;
	if (!has(PART_DATA | PART_FETCH))
		/* only pages are looked up, in a filter of their own */
		call_pages(o, lookup_pages(o));
	else if (is_unfiltered(o))
		observe_call(o, "replay_accesses", &replay_accesses,
			     arguments(o, true, ir_const(1)), NULL);
	else
		show_filtered(o);
}

/* Show what waits, without a branch. */
static void show(struct observer *o)
{
	if (!o->draft.lines && !o->draft.accesses)
		return;
	show_accesses(o);
	forget(o);
}

static void call_all(struct observer *o, IRExpr *way, IRExpr *guard)
{
	observe_call(o, "replay_all", &replay_all, arguments(o, true, way),
		     guard);
}

/* All that waits, with or without a branch: by one call, or inlined and for
 * later. */
static void show_all(struct observer *o, IRExpr *way)
{
	if (!o->draft.lines && !o->draft.accesses && !o->draft.insns &&
	    !o->draft.branch.kind)
		return;
	if (o->by_call) {
		call_all(o, way, NULL);
	} else {
		show_accesses(o);
		if (o->draft.insns || o->draft.branch.kind)
			push_site(o, site_of(o), way);
	}
	forget(o);
}

static void flush(struct observer *o)
{
	if (o->together)
		show_all(o, ir_const(0));
	else
		show(o);
}

void observe_stop(struct observer *o, IRExpr *fired)
{
	if (!o->draft.lines && !o->draft.accesses && !o->draft.insns)
		return;
	if (o->together)
		call_all(o, ir_const(0), fired);
	else if (has(PART_DATA | PART_FETCH))
		observe_call(o, "replay_accesses", &replay_accesses,
			     arguments(o, true, ir_const(1)), fired);
	else
		call_pages(o, fired);
}

/* ---- collecting ---- */

/* Number of the root of @address among those that wait; adds it if need be. */
static unsigned root_number(struct observer *o, const struct address *address)
{
	if (address->root == IRTemp_INVALID)
		return SITE_ABSOLUTE;
	for (unsigned i = 0; i < o->root_count; i++)
		if (o->root_temp[i] == address->root)
			return i;
	o->root_temp[o->root_count] = address->root;
	o->root[o->root_count] = IRExpr_RdTmp(address->root);
	return o->root_count++;
}

/* The last access joins a group of those at most @span bytes apart. */
static void join_group(struct observer *o, struct group *groups,
		       unsigned *count, int64_t span)
{
	unsigned number = o->draft.accesses - 1;
	const struct site_access *a = &o->draft.access[number];
	int64_t low = a->offset, high = a->offset + a->size;
	bool writes = a->kind == ACCESS_STORES;

	for (unsigned i = 0; i < *count; i++) {
		struct group *g = &groups[i];
		int64_t all_low = low < g->low ? low : g->low;
		int64_t all_high = high > g->high ? high : g->high;

		if (g->root != a->root || all_high - all_low > span)
			continue;
		*g = (struct group){ a->root,         all_low,
				     all_high,        g->writes | writes,
				     g->accesses + 1, number };
		return;
	}
	groups[(*count)++] =
		(struct group){ a->root, low, high, writes, 1, number };
}

/* Whether one more access surely fits. */
static bool is_full(const struct observer *o)
{
	return o->root_count == SITE_ROOTS || o->lines == MAX_GROUPS ||
	       o->pages == MAX_GROUPS || o->draft.accesses == SITE_ACCESSES;
}

static void add_access(struct observer *o, const struct plan_access *from)
{
	struct address address = roots_get(&o->roots, from->address);
	struct site_access *a;

	if (is_full(o))
		flush(o);
	a = &o->draft.access[o->draft.accesses++];
	a->pc = from->pc;
	a->size = from->size;
	a->kind = from->kind;
	a->root = (uint8_t)root_number(o, &address);
	a->offset = address.offset;
	join_group(o, o->line, &o->lines, machine_line_bytes() / 8);
	join_group(o, o->page, &o->pages, 1 << (PAGE_SHIFT - 4));
}

static void add_accesses(struct observer *o, Int before)
{
	const struct plan *p = o->plan;

	while (o->access < p->access_count &&
	       p->accesses[o->access].statement < before)
		add_access(o, &p->accesses[o->access++]);
}

static void add_lines(struct observer *o, const struct plan_insn *insn)
{
	Addr mask = ~(Addr)(machine_line_bytes() - 1);
	Addr last = (insn->next - 1) & mask;
	struct site_draft *d = &o->draft;

	for (unsigned i = insn->lines; i > 0; i--) {
		d->line[d->lines] = last - (i - 1) * machine_line_bytes();
		d->line_at[d->lines] = (uint16_t)d->accesses;
		d->line_for[d->lines++] = insn->address;
	}
}

/* The instruction retires, with the accesses of it that wait. */
static void add_insn(struct observer *o, const struct plan_insn *insn)
{
	struct insn *i = &o->draft.insn[o->draft.insns];
	const struct x86 *x = &insn->x86;

	if (!has(PART_CYCLE) || insn->excluded || o->shown == RETIRED)
		return;
	o->shown = RETIRED;
	if (!o->draft.insns++)
		o->draft.pc = insn->address;
	i->class = (uint8_t)x86_class(x);
	i->length = x->length;
	for (unsigned k = o->first_access; k < o->draft.accesses; k++) {
		uint8_t kind = o->draft.access[k].kind;

		if (kind == ACCESS_LOADS)
			i->loads++;
		else if (kind < ACCESS_FLUSH)
			i->stores++;
	}
	VG_(memcpy)(i->addr, x->addr, sizeof(i->addr));
	VG_(memcpy)(i->src, x->src, sizeof(i->src));
	VG_(memcpy)(i->dst, x->dst, sizeof(i->dst));
}

/* ---- branches ---- */

static void set_branch(struct observer *o, const struct plan_insn *insn)
{
	o->draft.branch = (struct branch){
		.pc = insn->address,
		.next = insn->next,
		.target = insn->next + (Addr)(Long)insn->x86.relative,
		.kind = insn->x86.branch,
		.taken = true,
	};
}

/* NULL if the call is always due, else a test that it is. */
static IRExpr *unsettled(struct observer *o, Addr pc, IRExpr *taken)
{
	IRExpr *core, *entry, *key;

	if (!machine_has_bias())
		return NULL;
	core = ir_shadow(o->out, o->layout, SHADOW_CORE);
	entry = ir_load(o->out, Ity_I32,
			ir_op(o->out, Iop_Add64, core,
			      ir_const(offsetof(struct core, bias) +
				       4 * bias_index(pc))));
	key = ir_op(
		o->out, Iop_Or64, ir_const(bias_key(pc, false)),
		ir_op(o->out, Iop_Shl64, taken, IRExpr_Const(IRConst_U8(9))));
	return ir_test(o->out, Iop_CmpNE32, entry,
		       ir_let(o->out, Ity_I32, IRExpr_Unop(Iop_64to32, key)));
}

/* The same for a direct jump: the BTB does not know it. */
static IRExpr *unknown_target(struct observer *o, Addr pc)
{
	IRExpr *core, *btb, *entry;
	uint64_t index;

	if (!machine_btb_index(pc, &index))
		return ir_test(o->out, Iop_CmpNE64, ir_const(0), ir_const(0));
	core = ir_shadow(o->out, o->layout, SHADOW_CORE);
	btb = ir_load(o->out, Ity_I64,
		      ir_op(o->out, Iop_Add64, core,
			    ir_const(offsetof(struct core, btb))));
	entry = ir_load(o->out, Ity_I64,
			ir_op(o->out, Iop_Add64, btb, ir_const(8 * index)));
	return ir_test(o->out, Iop_CmpNE64, entry, ir_const(pc + 1));
}

/* Whether the target is the same each time. */
static bool is_direct(const struct plan_insn *insn)
{
	return insn->x86.branch == BRANCH_JUMP ||
	       insn->x86.branch == BRANCH_CALL;
}

/* @way as replay_branch() wants it. */
static void show_branch(struct observer *o, const struct plan_insn *insn,
			IRExpr *way)
{
	IRExpr **args;

	set_branch(o, insn);
	if (o->together) {
		show_all(o, way);
		return;
	}
	if (second_parts() & PART_BRANCH &&
	    (insn->x86.branch == BRANCH_COND || is_direct(insn))) {
		push_branch(o, site_of(o), way);
		forget(o);
		return;
	}
	args = mkIRExprVec_3(IRExpr_GSPTR(), site_argument(o), way);
	if (insn->x86.branch == BRANCH_COND)
		observe_call(o, "replay_cond", &replay_cond, args,
			     unsettled(o, insn->address, way));
	else
		observe_call(o, "replay_branch", &replay_branch, args,
			     insn->x86.branch == BRANCH_JUMP
				     ? unknown_target(o, insn->address)
				     : NULL);
	forget(o);
}

static bool is_shown_branch(const struct plan_insn *insn)
{
	return has(PART_BRANCH) && !insn->excluded &&
	       insn->x86.branch != BRANCH_NONE &&
	       insn->x86.branch != BRANCH_STOP;
}

/* Before an exit: all that happened so far, then the branch if it is one. */
static void reach_exit(struct observer *o, const IRStmt *st)
{
	const struct plan_insn *insn = &o->plan->insns[o->insn];
	bool is_cond = insn->x86.branch == BRANCH_COND;
	IRExpr *way;

	if (!is_cond || !is_shown_branch(insn) || o->shown == RETIRED) {
		if (o->draft.accesses > o->first_access)
			add_insn(o, insn);
		flush(o);
		return;
	}
	add_insn(o, insn);
	if (!o->together)
		show(o);
	way = ir_let(o->out, Ity_I64,
		     IRExpr_Unop(Iop_1Uto64, st->Ist.Exit.guard));
	if (!plan_is_exit_taken(insn, st->Ist.Exit.dst->Ico.U64))
		way = ir_op(o->out, Iop_Xor64, way, ir_const(1));
	show_branch(o, insn, way);
	o->shown = RETIRED;
}

/* The end of an instruction that has not left by an exit. */
static void end_insn(struct observer *o, const struct plan_insn *insn)
{
	IRExpr *way = ir_const(0);

	if (o->shown == RETIRED && insn->x86.branch == BRANCH_COND)
		return;
	add_insn(o, insn);
	if (!is_shown_branch(insn))
		return;
	if (!o->together)
		show(o);
	if (insn->x86.branch == BRANCH_COND)
		way = ir_const(insn->goes_on != insn->next);
	else if (insn->goes_on)
		way = ir_const(insn->goes_on);
	else
		way = deepCopyIRExpr(o->in->next);
	show_branch(o, insn, way);
}

void observe_reach(struct observer *o, Int statement)
{
	const struct plan *p = o->plan;

	add_accesses(o, statement);
	while (o->insn < p->count && p->insns[o->insn].end == statement) {
		end_insn(o, &p->insns[o->insn]);
		o->insn++;
		o->shown = NOT_YET;
		if (is_in_pieces(o) || o->draft.insns + 1 >= SITE_INSNS ||
		    o->draft.lines + 2 >= SITE_LINES)
			flush(o);
		o->first_access = o->draft.accesses;
	}
	if (o->insn == p->count) {
		flush(o);
		return;
	}
	if (statement < o->in->stmts_used &&
	    o->in->stmts[statement]->tag == Ist_Exit)
		reach_exit(o, o->in->stmts[statement]);
	if (p->insns[o->insn].statement == statement && o->shown == NOT_YET) {
		add_lines(o, &p->insns[o->insn]);
		o->shown = LINES;
	}
}
