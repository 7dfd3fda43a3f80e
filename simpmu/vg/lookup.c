/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Emits the code that looks fetches and accesses up in the core's filter
 * (simpmu/model/filter.h): all differences are or'ed together, so that one test
 * tells whether the model has to be called.
 */
#include "simpmu/vg/lookup.h"

#include "simpmu/vg/ir.h"
#include "simpmu/vg/machine.h"
#include "simpmu/vg/pages.h"
#include "simpmu/vg/second.h"

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

static IRExpr *load_field(struct observer *o, const struct entry *e,
			  uint64_t field)
{
	return ir_load_at(o->out, e->at, e->offset + field);
}

static struct entry constant_entry(const struct table *t, struct entry base,
				   uint64_t address)
{
	uint64_t i = address >> t->about & (t->count - 1);
	struct entry e = { base.at, base.offset + t->offset + (i << t->size) };

	return e;
}

/* With one shift, to the right or to the left. */
static struct entry computed_entry(struct observer *o, const struct table *t,
				   struct entry base, IRExpr *ea)
{
	bool right = t->about >= t->size;
	UChar by = (UChar)(right ? t->about - t->size : t->size - t->about);
	IRExpr *i = ir_op(o->out, right ? Iop_Shr64 : Iop_Shl64, ea,
			  IRExpr_Const(IRConst_U8(by)));
	struct entry e = { .offset = base.offset + t->offset };

	i = ir_op(o->out, Iop_And64, i, ir_const((t->count - 1) << t->size));
	e.at = base.at ? ir_op(o->out, Iop_Add64, base.at, i) : i;
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

/* What must be below a length if all accesses of @g may pass. A single one that
 * ends on another page ends on another line, which is looked up too. */
static IRExpr *difference(struct observer *o, const struct table *t,
			  const struct group *g, IRExpr *ea, IRExpr *known)
{
	IRExpr *d = ir_op(o->out, Iop_Sub64, ea, known);

	if (g->high - g->low > 1 &&
	    (t->about != PAGE_SHIFT || g->accesses > 1 || !o->lines))
		d = ir_op(o->out, Iop_Add64, d,
			  ir_const((uint64_t)(g->high - g->low - 1)));
	return d;
}

static IRExpr *look_up(struct observer *o, const struct table *t,
		       struct entry base, const struct group *g,
		       struct entry *e)
{
	IRExpr *ea = group_address(o, g);

	*e = g->root == SITE_ABSOLUTE
		     ? constant_entry(t, base, (uint64_t)g->low)
		     : computed_entry(o, t, base, ea);
	return difference(o, t, g, ea, load_field(o, e, 0));
}

/* ---- looking up fetches and accesses ---- */

bool lookup_names_core(void)
{
	return second_parts() && !exclude_any() &&
	       !thread_get(engine.running)->paused;
}

struct entry lookup_core(struct observer *o)
{
	if (lookup_names_core())
		return (struct entry){ NULL, (uint64_t)(Addr)second_core() };
	return (struct entry){ ir_shadow(o->out, o->layout, SHADOW_CORE), 0 };
}

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
	known = load_field(o, e, 0);
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
			  masked(o, l->loads, above_line & ~FILTER_TOP) };
	IRExpr *any = NULL;

	for (unsigned i = 0; i < 3; i++)
		if (all[i])
			any = or_in(o, any, all[i]);
	l->lines = any ? any : ir_const(0);
	if (l->pages)
		any = or_in(o, any, masked(o, l->pages, above_page));
	return ir_test(o->out, Iop_CmpNE64, any, ir_const(0));
}

/* ---- stamps ---- */

static void stamp(struct observer *o, IRExpr *now, IRExpr *guard,
		  const struct entry *e)
{
	IRExpr *at = load_field(o, e, offsetof(struct filter_entry, stamp));

	if (guard)
		addStmtToIRSB(o->out, IRStmt_StoreG(Iend_LE, at, now, guard));
	else
		ir_store(o->out, at, now);
}

/* The stamp of what is number @number. */
static IRExpr *time_of(struct observer *o, IRExpr *clock, unsigned number)
{
	return number ? ir_op(o->out, Iop_Add64, clock,
			      ir_const(number * CLOCK_STEP))
		      : clock;
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

/* Groups whose last access is number @k, which happened at @now. */
static void stamp_groups(struct observer *o, const struct lookup *l,
			 IRExpr *now, IRExpr *hit, bool pages, unsigned k)
{
	const struct group *groups = pages ? o->page : o->line;
	const struct entry *entries = pages ? l->page : l->line;
	unsigned count = pages ? o->pages : o->lines;

	for (unsigned i = 0; i < count; i++)
		if (groups[i].last == k)
			stamp(o, now,
			      must_guard(groups, count, &groups[i]) ? hit
								    : NULL,
			      &entries[i]);
}

/*
 * The clock is read now: behind a replay everything happens a little later
 * once more, in the same order, and nothing has to be kept across the call.
 */
void lookup_stamp(struct observer *o, const struct lookup *l, IRExpr *miss)
{
	unsigned lines = o->draft.lines, accesses = o->draft.accesses;
	const uint64_t field = l->core.offset + offsetof(struct core, clock);
	IRExpr *clock = ir_load_at(o->out, l->core.at, field), *hit = NULL;

	if (accesses > 1)
		hit = ir_let(o->out, Ity_I1, IRExpr_Unop(Iop_Not1, miss));
	for (unsigned i = 0; i < lines; i++) {
		IRExpr *now = time_of(o, clock, i);

		stamp(o, now, NULL, &l->code_line[i]);
		if (is_last_of_page(o, i))
			stamp(o, now, NULL, &l->code_page[i]);
	}
	for (unsigned k = 0; k < accesses; k++) {
		IRExpr *now = time_of(o, clock, lines + k);

		stamp_groups(o, l, now, hit, false, k);
		stamp_groups(o, l, now, hit, true, k);
	}
	ir_store_at(o->out, l->core.at, field,
		    time_of(o, clock, lines + accesses));
}

IRExpr *lookup_accesses(struct observer *o, struct lookup *l)
{
	*l = (struct lookup){ .core = lookup_core(o) };
	look_up_code(o, l);
	look_up_data(o, l);
	return is_missing(o, l);
}

IRExpr *lookup_pages(struct observer *o)
{
	const struct table known = { 0, PAGE_FILTER_SIZE, PAGE_SHIFT, 3 };
	const struct entry base = { NULL, (uint64_t)(Addr)page_filter };
	IRExpr *missing = NULL;

	for (unsigned i = 0; i < o->pages; i++) {
		struct entry e;

		missing = or_in(o, missing,
				look_up(o, &known, base, &o->page[i], &e));
	}
	return ir_test(o->out, Iop_CmpNE64,
		       masked(o, missing, ~((UINT64_C(1) << PAGE_SHIFT) - 1)),
		       ir_const(0));
}
