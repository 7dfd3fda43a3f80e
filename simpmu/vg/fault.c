/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Faults in the middle of a segment. A segment is counted when it is entered;
 * an instruction in it that faults, and those behind it, must be taken back.
 *
 * Which block faulted is in a shadow register: translated code puts it there.
 * Which instruction it was is in the guest's instruction pointer, which is
 * exact at memory accesses and, by a mark of hint.c, at divisions. An
 * instruction may be split over segments (a rep string tests its count first,
 * an aligned access its address): all that were entered are taken back.
 *
 * VEX leaves loads and divisions out whose result nobody uses. They are put
 * back, so that they fault where the program's do.
 */
#include <pub_tool_basics.h>
#include <pub_tool_libcbase.h>
#include <pub_tool_machine.h>
#include <pub_tool_tooliface.h>

#include "simpmu/vg/ir.h"
#include "simpmu/vg/state.h"
#include "simpmu/x86/decode.h"
#include "simpmu/x86/effect.h"

/* Add @sign times what is listed. */
static void add_effects(struct thread *t, const struct effect *e, unsigned n,
			int sign)
{
	for (unsigned i = 0; i < n; i++)
		t->totals[e[i].total] +=
			(uint64_t)(int64_t)(sign * e[i].amount);
}

/* Take back all that entering the segment counted. */
static void take_back(struct thread *t, uint32_t segment)
{
	unsigned n;
	const struct effect *e = segment_effects(segment, &n);

	add_effects(t, e, n, -1);
}

static unsigned length_at(Addr at)
{
	struct x86 x;

	return x86_decode((const uint8_t *)at, X86_MAX_LENGTH, &x) ? x.length
								   : 1;
}

/* Add what the instructions in [@from, @to) count. */
static void add_instructions(struct thread *t, Addr from, Addr to)
{
	int32_t amount[TALLY_ARCH_COUNT] = { 0 };

	while (from < to) {
		struct x86 x;

		if (!x86_decode((const uint8_t *)from, X86_MAX_LENGTH, &x))
			break;
		effect_of_instruction(&x, x.length, amount);
		from += x.length;
	}
	for (unsigned s = 0; s < TALLY_ARCH_COUNT; s++)
		t->totals[s] += (uint64_t)(int64_t)amount[s];
}

/* Count again what lies before @at in a segment that was taken back. */
static void give_before(struct thread *t, const struct segment_place *p,
			Addr at)
{
	Addr from = p->start;
	unsigned n;

	if (p->inside) {
		const struct effect *head = segment_head(p->segment, &n);

		add_effects(t, head, n, 1);
		from += length_at(from);
	}
	add_instructions(t, from, at);
}

/* The instruction at @at, in the block whose first segment is @block. */
static void correct(struct thread *t, uint32_t block, Addr at)
{
	struct segment_place p = { .segment = block - 1 };
	bool found = false;

	while (segment_next(block, &p)) {
		bool rest = p.inside && p.start == at;

		if (found && !rest)
			break; /* the same instruction once more: unrolled */
		if (found && p.touches) {
			take_back(t, p.segment);
			break;
		}
		if (found || rest || at < p.start || at > p.last)
			continue;
		found = true;
		take_back(t, p.segment);
		give_before(t, &p, at);
	}
}

void fault_meet(unsigned tid)
{
	struct thread *t = thread_get(tid);
	Addr at = VG_(get_IP)(tid);
	uint64_t block;

	if (t->paused || exclude_holds(at))
		return;
	VG_(get_shadow_regs_area)
	(tid, (UChar *)&block, 1, SHADOW_BLOCK, sizeof(block));
	correct(t, (uint32_t)block, at);
}

/* ---- code ---- */

void fault_emit_block(IRSB *sb, const VexGuestLayout *layout, uint32_t first)
{
	addStmtToIRSB(sb, IRStmt_Put(layout->total_sizeB + SHADOW_BLOCK,
				     ir_const(first)));
}

static IRType type_of(unsigned size)
{
	switch (size) {
	case 2:
		return Ity_I16;
	case 4:
		return Ity_I32;
	case 8:
		return Ity_I64;
	case 16:
		return Ity_V128;
	case 32:
		return Ity_V256;
	default:
		return Ity_I8;
	}
}

/* It goes where nobody reads it, or VEX would leave it out again. */
void fault_emit_use(IRSB *sb, const VexGuestLayout *layout, IRExpr *value)
{
	addStmtToIRSB(sb, IRStmt_Put(layout->total_sizeB + SHADOW_SINK, value));
}

void fault_emit_load(IRSB *sb, const VexGuestLayout *layout, IRExpr *address,
		     unsigned size)
{
	fault_emit_use(sb, layout, ir_load(sb, type_of(size), address));
}
