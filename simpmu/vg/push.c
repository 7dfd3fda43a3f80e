/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Emits the code that writes records to the queue of the core. */
#include "simpmu/vg/push.h"

#include "simpmu/vg/ir.h"
#include "simpmu/vg/observe.h"
#include "simpmu/vg/second.h"

#define MAX_WORDS (1 + SITE_ROOTS + 1)

struct words {
	IRExpr *word[MAX_WORDS];
	unsigned count;
	uint64_t most; /* bytes of a piece after which it is full */
};

static void push(struct observer *o, const struct words *w)
{
	struct entry core = lookup_core(o);
	const uint64_t field = core.offset + offsetof(struct core, branches);
	IRExpr *at = ir_load_at(o->out, core.at, field);
	IRExpr *next = ir_op(o->out, Iop_Add64, at, ir_const(8 * w->count));
	IRExpr *used, *full;

	for (unsigned i = 0; i < w->count; i++)
		ir_store_at(o->out, at, 8 * i, w->word[i]);
	ir_store_at(o->out, core.at, field, next);
	used = ir_op(o->out, Iop_And64, next, ir_const(QUEUE_BYTES - 1));
	full = w->most == QUEUE_BYTES
		       ? ir_test(o->out, Iop_CmpEQ64, used, ir_const(0))
		       : ir_test(o->out, Iop_CmpLT64U, ir_const(w->most), used);
	observe_call(o, "second_turn", &second_turn, mkIRExprVec_0(), full);
}

void push_branch(struct observer *o, const struct site *site, IRExpr *way)
{
	const struct branch *b = site->stretch.branch;
	struct words w = { .count = 1, .most = QUEUE_BYTES };

	_Static_assert(sizeof(*b) == 32, "one shift tells the way");
	if (b->kind == BRANCH_COND)
		w.word[0] = ir_op(o->out, Iop_Add64,
				  ir_op(o->out, Iop_Shl64, way,
					IRExpr_Const(IRConst_U8(5))),
				  ir_const(later_branch(LATER_COND, &b[0])));
	else
		w.word[0] = ir_const(later_branch(LATER_DIRECT, &b[1]));
	push(o, &w);
}

static bool has_target(enum branch_kind kind)
{
	return kind == BRANCH_RETURN || kind == BRANCH_IND_JUMP ||
	       kind == BRANCH_IND_CALL;
}

void push_site(struct observer *o, const struct site *site, IRExpr *way)
{
	const struct stretch *s = &site->stretch;
	enum branch_kind kind = s->branch[1].kind;
	uint64_t first = (uint64_t)(Addr)s;
	struct words w = { .count = 1, .most = QUEUE_BYTES - STRETCH_SPARE };

	for (unsigned i = 0; i < s->roots; i++)
		w.word[w.count++] = o->root[i];
	if (has_target(kind)) {
		first |= STRETCH_TARGET;
		w.word[w.count++] = way;
	}
	_Static_assert(STRETCH_TAKEN == 1, "as it comes");
	w.word[0] = kind == BRANCH_COND
			    ? ir_op(o->out, Iop_Or64, way, ir_const(first))
			    : ir_const(first);
	push(o, &w);
}
