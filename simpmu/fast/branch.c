/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where branches are expected to go; indirect branches and calls. Nothing here
 * changes a flag: compilers do pass values in flags over returns and indirect
 * jumps (V8 does). Registers are spilled to struct thread, as below the stack
 * pointer is the guest's.
 */
#include "simpmu/fast/block.h"
#include "simpmu/fast/count.h"
#include "simpmu/fast/emit.h"
#include "simpmu/fast/model/script.h"
#include "simpmu/fast/path.h"
#include "simpmu/fast/sys.h"
#include "simpmu/fast/thread.h"

#define REX_W 0x48

extern const uint8_t indirect_stepped[];

/* What is taken for the share of a branch that nothing is known of. */
#define UNKNOWN (PATH_ALWAYS * 6 / 10)

/* The path goes on with @share of its runs, of PATH_ALWAYS. */
static void go_on_with(struct path *p, uint64_t share)
{
	p->reach = (uint32_t)(p->reach * share / PATH_ALWAYS);
}

bool path_likely_taken(struct path *p, uint64_t target)
{
	const struct block *block = block_find(path_key(p, p->block_pc));
	uint64_t runs = 0, taken;
	bool is_likely;

	if (block && block->end == BRANCH_COND && block->taken_counter)
		runs = count_executions(block->entry_counter);
	if (!runs) {
		go_on_with(p, UNKNOWN);
		return target < p->pc; /* a loop */
	}
	taken = count_executions(block->taken_counter);
	if (taken > runs)
		taken = runs;
	is_likely = taken * 2 > runs;
	go_on_with(p, (is_likely ? taken : runs - taken) * PATH_ALWAYS / runs);
	return is_likely;
}

/* Where the indirect branch of the block at hand went last; 0: not known. */
static uint64_t last_target(const struct path *p)
{
	const struct block *block = block_find(path_key(p, p->block_pc));
	uint64_t target;

	if (!block)
		return 0;
	target = ((const uint64_t *)LAST_TARGET)[block_number(block)];
	return is_low(target) && block_find(path_key(p, target)) ? target : 0;
}

/* A return to the call that the path has followed, else where it went last. */
uint64_t path_expected(struct path *p, const struct x86 *x)
{
	if (x->branch == BRANCH_RETURN && p->n_calls) {
		uint64_t back = p->calls[--p->n_calls];

		if (is_low(back))
			return back;
	}
	if (x->branch == BRANCH_RETURN)
		p->n_calls = 0;
	return last_target(p);
}

void path_push(struct path *path, uint64_t address)
{
	if (is_low(address)) {
		emit1(0x68);
		emit4((uint32_t)address);
		return;
	}
	emit2(0xff, 0x35); /* push [rip + ...], filled in at the end */
	path->far[path->n_far].displacement = emit_at;
	path->far[path->n_far].value = address;
	path->n_far++;
	emit4(0);
}

/* mov rcx, operand of the jump or call @x at @pc */
static void load_operand(uint64_t pc, const struct x86 *x)
{
	const uint8_t *code = (const uint8_t *)pc;
	uint64_t target = pc + x->length + (uint64_t)(int64_t)x->disp;
	int64_t distance = (int64_t)(target - ((uint64_t)emit_at + 7));
	unsigned rex = 0, at = x->modrm_at;

	if (x->flags & X86_RIP) {
		if (distance == (int32_t)distance) {
			emit2(REX_W, 0x8b);
			emit1(0x0d);
			emit4((uint32_t)distance);
		} else {
			emit_constant(RCX, target);
			emit2(REX_W, 0x8b);
			emit1(0x09);
		}
		return;
	}
	for (unsigned i = 0; i + 1 < at; i++) {
		if (code[i] == 0x64 || code[i] == 0x67)
			emit1(code[i]);
		rex = (code[i] & 0xf0) == 0x40 ? code[i] : 0;
	}
	emit2(REX_W | (rex & 3), 0x8b);
	emit1((code[at] & 0xc7u) | RCX << 3);
	emit_bytes(code + at + 1, x->length - (at + 1u));
}

static unsigned popped_bytes(uint64_t pc, const struct x86 *x)
{
	uint16_t more = 0;

	if (x->opcode == 0xc2)
		memcpy(&more, (const uint8_t *)pc + x->length - 2, 2);
	return more;
}

void path_target(uint64_t pc, const struct x86 *x)
{
	if (x->branch != BRANCH_RETURN) {
		load_operand(pc, x);
		return;
	}
	emit1(0x59); /* pop rcx */
	if (popped_bytes(pc, x))
		emit_add(RSP, (int32_t)popped_bytes(pc, x));
}

void path_jump_indirect(struct path *path, uint64_t pc, const struct x86 *x,
			uint32_t record, bool is_spilled)
{
	/* a return does not need it */
	if (is_spilled && x->branch != BRANCH_RETURN)
		emit_load(RCX, T_SPILL0);
	if (!is_spilled)
		emit_store(RCX, T_SPILL0);
	emit_store(RAX, T_SPILL1);
	path_target(pc, x);
	if (!path->is_trace) {
		emit2(REX_W, 0x89); /* mov [last target], rcx */
		emit2(0x0c, 0x25);
		emit4(LAST_TARGET + 8 * block_number(path->block));
	}
	if (x->branch == BRANCH_IND_CALL)
		path_push(path, pc + x->length);
	if (record)
		script_commit_target(record);
	if (path->mode == MODE_STEP) {
		emit_jump(indirect_stepped);
		return;
	}
	emit1(0x0f); /* movzx eax, cx */
	emit2(0xb7, 0xc1);
	emit2(0xff, 0x24); /* jmp [rax * 8 + targets] */
	emit1(0xc5);
	emit4((uint32_t)mode_targets(path->mode));
}

uint8_t *path_expect(uint64_t pc, const struct x86 *x, uint64_t expected)
{
	uint8_t *jump;

	emit_store(RCX, T_SPILL0);
	if (x->branch == BRANCH_RETURN) {
		emit2(REX_W, 0x8b); /* mov rcx, [rsp] */
		emit2(0x0c, 0x24);
	} else {
		load_operand(pc, x);
	}
	emit_add(RCX, -(int32_t)expected);
	emit2(0xe3, 5); /* jrcxz */
	jump = emit_jump(emit_at);
	emit_load(RCX, T_SPILL0);
	if (x->branch == BRANCH_RETURN)
		emit_add(RSP, (int32_t)(8 + popped_bytes(pc, x)));
	return jump;
}
