/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Puts into a block the code that shows the model what it does.
 *
 * What happens between two places where control can leave (and at most as
 * much as a site holds) is shown together. Without the cycle model most of it
 * needs no call: inlined code looks every line and address up in the core's
 * filter (simpmu/model/filter.h), or's all differences together, and calls
 * replay_accesses() only if one is not there. Branches that are settled are
 * skipped likewise. The cycle model sees everything: one call. So do blocks
 * that have not run often yet (tier.h).
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
#include "simpmu/vg/machine.h"
#include "simpmu/vg/observe.h"
#include "simpmu/vg/pages.h"
#include "simpmu/vg/root.h"
#include "simpmu/vg/site.h"
#include "simpmu/vg/tier.h"

/* Look-ups of a kind between two calls; more would only cost registers. */
#define MAX_GROUPS 8

/* Accesses, or fetches, that one look-up covers. */
struct group {
	unsigned root;
	int64_t low, high; /* bytes [low, high) from the root */
	bool writes;
	unsigned accesses;
	unsigned last; /* number of the last access among all */
};

struct observer {
	IRSB *out;
	const IRSB *in;
	const VexGuestLayout *layout;
	const struct plan *plan;
	struct roots roots; /* of all addresses in the block */
	bool by_call;       /* nothing is inlined */

	/* how far the block has been shown */
	unsigned insn, access;
	enum {
		NOT_YET,
		LINES,
		RETIRED
	} shown;               /* of insns[insn] */
	unsigned first_access; /* of insns[insn], in the draft */

	/* what waits to be shown */
	struct site_draft draft;
	IRExpr *root[SITE_ROOTS];
	IRTemp root_temp[SITE_ROOTS];
	unsigned root_count;
	struct group line[MAX_GROUPS]; /* accesses to the same line */
	unsigned lines;
	struct group page[MAX_GROUPS]; /* and to the same page */
	unsigned pages;
};

static bool has(unsigned parts)
{
	return engine.parts & parts;
}

static unsigned max_roots(const struct observer *o)
{
	return o->by_call ? SITE_ROOTS - 1 : SITE_ROOTS;
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
	observer.by_call =
		has(PART_CYCLE) || (has(PART_DATA | PART_FETCH | PART_BRANCH) &&
				    !tier_is_hot(plan->insns[0].address));
	roots_find(&observer.roots, in);
	VG_(memset)(&observer.draft, 0, sizeof(observer.draft));
	observer.root_count = observer.lines = observer.pages = 0;
	return &observer;
}

/* ---- calls ---- */

static void call(struct observer *o, const HChar *name, void *function,
		 IRExpr **args, IRExpr *guard)
{
	IRDirty *d = unsafeIRDirty_0_N(0, name, VG_(fnptr_to_fnentry)(function),
				       args);

	if (guard)
		d->guard = guard;
	/* a trap may make guest code stop; see trap.c */
	d->nFxState = 1;
	VG_(memset)(&d->fxState, 0, sizeof(d->fxState));
	d->fxState[0].fx = Ifx_Write;
	d->fxState[0].offset = offsetof(VexGuestAMD64State, host_EvC_COUNTER);
	d->fxState[0].size = sizeof(UInt);
	addStmtToIRSB(o->out, IRStmt_Dirty(d));
}

static IRExpr *root_argument(const struct observer *o, unsigned i)
{
	return i < o->root_count ? o->root[i] : ir_const(0);
}

static IRExpr *site_argument(struct observer *o)
{
	o->draft.block = o->plan->insns[0].address;
	return ir_const((uint64_t)(Addr)site_intern(&o->draft));
}

static void forget(struct observer *o)
{
	VG_(memset)(&o->draft, 0, sizeof(o->draft));
	o->root_count = o->lines = o->pages = o->first_access = 0;
}

/* ---- the filter ---- */

static unsigned line_shift(void)
{
	unsigned shift = 0;

	while (1u << shift < machine_line_bytes())
		shift++;
	return shift;
}

/* A direct-mapped table: where its first entry is, from some base; how many
 * entries; log2 of the bytes that one is about, and of its own bytes. */
struct table {
	uint64_t offset;
	uint64_t count;
	unsigned about;
	unsigned size;
};

static struct table line_table(uint64_t offset)
{
	return (struct table){ offset, FILTER_LINES, line_shift(),
			       FILTER_SHIFT };
}

static struct table page_table(uint64_t offset)
{
	return (struct table){ offset, FILTER_PAGES, PAGE_SHIFT, FILTER_SHIFT };
}

/* Where a table has its entry for one address: at + offset. */
struct entry {
	IRExpr *at;
	uint64_t offset;
};

static IRExpr *field_address(struct observer *o, const struct entry *e,
			     uint64_t field)
{
	return ir_op(o->out, Iop_Add64, e->at, ir_const(e->offset + field));
}

static struct entry constant_entry(const struct table *t, IRExpr *base,
				   uint64_t address)
{
	uint64_t i = address >> t->about & (t->count - 1);
	struct entry e = { base, t->offset + (i << t->size) };

	return e;
}

/* With one shift, to the right or to the left. */
static struct entry computed_entry(struct observer *o, const struct table *t,
				   IRExpr *base, IRExpr *ea)
{
	bool right = t->about >= t->size;
	UChar by = (UChar)(right ? t->about - t->size : t->size - t->about);
	IRExpr *i = ir_op(o->out, right ? Iop_Shr64 : Iop_Shl64, ea,
			  IRExpr_Const(IRConst_U8(by)));
	struct entry e = { .offset = t->offset };

	i = ir_op(o->out, Iop_And64, i, ir_const((t->count - 1) << t->size));
	e.at = ir_op(o->out, Iop_Add64, base, i);
	return e;
}

static IRExpr *or_in(struct observer *o, IRExpr *all, IRExpr *more)
{
	return all ? ir_op(o->out, Iop_Or64, all, more) : more;
}

static IRExpr *masked(struct observer *o, IRExpr *value, uint64_t mask)
{
	return value ? ir_op(o->out, Iop_And64, value, ir_const(mask)) : NULL;
}

static IRExpr *group_address(struct observer *o, const struct group *g)
{
	if (g->root == SITE_ABSOLUTE)
		return ir_const((uint64_t)g->low);
	if (!g->low)
		return o->root[g->root];
	return ir_op(o->out, Iop_Add64, o->root[g->root],
		     ir_const((uint64_t)g->low));
}

/* What must be below a length if all accesses of @g may pass. */
static IRExpr *difference(struct observer *o, const struct group *g, IRExpr *ea,
			  IRExpr *known)
{
	IRExpr *d = ir_op(o->out, Iop_Sub64, ea, known);

	if (g->high - g->low > 1)
		d = ir_op(o->out, Iop_Add64, d,
			  ir_const((uint64_t)(g->high - g->low - 1)));
	return d;
}

static IRExpr *look_up(struct observer *o, const struct table *t, IRExpr *base,
		       const struct group *g, struct entry *e)
{
	IRExpr *ea = group_address(o, g);

	*e = g->root == SITE_ABSOLUTE
		     ? constant_entry(t, base, (uint64_t)g->low)
		     : computed_entry(o, t, base, ea);
	return difference(o, g, ea,
			  ir_load(o->out, Ity_I64, field_address(o, e, 0)));
}

/* ---- looking up fetches and accesses ---- */

struct lookup {
	IRExpr *core;
	IRExpr *clock;
	/* Not 0 in bits that matter: something is missing. */
	IRExpr *code, *loads, *stores, *pages;
	struct entry code_line[SITE_LINES], code_page[SITE_LINES];
	struct entry line[MAX_GROUPS], page[MAX_GROUPS];
};

static bool is_last_of_page(const struct observer *o, unsigned i)
{
	return i + 1 == o->draft.lines ||
	       o->draft.line[i] >> PAGE_SHIFT !=
		       o->draft.line[i + 1] >> PAGE_SHIFT;
}

static void look_up_constant(struct observer *o, struct lookup *l,
			     const struct table *t, uint64_t address,
			     uint64_t tag, struct entry *e)
{
	IRExpr *known;

	*e = constant_entry(t, l->core, address);
	known = ir_load(o->out, Ity_I64, field_address(o, e, 0));
	l->code = or_in(o, l->code,
			ir_op(o->out, Iop_Xor64, known, ir_const(tag)));
}

static void look_up_code(struct observer *o, struct lookup *l)
{
	struct table lines = line_table(offsetof(struct core, code.line));
	struct table pages = page_table(offsetof(struct core, code.page));

	for (unsigned i = 0; i < o->draft.lines; i++) {
		uint64_t line = o->draft.line[i];

		look_up_constant(o, l, &lines, line, line | FILTER_CLEAN,
				 &l->code_line[i]);
		if (is_last_of_page(o, i))
			look_up_constant(o, l, &pages, line,
					 line >> PAGE_SHIFT << PAGE_SHIFT,
					 &l->code_page[i]);
	}
}

static void look_up_data(struct observer *o, struct lookup *l)
{
	struct table lines = line_table(offsetof(struct core, data.line));
	struct table pages = page_table(offsetof(struct core, data.page));

	for (unsigned i = 0; i < o->lines; i++) {
		const struct group *g = &o->line[i];
		IRExpr **all = g->writes ? &l->stores : &l->loads;

		*all = or_in(o, *all,
			     look_up(o, &lines, l->core, g, &l->line[i]));
	}
	for (unsigned i = 0; i < o->pages; i++)
		l->pages = or_in(
			o, l->pages,
			look_up(o, &pages, l->core, &o->page[i], &l->page[i]));
}

/* Whether anything is missing. */
static IRExpr *is_missing(struct observer *o, struct lookup *l)
{
	uint64_t above_line = ~(uint64_t)(machine_line_bytes() - 1);
	uint64_t above_page = ~((UINT64_C(1) << PAGE_SHIFT) - 1);
	IRExpr *all[] = { l->code, masked(o, l->stores, above_line),
			  masked(o, l->loads, above_line & ~FILTER_TOP),
			  masked(o, l->pages, above_page) };
	IRExpr *any = NULL;

	for (unsigned i = 0; i < 4; i++)
		if (all[i])
			any = or_in(o, any, all[i]);
	return ir_test(o->out, Iop_CmpNE64, any, ir_const(0));
}

/* ---- stamps ---- */

static void stamp(struct observer *o, const struct lookup *l, IRExpr *guard,
		  const struct entry *e, uint64_t number)
{
	IRExpr *at = ir_load(
		o->out, Ity_I64,
		field_address(o, e, offsetof(struct filter_entry, stamp)));
	IRExpr *now = number ? ir_op(o->out, Iop_Add64, l->clock,
				     ir_const(number * CLOCK_STEP))
			     : l->clock;

	if (guard)
		addStmtToIRSB(o->out, IRStmt_StoreG(Iend_LE, at, now, guard));
	else
		ir_store(o->out, at, now);
}

/*
 * A replay has left the right stamps. Stamps of single accesses may be stored
 * again behind it, which costs less than to find out: in order, the last one
 * of an entry is right. For several accesses in a group, which the replay may
 * have found on two lines, it may be wrong, and so it may be for those before.
 */
static bool must_guard(const struct group *groups, unsigned count,
		       const struct group *g)
{
	for (unsigned i = 0; i < count; i++)
		if (groups[i].accesses > 1 && groups[i].last >= g->last)
			return true;
	return false;
}

/* Groups whose last access is number @k. */
static void stamp_groups(struct observer *o, const struct lookup *l,
			 IRExpr *hit, bool pages, unsigned k)
{
	const struct group *groups = pages ? o->page : o->line;
	const struct entry *entries = pages ? l->page : l->line;
	unsigned count = pages ? o->pages : o->lines;

	for (unsigned i = 0; i < count; i++)
		if (groups[i].last == k)
			stamp(o, l,
			      must_guard(groups, count, &groups[i]) ? hit
								    : NULL,
			      &entries[i], o->draft.lines + k);
}

static void stamp_all(struct observer *o, const struct lookup *l, IRExpr *miss)
{
	unsigned lines = o->draft.lines, accesses = o->draft.accesses;
	IRExpr *hit = NULL;

	if (accesses > 1)
		hit = ir_let(o->out, Ity_I1, IRExpr_Unop(Iop_Not1, miss));
	for (unsigned i = 0; i < lines; i++) {
		stamp(o, l, NULL, &l->code_line[i], i);
		if (is_last_of_page(o, i))
			stamp(o, l, NULL, &l->code_page[i], i);
	}
	for (unsigned k = 0; k < accesses; k++) {
		stamp_groups(o, l, hit, false, k);
		stamp_groups(o, l, hit, true, k);
	}
	ir_store(o->out,
		 ir_op(o->out, Iop_Add64, l->core,
		       ir_const(offsetof(struct core, clock))),
		 ir_op(o->out, Iop_Add64, l->clock,
		       ir_const((lines + accesses) * CLOCK_STEP)));
}

static void call_accesses(struct observer *o, IRExpr *guard)
{
	call(o, "replay_accesses", &replay_accesses,
	     mkIRExprVec_6(IRExpr_GSPTR(), site_argument(o),
			   root_argument(o, 0), root_argument(o, 1),
			   root_argument(o, 2), root_argument(o, 3)),
	     guard);
}

/* Accesses that pass by the filter make a call necessary. */
static bool is_unfiltered(const struct observer *o)
{
	for (unsigned i = 0; i < o->draft.accesses; i++)
		if (o->draft.access[i].kind == ACCESS_NT ||
		    o->draft.access[i].kind == ACCESS_FLUSH ||
		    o->draft.access[i].size > 64)
			return true;
	return false;
}

static void show_filtered(struct observer *o)
{
	struct lookup l = { .core = ir_shadow(o->out, o->layout, SHADOW_CORE) };
	IRExpr *miss;

	l.clock = ir_load(o->out, Ity_I64,
			  ir_op(o->out, Iop_Add64, l.core,
				ir_const(offsetof(struct core, clock))));
	look_up_code(o, &l);
	look_up_data(o, &l);
	miss = is_missing(o, &l);
	call_accesses(o, miss);
	stamp_all(o, &l, miss);
}

/* Without the model only pages are looked up, in a filter of their own. */
static void show_pages(struct observer *o)
{
	const struct table known = { 0, PAGE_FILTER_SIZE, PAGE_SHIFT, 3 };
	IRExpr *base = ir_const((uint64_t)(Addr)page_filter);
	IRExpr *missing = NULL;

	for (unsigned i = 0; i < o->pages; i++) {
		struct entry e;

		missing = or_in(o, missing,
				look_up(o, &known, base, &o->page[i], &e));
	}
	call(o, "replay_pages", &replay_pages,
	     mkIRExprVec_6(IRExpr_GSPTR(), site_argument(o),
			   root_argument(o, 0), root_argument(o, 1),
			   root_argument(o, 2), root_argument(o, 3)),
	     ir_test(o->out, Iop_CmpNE64,
		     masked(o, missing, ~((UINT64_C(1) << PAGE_SHIFT) - 1)),
		     ir_const(0)));
}

/* Show what waits, without a branch. */
static void show(struct observer *o)
{
	if (!o->draft.lines && !o->draft.accesses)
		return;
	if (!has(PART_DATA | PART_FETCH))
		show_pages(o);
	else if (is_unfiltered(o))
		call_accesses(o, NULL);
	else
		show_filtered(o);
	forget(o);
}

/* The same by one call, with or without a branch. */
static void show_all(struct observer *o, IRExpr *way)
{
	if (!o->draft.lines && !o->draft.accesses && !o->draft.insns &&
	    !o->draft.branch.kind)
		return;
	call(o, "replay_all", &replay_all,
	     mkIRExprVec_6(IRExpr_GSPTR(), site_argument(o), way,
			   root_argument(o, 0), root_argument(o, 1),
			   root_argument(o, 2)),
	     NULL);
	forget(o);
}

static void flush(struct observer *o)
{
	if (o->by_call)
		show_all(o, ir_const(0));
	else
		show(o);
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
	return o->root_count == max_roots(o) || o->lines == MAX_GROUPS ||
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

	if (insn->lines == 2)
		o->draft.line[o->draft.lines++] = last - machine_line_bytes();
	if (insn->lines)
		o->draft.line[o->draft.lines++] = last;
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
		else if (kind != ACCESS_FLUSH)
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

/* @way as replay_branch() wants it. */
static void show_branch(struct observer *o, const struct plan_insn *insn,
			IRExpr *way)
{
	IRExpr **args;

	set_branch(o, insn);
	if (o->by_call) {
		show_all(o, way);
		return;
	}
	args = mkIRExprVec_3(IRExpr_GSPTR(), site_argument(o), way);
	if (insn->x86.branch == BRANCH_COND)
		call(o, "replay_cond", &replay_cond, args,
		     unsettled(o, insn->address, way));
	else
		call(o, "replay_branch", &replay_branch, args,
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
	if (!o->by_call)
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
	if (!o->by_call)
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
		if (p->precise || o->draft.insns + 1 >= SITE_INSNS ||
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
