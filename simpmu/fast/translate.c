/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Translations of blocks and traces: walks along guest code, copies what is no
 * branch, and decides at branches. How single instructions are written is in
 * copy.c and branch.c.
 */
#include "simpmu/fast/translate.h"

#include "simpmu/fast/block.h"
#include "simpmu/fast/count.h"
#include "simpmu/fast/emit.h"
#include "simpmu/fast/exclude.h"
#include "simpmu/fast/fleeting.h"
#include "simpmu/fast/insn.h"
#include "simpmu/fast/map.h"
#include "simpmu/fast/model/script.h"
#include "simpmu/fast/pages.h"
#include "simpmu/fast/path.h"
#include "simpmu/fast/request.h"
#include "simpmu/fast/sys.h"
#include "simpmu/fast/thread.h"
#include "simpmu/fast/trap/armed.h"
#include "simpmu/x86/effect.h"

/*
 * Found by trial with the programs of bench/: a trace has about so many
 * instructions, a loop is unrolled to more. It ends sooner where fewer of its
 * runs are expected to come: what is copied for them is in the way of what is
 * run.
 */
#define TRACE_INSNS  96
#define TRACE_LOOP   64
#define TRACE_ENDS   48
#define BLOCK_INSNS  128
#define TRACE_JOINS  16 /* it may end where another trace begins */
#define TRACE_REACH  (PATH_ALWAYS * 4 / 10)
#define TRACE_LONGER 64 /* instructions without a branch beyond TRACE_INSNS */

static struct path path; /* under the lock; too large for the stack */

uint64_t path_key(const struct path *p, uint64_t pc)
{
	return key_of(pc, p->mode);
}

void path_exit(const struct path *p, uint64_t pc)
{
	if (p->mode == MODE_STEP) {
		emit_set_address(T_PC, pc);
		emit_leave(EXIT_STEPPED);
	} else {
		exit_emit(path_key(p, pc));
	}
}

void path_account(struct path *p, const struct x86 *x)
{
	if (!p->is_silent)
		effect_of_instruction(x, x->length, p->amount);
}

uint32_t path_counter(const struct path *p)
{
	uint32_t counter = count_new();

	count_means(counter, p->amount);
	return counter;
}

/* A trace counts where it is left. */
static void count_exit(struct path *p, bool live)
{
	int32_t spent[THREAD_TRAPS];

	if (!p->is_trace || p->is_silent)
		return;
	emit_count(path_counter(p), live);
	if (p->mode == MODE_ARMED) {
		armed_spent(p, spent);
		armed_leave(spent, live);
	}
}

/* The log's record ends where a path is left. */
static void log_exit(void)
{
	if (script_is_on())
		script_commit(script_leave(), script_held());
}

static void leave_to(struct path *p, uint64_t target)
{
	count_exit(p, insn_flags_live(target));
	log_exit();
	path_exit(p, target);
}

/* ---- ends that leave the cache ---- */

static void end_in_engine(struct path *p, const struct x86 *x, uint64_t next,
			  uint32_t why)
{
	path_account(p, x);
	count_exit(p, true);
	if (script_is_on())
		script_behind(p->pc, x);
	log_exit();
	emit_set_address(T_PC, next);
	emit_leave(why);
}

/* What cannot be run is refused when it is reached, not before. */
static void end_refused(struct path *p)
{
	count_exit(p, true);
	log_exit();
	emit_set_address(T_PC, p->pc);
	emit_leave(EXIT_REFUSED);
}

/* Code that can be executed but not read: old system calls (vsyscall), pages
 * of a protection key. */
static bool is_readable(uint64_t pc)
{
	uint8_t byte;

	return !guest_copy(&byte, (const void *)pc, 1);
}

/* int n, far returns and jumps, and gs, which is the engine's */
static bool is_refused(const struct x86 *x)
{
	if (x->flags & X86_GS)
		return true;
	if (x->map == 1 && x->opcode == 0xae && x->modrm >> 6 == 3 &&
	    x->kind == X86_SERIAL)
		return (x->modrm >> 3 & 5) == 1 || /* rdgsbase, wrgsbase */
		       (script_is_on() && (x->modrm >> 3 & 7) == 2);
	if (x->map || x->encoding != X86_LEGACY)
		return false;
	return x->opcode == 0xca || x->opcode == 0xcb || x->opcode == 0xcd ||
	       x->opcode == 0xcf ||
	       (x->opcode == 0xff &&
		((x->modrm >> 3 & 7) == 3 || (x->modrm >> 3 & 7) == 5)) ||
	       (x->opcode == 0xc7 && x->modrm == 0xf8); /* xbegin */
}

/* ---- branches; false: the path ends ---- */

static struct path_side *add_side(struct path *p, uint64_t target)
{
	struct path_side *side = &p->sides[p->n_sides++];

	side->at = 0;
	side->target = target;
	side->is_live = target == 0 || insn_flags_live(target);
	side->counter = p->is_silent ? 0 : path_counter(p);
	armed_spent(p, side->spent);
	side->held = script_held();
	side->record = 0;
	return side;
}

/* Emit the conditional branch @x: jumps if its outcome is @taken. */
static uint8_t *branch_away(uint64_t pc, const struct x86 *x, bool taken)
{
	uint8_t *jump;

	if (!insn_is_loop(x))
		return emit_jump_if((x->opcode & 15u) ^ !taken);
	emit_bytes((const uint8_t *)pc, x->length - 1u);
	if (!taken) { /* over the jump that leaves */
		emit1(5);
		return emit_jump(emit_at);
	}
	emit1(2);
	emit2(0xeb, 5);
	jump = emit_jump(emit_at);
	return jump;
}

/* The path is left by the direct branch @x. */
static void log_branch(const struct path *p, const struct x86 *x, bool taken)
{
	if (script_is_on())
		script_commit(script_leave_by(p->pc, x, taken), script_held());
}

/* It goes on behind the branch, or with @target; that has been emitted. */
static void log_follow(const struct path *p, const struct x86 *x, bool taken,
		       uint64_t target)
{
	if (!script_is_on())
		return;
	script_follow(p->pc, x, taken, target);
	script_behind(p->pc, x);
}

static void count_taken(struct path *p, bool live)
{
	int32_t taken[TALLY_ARCH_COUNT];

	if (p->is_silent)
		return;
	memset(taken, 0, sizeof(taken));
	taken[TALLY_BR_TAKEN] = 1;
	p->block->taken_counter = count_new();
	count_means(p->block->taken_counter, taken);
	emit_count(p->block->taken_counter, live);
	if (p->mode == MODE_ARMED)
		armed_taken(live);
}

static void end_block_at_condition(struct path *p, const struct x86 *x,
				   uint64_t next, uint64_t target)
{
	uint8_t *jump = branch_away(p->pc, x, true);

	log_branch(p, x, false);
	path_exit(p, next);
	emit_patch(jump, emit_at);
	count_taken(p, insn_flags_live(target));
	log_branch(p, x, true);
	path_exit(p, target);
}

static bool follow_condition(struct path *p, const struct x86 *x, uint64_t next)
{
	uint64_t target = next + (uint64_t)(int64_t)x->relative;
	struct path_side *side;
	bool taken;

	path_account(p, x);
	if (!p->is_trace) {
		end_block_at_condition(p, x, next, target);
		return false;
	}
	taken = path_likely_taken(p, target);
	p->amount[TALLY_BR_TAKEN] += !taken;
	side = add_side(p, taken ? next : target);
	p->amount[TALLY_BR_TAKEN] += taken ? 1 : -1;
	if (script_is_on())
		side->record = script_leave_by(p->pc, x, !taken);
	side->jump = branch_away(p->pc, x, !taken);
	log_follow(p, x, taken, target);
	p->pc = taken ? target : next;
	return true;
}

static bool follow_direct(struct path *p, const struct x86 *x, uint64_t next)
{
	uint64_t target = next + (uint64_t)(int64_t)x->relative;

	path_account(p, x);
	if (x->branch == BRANCH_CALL) {
		path_push(p, next);
		if (p->n_calls < PATH_CALLS)
			p->calls[p->n_calls++] = next;
	}
	if (!p->is_trace) {
		log_branch(p, x, true);
		path_exit(p, target);
		return false;
	}
	log_follow(p, x, true, target);
	p->pc = target;
	return true;
}

static bool follow_indirect(struct path *p, const struct x86 *x, uint64_t next)
{
	uint64_t expected = p->is_trace ? path_expected(p, x) : 0;
	uint32_t record = 0;
	struct path_side *side;

	path_account(p, x);
	if (p->mode == MODE_PAUSED)
		apart_emit_branch(p->pc, x);
	if (script_is_on())
		record = script_leave_by(p->pc, x, true);
	if (!expected) {
		count_exit(p, true);
		path_jump_indirect(p, p->pc, x, record, false);
		return false;
	}
	side = add_side(p, 0);
	side->at = p->pc;
	side->insn = *x;
	side->record = record;
	side->jump = path_expect(p->pc, x, expected);
	if (x->branch == BRANCH_IND_CALL) {
		path_push(p, next);
		if (p->n_calls < PATH_CALLS)
			p->calls[p->n_calls++] = next;
	}
	log_follow(p, x, true, expected);
	p->pc = expected;
	return true;
}

static bool follow_branch(struct path *p, const struct x86 *x)
{
	uint64_t next = p->pc + x->length;

	p->branches++;
	if (!p->is_trace)
		p->block->end = x->branch;
	switch (x->branch) {
	case BRANCH_COND:
		map_add(p->pc, FIX_NONE);
		return follow_condition(p, x, next);
	case BRANCH_JUMP:
	case BRANCH_CALL:
		map_add(p->pc, FIX_NONE);
		return follow_direct(p, x, next);
	default:
		/* rcx and rax are the branch's own, and the log's there */
		if (script_is_on())
			script_release_now();
		map_add(p->pc, FIX_BRANCH);
		return follow_indirect(p, x, next);
	}
}

/* Whether the trace has come far enough at the start of another block. */
static bool is_long_enough(const struct path *p)
{
	const struct block *block;

	if (p->insns >= TRACE_INSNS || p->n_sides >= PATH_SIDES - 8 ||
	    p->n_far >= PATH_FAR - 4 || p->branches >= TRACE_ENDS)
		return true;
	if (p->pc == p->block->pc)
		return p->insns >= TRACE_LOOP;
	if (p->reach < TRACE_REACH)
		return true;
	if (p->insns < TRACE_JOINS)
		return false;
	block = block_find(path_key(p, p->pc));
	return block && block->trace;
}

static void end_trace(struct path *p)
{
	if (p->pc != p->block->pc) {
		leave_to(p, p->pc);
		return;
	}
	count_exit(p, insn_flags_live(p->pc));
	log_exit();
	p->block->loop = emit_patchable_jump(p->start);
}

/* ---- the walk ---- */

/* Whether a plain instruction ends the path: the next is looked at anew. */
static bool is_last(const struct path *p, const struct x86 *x)
{
	unsigned limit = p->mode == MODE_STEP ? 1
			 : p->is_fleeting     ? FLEETING_INSNS
			 : p->is_trace        ? TRACE_INSNS + TRACE_LONGER
					      : BLOCK_INSNS;

	if (p->is_fleeting && x->stores)
		return true;

	/* after cpuid, code that another thread changed must be seen */
	return p->insns >= limit || x->branch == BRANCH_STOP ||
	       (x->map == 1 && x->opcode == 0xa2 && x->encoding == X86_LEGACY);
}

static bool walk_plain(struct path *p, const struct x86 *x)
{
	bool last = is_last(p, x);

	path_copy(p, x);
	path_account(p, x);
	if (script_is_on())
		script_behind(p->pc, x);
	p->pc += x->length;
	if (p->pc % PAGE == 0)
		pages_depend(p->pc);
	if (!last)
		return true;
	map_add(p->pc, FIX_END);
	leave_to(p, p->pc);
	return false;
}

static bool is_branch(const struct x86 *x)
{
	return x->branch && x->branch != BRANCH_STOP;
}

/* How often a rep repeats is not known at the entry of an armed path: it is
 * run alone. */
static bool is_rep_apart(const struct path *p)
{
	const struct x86 *x;

	if (p->mode != MODE_ARMED)
		return false;
	x = insn_at(p->pc);
	return x && x->flags & X86_REP;
}

/* One instruction; false: the path has ended. */
static bool walk(struct path *p)
{
	const struct x86 *found;
	struct x86 insn; /* a copy: what follows decodes others */
	const struct x86 *x = &insn;

	if ((p->mode != MODE_PAUSED &&
	     apart_is_at(p->pc, p->pc == p->block_pc)) ||
	    is_rep_apart(p)) {
		leave_to(p, p->pc);
		return false;
	}
	found = insn_at(p->pc);
	if (p->pc / PAGE != p->page && !pages_is_code(p->pc)) {
		leave_to(p, p->pc);
		return false;
	}
	p->page = p->pc / PAGE;
	if (!found && !is_readable(p->pc)) {
		end_refused(p);
		return false;
	}
	if (!found || (is_branch(found) && found->flags & X86_LOCK)) {
		map_add(p->pc, FIX_NONE);
		emit2(0x0f, 0x0b); /* the guest's own fault: ud2 */
		return false;
	}
	insn = *found;
	p->end = p->pc + x->length;
	p->insns++;
	if (p->pc % PAGE + x->length > PAGE)
		pages_depend(p->pc + x->length);
	if (is_refused(x) || (script_is_on() && !script_can(p->pc, x))) {
		end_refused(p);
		return false;
	}
	if (script_is_on())
		script_before(p->pc, x);
	if (x->length == 4 && request_is_at(p->pc)) {
		map_add(p->pc, FIX_NONE);
		end_in_engine(p, x, p->pc + REQUEST_BYTES, EXIT_REQUEST);
		return false;
	}
	if (x->kind == X86_SYSCALL) {
		map_add(p->pc, FIX_NONE);
		end_in_engine(p, x, p->pc + x->length, EXIT_SYSCALL);
		return false;
	}
	if (!is_branch(x))
		return walk_plain(p, x);
	if (!follow_branch(p, x))
		return false;
	p->block_pc = p->pc;
	pages_depend(p->pc);
	if (is_long_enough(p)) {
		end_trace(p);
		return false;
	}
	return true;
}

/* ---- what stands behind the path ---- */

static void emit_sides(struct path *p)
{
	for (unsigned i = 0; i < p->n_sides; i++) {
		struct path_side *side = &p->sides[i];

		emit_patch(side->jump, emit_at);
		if (side->counter)
			emit_count(side->counter, side->is_live);
		if (p->mode == MODE_ARMED)
			armed_leave(side->spent, side->is_live);
		if (side->at) {
			path_jump_indirect(p, side->at, &side->insn,
					   side->record, true);
			continue;
		}
		if (side->record)
			script_commit(side->record, side->held);
		path_exit(p, side->target);
	}
}

static void emit_far(struct path *p)
{
	for (unsigned i = 0; i < p->n_far; i++) {
		emit_patch(p->far[i].displacement, emit_at);
		emit8(p->far[i].value);
	}
}

static void begin(struct path *p, struct block *block, bool is_trace,
		  bool is_apart)
{
	p->block = block;
	p->is_trace = is_trace;
	p->mode = block->mode;
	p->is_silent = p->mode == MODE_PAUSED || is_apart;
	script_is_paused = p->is_silent;
	p->pc = p->block_pc = p->end = block->pc;
	p->is_fleeting = pages_is_fleeting(block->pc);
	p->page = 0;
	p->reach = PATH_ALWAYS;
	p->insns = p->branches = p->n_sides = p->n_far = p->n_calls = 0;
	memset(p->amount, 0, sizeof(p->amount));
	memset(p->test, 0, sizeof(p->test));
	memset(p->spend, 0, sizeof(p->spend));
	pages_begin(block);
	pages_depend(block->pc);
	emit_align(16);
	p->start = emit_at;
	map_begin(block_number(block), is_trace, p->is_silent);
	if (script_is_on())
		script_begin(map_count());
}

static void finish(struct path *p)
{
	emit_sides(p);
	emit_far(p);
	if (p->mode == MODE_ARMED && !p->is_silent)
		armed_finish(p);
	if (script_is_on())
		script_finish();
	pages_begin(NULL);
}

/* ---- blocks and traces ---- */

uint8_t *translate_block(struct block *block)
{
	bool is_apart =
		block->mode != MODE_PAUSED && apart_is_at(block->pc, true);

	begin(&path, block, false, is_apart);
	block->loop = NULL;
	block->taken_counter = 0;
	block->end = BRANCH_NONE;
	if (is_apart) {
		apart_emit(&path);
	} else if (is_rep_apart(&path)) {
		block->entry_counter = 0;
		emit_leave(EXIT_NEAR | block_number(block));
	} else {
		enter_block(&path);
		while (walk(&path))
			;
	}
	if (block->entry_counter)
		count_means(block->entry_counter, path.amount);
	finish(&path);
	if (path.is_fleeting)
		fleeting_keep(block, path.end);
	return path.start;
}

uint8_t *translate_trace(struct block *block)
{
	begin(&path, block, true, false);
	enter_trace(&path);
	while (walk(&path))
		;
	finish(&path);
	return path.start;
}
