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

void lookup_stamp(struct observer *o, const struct lookup *l, IRExpr *miss)
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

IRExpr *lookup_accesses(struct observer *o, struct lookup *l)
{
	*l = (struct lookup){ .core = ir_shadow(o->out, o->layout,
						SHADOW_CORE) };
	l->clock = ir_load(o->out, Ity_I64,
			   ir_op(o->out, Iop_Add64, l->core,
				 ir_const(offsetof(struct core, clock))));
	look_up_code(o, l);
	look_up_data(o, l);
	return is_missing(o, l);
}

IRExpr *lookup_pages(struct observer *o)
{
	const struct table known = { 0, PAGE_FILTER_SIZE, PAGE_SHIFT, 3 };
	IRExpr *base = ir_const((uint64_t)(Addr)page_filter);
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
