/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Traps: call the PMU layer at the instruction that makes a count cross a
 * threshold.
 *
 * Each thread has, for each trap, what is left until it fires. Blocks come in
 * two forms. The fast one subtracts per segment, and at its start looks
 * whether the trap could fire inside: then it asks to be translated again in
 * the precise form, which subtracts per instruction, calls fire() at the very
 * instruction, and leaves the block behind it. Once the trap is far again the
 * precise form asks to become fast. Translating twice per sample costs about
 * 0.3 ms; for short periods all code is precise instead.
 *
 * A thread that fires leaves for Valgrind's scheduler before its next
 * instruction, where queued signals are delivered.
 */
#include <libvex_guest_amd64.h>
#include <pub_tool_basics.h>
#include <pub_tool_libcassert.h>
#include <pub_tool_libcbase.h>
#include <pub_tool_machine.h>
#include <pub_tool_options.h>
#include <pub_tool_threadstate.h>
#include <pub_tool_tooliface.h>

#include "simpmu/vg/ir.h"
#include "simpmu/vg/machine.h"
#include "simpmu/vg/trap.h"

/* Periods below this are served by precise code throughout. */
#define SHORT_PERIOD 100000

/* Larger than any count; what is left in a thread that is not armed. */
#define DISARMED ((int64_t)1 << 62)

/* More than VEX ever unrolls a loop. */
#define UNROLLED 32

/* Blocks that are precise now. A lost entry only costs a retranslation. */
#define NEAR_BITS 8

static struct {
	bool used[ENGINE_TRAPS];
	struct engine_trap traps[ENGINE_TRAPS];
	bool all_precise;
	bool faults_are_handled; /* by the guest */
	Addr near[1 << NEAR_BITS];
	uint64_t model_seen[ENGINE_MAX_TID][ENGINE_TRAPS];
} state;

bool trap_watches_model;

/*
 * VEX's own settings. It copies the core's into them when the first block is
 * translated, and never looks at the core's again.
 */
extern VexControl vex_control;

static Addr *near_slot(Addr address)
{
	return &state.near[(address ^ address >> NEAR_BITS) &
			   ((1u << NEAR_BITS) - 1)];
}

/*
 * Precise code needs all guest registers in memory at each instruction. A
 * handler of faults may look at them, and go on with them, where one happened.
 */
static void want_registers(bool at_each_instruction)
{
	VexRegisterUpdates updates =
		at_each_instruction        ? VexRegUpdAllregsAtEachInsn
		: state.faults_are_handled ? VexRegUpdAllregsAtMemAccess
					   : VexRegUpdUnwindregsAtMemAccess;

	vex_control.iropt_register_updates_default = updates;
	VG_(clo_vex_control).iropt_register_updates_default = updates;
}

void trap_expect_faults(void)
{
	if (state.faults_are_handled)
		return;
	state.faults_are_handled = true;
	want_registers(state.all_precise);
	engine_retranslate();
}

/* The part of @slot's sum that is not known from the code alone. */
static uint64_t modelled(unsigned slot, unsigned tid)
{
	const int32_t *weight = state.traps[slot].weight;
	const struct core *core = machine_core(tid);
	uint64_t sum = 0;

	if (core)
		for (unsigned s = TALLY_MODEL_FIRST; s < TALLY_COUNT; s++)
			sum += (uint64_t)(int64_t)weight[s] * core->tallies[s];
	if (core)
		sum += (uint64_t)(int64_t)(weight[TALLY_L1D_LOAD] +
					   weight[TALLY_DTLB_LOAD]) *
			       core->tallies[TALLY_SPLIT_LOAD] +
		       (uint64_t)(int64_t)(weight[TALLY_L1D_STORE] +
					   weight[TALLY_DTLB_STORE]) *
			       core->tallies[TALLY_SPLIT_STORE];
	return sum + (uint64_t)(int64_t)weight[TALLY_PAGE_TOUCH] *
			     thread_get(tid)->totals[TALLY_PAGE_TOUCH];
}

static bool is_modelled(unsigned slot)
{
	const int32_t *weight = state.traps[slot].weight;

	for (unsigned s = TALLY_MODEL_FIRST; s < TALLY_COUNT; s++)
		if (weight[s])
			return true;
	return weight[TALLY_PAGE_TOUCH];
}

/* ---- what the PMU layer calls ---- */

void engine_trap_set(unsigned slot, const struct engine_trap *trap)
{
	tl_assert(slot < ENGINE_TRAPS);
	state.used[slot] = trap != NULL;
	if (trap)
		state.traps[slot] = *trap;
	state.all_precise = trap_watches_model = false;
	for (unsigned i = 0; i < ENGINE_TRAPS; i++)
		trap_watches_model |= state.used[i] && is_modelled(i);
	want_registers(false);
	for (unsigned tid = 1; tid < ENGINE_MAX_TID; tid++) {
		struct thread *t = thread_get(tid);

		if (t->frame)
			t->frame->left[slot] = DISARMED;
	}
	engine_retranslate();
}

void engine_trap_arm(unsigned slot, unsigned tid, uint64_t count)
{
	struct thread *t = thread_get(tid);

	tl_assert(slot < ENGINE_TRAPS && state.used[slot] && t->frame);
	t->frame->left[slot] = count ? (int64_t)count : DISARMED;
	state.model_seen[tid][slot] = modelled(slot, tid);
	if (count && count < SHORT_PERIOD && !state.all_precise) {
		state.all_precise = true;
		want_registers(true);
		engine_retranslate();
	}
}

uint64_t engine_trap_left(unsigned slot, unsigned tid)
{
	const struct thread *t = thread_get(tid);

	tl_assert(slot < ENGINE_TRAPS);
	if (!t->frame || t->frame->left[slot] >= DISARMED / 2 ||
	    t->frame->left[slot] <= 0)
		return 0;
	return (uint64_t)t->frame->left[slot];
}

void trap_disarm_frame(struct frame *f)
{
	for (unsigned i = 0; i < ENGINE_TRAPS; i++)
		f->left[i] = DISARMED;
	f->fired = 0;
}

/* ---- weights ---- */

/* Look-ups are known from the code but for accesses that cross a line. */
static int64_t weigh_lookups(const int32_t *weight, const struct draft *draft)
{
	int64_t loads = weight[TALLY_L1D_LOAD] + weight[TALLY_DTLB_LOAD];
	int64_t stores = weight[TALLY_L1D_STORE] + weight[TALLY_DTLB_STORE];
	int64_t fetches = weight[TALLY_L1I_ACCESS] + weight[TALLY_ITLB_ACCESS];

	return loads * draft->amount[DRAFT_EXTRA(SEEN_LOADS)] +
	       stores * draft->amount[DRAFT_EXTRA(SEEN_STORES)] +
	       fetches * draft->amount[DRAFT_EXTRA(SEEN_FETCHES)];
}

void trap_weigh(const struct draft *draft, int64_t amount[ENGINE_TRAPS])
{
	for (unsigned i = 0; i < ENGINE_TRAPS; i++) {
		amount[i] = 0;
		if (!state.used[i])
			continue;
		for (unsigned s = 0; s < TALLY_ARCH_COUNT; s++)
			amount[i] += (int64_t)state.traps[i].weight[s] *
				     draft->amount[s];
		amount[i] += weigh_lookups(state.traps[i].weight, draft);
	}
}

bool trap_is_touched(const struct draft *draft)
{
	int64_t amount[ENGINE_TRAPS];

	trap_weigh(draft, amount);
	for (unsigned i = 0; i < ENGINE_TRAPS; i++)
		if (amount[i])
			return true;
	return false;
}

bool trap_is_precise(Addr address)
{
	if (state.all_precise)
		return true;
	if (*near_slot(address) != address)
		return false;
	want_registers(false);
	return true;
}

/* ---- firing ---- */

static void fire(unsigned slot, unsigned tid, Addr address)
{
	int64_t *left = &thread_get(tid)->frame->left[slot];

	*left = DISARMED;
	if (state.traps[slot].fire)
		state.traps[slot].fire(slot, tid, address);
}

/* Called by precise code. */
static void fire_here(VexGuestAMD64State *guest, ULong slot, ULong address)
{
	unsigned tid = VG_(get_running_tid)();

	fire((unsigned)slot, tid, address);
	thread_get(tid)->frame->fired = 1;
	guest->host_EvC_COUNTER = 0;
}

void trap_check_model(void *guest, Addr address)
{
	unsigned tid = engine.running;

	if (thread_get(tid)->paused)
		return;
	for (unsigned i = 0; i < ENGINE_TRAPS; i++) {
		uint64_t now;

		if (!state.used[i] || !is_modelled(i))
			continue;
		now = modelled(i, tid);
		thread_get(tid)->frame->left[i] -=
			(int64_t)(now - state.model_seen[tid][i]);
		state.model_seen[tid][i] = now;
		if (thread_get(tid)->frame->left[i] <= 0)
			fire_here(guest, i, address);
	}
}

/* ---- code ---- */

static IRExpr *left_address(IRSB *sb, IRExpr *frame, unsigned slot)
{
	return ir_op(sb, Iop_Add64, frame,
		     ir_const(offsetof(struct frame, left) + 8 * slot));
}

/* left -= amount, where @guard holds if there is one; gives the new value. */
static IRExpr *emit_subtract(IRSB *sb, IRExpr *at, int64_t amount,
			     IRExpr *guard)
{
	IRExpr *by = ir_const((uint64_t)amount);
	IRExpr *left = ir_load(sb, Ity_I64, at);

	if (guard)
		by = ir_op(sb, Iop_And64,
			   ir_let(sb, Ity_I64, IRExpr_Unop(Iop_1Sto64, guard)),
			   by);
	left = ir_op(sb, Iop_Sub64, left, by);
	ir_store(sb, at, left);
	return left;
}

void trap_emit_segment(IRSB *sb, const VexGuestLayout *layout,
		       const struct draft *draft)
{
	int64_t amount[ENGINE_TRAPS];
	IRExpr *frame = NULL;

	trap_weigh(draft, amount);
	for (unsigned i = 0; i < ENGINE_TRAPS; i++) {
		if (!amount[i])
			continue;
		if (!frame)
			frame = ir_shadow(sb, layout, SHADOW_FRAME);
		emit_subtract(sb, left_address(sb, frame, i), amount[i], NULL);
	}
}

static void emit_fire(IRSB *sb, unsigned slot, Addr address, IRExpr *guard)
{
	ir_call(sb, "fire_here", &fire_here,
		mkIRExprVec_3(IRExpr_GSPTR(), ir_const(slot),
			      ir_const(address)),
		guard, Ifx_Write,
		offsetof(VexGuestAMD64State, host_EvC_COUNTER), sizeof(UInt));
}

void trap_emit_step(IRSB *sb, const VexGuestLayout *layout,
		    const struct plan_step *step, IRExpr *guard)
{
	IRExpr *frame = ir_shadow(sb, layout, SHADOW_FRAME);

	for (unsigned i = 0; i < ENGINE_TRAPS; i++) {
		IRExpr *left;

		if (!step->amount[i])
			continue;
		left = emit_subtract(sb, left_address(sb, frame, i),
				     step->amount[i], guard);
		emit_fire(sb, i, step->address,
			  ir_test(sb, Iop_CmpLE64S, left, ir_const(0)));
	}
}

IRExpr *trap_emit_fired(IRSB *sb, const VexGuestLayout *layout)
{
	IRExpr *frame = ir_shadow(sb, layout, SHADOW_FRAME);
	IRExpr *at = ir_op(sb, Iop_Add64, frame,
			   ir_const(offsetof(struct frame, fired)));

	return ir_test(sb, Iop_CmpNE64, ir_load(sb, Ity_I64, at), ir_const(0));
}

void trap_emit_stop(IRSB *sb, const VexGuestLayout *layout, IRExpr *fired,
		    const struct plan_insn *next)
{
	addStmtToIRSB(sb,
		      IRStmt_Exit(fired, Ijk_Boring, IRConst_U64(next->address),
				  layout->offset_IP));
}

/* Translate the block again; the exit behind this call does it. */
static void discard(VexGuestAMD64State *guest, ULong address, ULong length)
{
	guest->guest_CMSTART = address;
	guest->guest_CMLEN = length;
}

static void ask_for_precise(VexGuestAMD64State *guest, ULong address,
			    ULong length)
{
	*near_slot(address) = address;
	want_registers(true);
	discard(guest, address, length);
}

static void ask_for_fast(VexGuestAMD64State *guest, ULong address, ULong length)
{
	*near_slot(address) = 0;
	discard(guest, address, length);
}

static void emit_ask(IRSB *sb, const VexGuestLayout *layout, IRExpr *guard,
		     bool precise, Addr address, UInt length)
{
	const HChar *name = precise ? "ask_for_fast" : "ask_for_precise";
	void *call = precise ? (void *)&ask_for_fast : (void *)&ask_for_precise;
	IRDirty *d = unsafeIRDirty_0_N(0, name, VG_(fnptr_to_fnentry)(call),
				       mkIRExprVec_3(IRExpr_GSPTR(),
						     ir_const(address),
						     ir_const(length)));

	d->guard = guard;
	d->nFxState = 2;
	VG_(memset)(&d->fxState, 0, sizeof(d->fxState));
	d->fxState[0].fx = d->fxState[1].fx = Ifx_Write;
	d->fxState[0].offset = offsetof(VexGuestAMD64State, guest_CMSTART);
	d->fxState[1].offset = offsetof(VexGuestAMD64State, guest_CMLEN);
	d->fxState[0].size = d->fxState[1].size = sizeof(ULong);
	addStmtToIRSB(sb, IRStmt_Dirty(d));
	addStmtToIRSB(sb, IRStmt_Exit(guard, Ijk_InvalICache,
				      IRConst_U64(address), layout->offset_IP));
}

/* The most that running the block can subtract from @slot. */
static int64_t bound_of(const struct plan *plan, unsigned slot)
{
	int64_t bound = 0;

	for (unsigned i = 0; i < plan->segments; i++) {
		int64_t amount[ENGINE_TRAPS];

		trap_weigh(&plan->drafts[i], amount);
		if (amount[slot] > 0)
			bound += amount[slot];
	}
	return bound;
}

/* 1 in the result: some trap could fire in this block. */
static IRExpr *emit_is_near(IRSB *sb, const VexGuestLayout *layout,
			    const struct plan *plan)
{
	IRExpr *near = NULL, *frame = NULL;

	for (unsigned i = 0; i < ENGINE_TRAPS; i++) {
		int64_t bound = state.used[i] ? bound_of(plan, i) : 0;
		IRExpr *left, *is_near;

		if (bound <= 0)
			continue;
		/*
		 * VEX unrolls loops in fast code only, so the fast form may
		 * subtract many times more: without room between them the two
		 * forms would ask for each other forever.
		 */
		if (plan->precise)
			bound *= UNROLLED;
		if (!frame)
			frame = ir_shadow(sb, layout, SHADOW_FRAME);
		left = ir_load(sb, Ity_I64, left_address(sb, frame, i));
		is_near =
			ir_let(sb, Ity_I64,
			       IRExpr_Unop(Iop_1Uto64,
					   ir_test(sb, Iop_CmpLE64S, left,
						   ir_const((uint64_t)bound))));
		near = near ? ir_op(sb, Iop_Or64, near, is_near) : is_near;
	}
	return near;
}

void trap_emit_block(IRSB *sb, const VexGuestLayout *layout,
		     const struct plan *plan, Addr address, UInt length)
{
	IRExpr *near;

	if (plan->precise && state.all_precise)
		return;
	near = emit_is_near(sb, layout, plan);
	if (!near)
		return;
	emit_ask(sb, layout,
		 ir_test(sb, plan->precise ? Iop_CmpEQ64 : Iop_CmpNE64, near,
			 ir_const(0)),
		 plan->precise, address, length);
}
