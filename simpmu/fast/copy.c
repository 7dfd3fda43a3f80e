/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Copying instructions that are no branches. Most are copied as they are. An
 * operand relative to the instruction pointer gets another displacement, or,
 * where the cache is too far away, a scratch register. A rep string counts its
 * iterations: the register that it counts down, before less after.
 */
#include "simpmu/fast/count.h"
#include "simpmu/fast/emit.h"
#include "simpmu/fast/map.h"
#include "simpmu/fast/path.h"
#include "simpmu/fast/sys.h"
#include "simpmu/fast/thread.h"
#include "simpmu/x86/effect.h"

#define REX_W 0x48

/* A register that @x does not use, nor implies. */
static unsigned scratch_for(const struct x86 *x)
{
	static const uint8_t candidates[] = { RSI, RDI, RBX };
	unsigned reg = x->modrm >> 3 & 7;

	for (unsigned i = 0; i < sizeof(candidates); i++) {
		unsigned c = candidates[i];

		/* cmpxchg16b uses rbx; string instructions have no ModRM */
		if (c != reg && c != (x->vvvv & 7u) && c != RBX)
			return c;
	}
	return RBX;
}

/* The prefix bit that extends ModRM.rm to 8 must be off. */
static void clear_extension(uint8_t *code, const struct x86 *x)
{
	unsigned opcode = x->modrm_at - 1u;

	if (x->encoding == X86_EVEX)
		code[opcode - 3] |= 0x20;
	else if (x->encoding == X86_VEX && code[opcode - 2] != 0xc5)
		code[opcode - 2] |= 0x20; /* the short form has no such bit */
	else if (x->encoding == X86_LEGACY)
		for (unsigned i = 0; i < opcode; i++)
			if ((code[i] & 0xf0) == 0x40)
				code[i] &= 0xfe;
}

/* The operand is at [scratch] instead. */
static void copy_by_scratch(const uint8_t *code, const struct x86 *x,
			    uint64_t target)
{
	unsigned reg = scratch_for(x), at = x->modrm_at;
	uint8_t changed[X86_MAX_LENGTH];

	memcpy(changed, code, x->length);
	clear_extension(changed, x);
	emit_store(reg, T_SPILL0);
	emit_constant(reg, target);
	emit_bytes(changed, at);
	emit1((code[at] & 0x38u) | reg);
	emit_bytes(changed + at + 5, x->length - (at + 5u));
	emit_load(reg, T_SPILL0);
}

static bool reaches(uint64_t from, uint64_t to)
{
	int64_t distance = (int64_t)(to - from);

	return distance == (int32_t)distance;
}

static void copy_relative(uint64_t pc, const struct x86 *x)
{
	const uint8_t *code = (const uint8_t *)pc;
	uint64_t target = pc + x->length + (uint64_t)(int64_t)x->disp;
	uint64_t end = (uint64_t)emit_at + x->length;
	uint32_t distance = (uint32_t)(target - end);
	uint8_t *start = emit_at;

	if (!reaches(end, target)) {
		copy_by_scratch(code, x, target);
		return;
	}
	emit_bytes(code, x->length);
	memcpy(start + x->modrm_at + 1, &distance, 4);
}

/* Add rcx (@sign 1), or the complement of it and 1, to a counter. */
static void count_rcx(uint32_t counter, bool add)
{
	uint32_t offset = count_offset(counter);

	emit_store(RAX, T_SPILL0);
	if (!add) {
		emit_store(RCX, T_SPILL1);
		emit1(REX_W); /* not rcx */
		emit2(0xf7, 0xd1);
	}
	emit_load(RAX, offset);
	emit2(REX_W, 0x8d); /* lea rax, [rax + rcx (+ 1)] */
	if (add) {
		emit2(0x04, 0x08);
	} else {
		emit2(0x44, 0x08);
		emit1(1);
	}
	emit_store(RAX, offset);
	if (!add)
		emit_load(RCX, T_SPILL1);
	emit_load(RAX, T_SPILL0);
}

/* Comparisons may end before rcx is 0. */
static bool may_end_early(const struct x86 *x)
{
	return (x->opcode & 0xf6) == 0xa6;
}

static void copy_rep(const struct path *path, const struct x86 *x)
{
	uint64_t pc = path->pc;
	int32_t amount[TALLY_ARCH_COUNT];
	uint32_t counter;

	if (path->is_silent) {
		emit_bytes((const uint8_t *)pc, x->length);
		return;
	}
	counter = count_new();
	memset(amount, 0, sizeof(amount));
	effect_of_iteration(x, amount);
	count_means(counter, amount);
	count_rcx(counter, true);
	map_add(pc, FIX_REP);
	emit_bytes((const uint8_t *)pc, x->length);
	if (may_end_early(x))
		count_rcx(counter, false);
}

static enum map_fix fix_of(uint64_t pc, const struct x86 *x)
{
	uint64_t target = pc + x->length + (uint64_t)(int64_t)x->disp;

	if (!(x->flags & X86_RIP) ||
	    reaches((uint64_t)emit_at + x->length, target))
		return FIX_NONE;
	return FIX_SCRATCH + scratch_for(x);
}

void path_copy(struct path *path, const struct x86 *x)
{
	map_add(path->pc, fix_of(path->pc, x));
	if (x->flags & X86_REP)
		copy_rep(path, x);
	else if (x->flags & X86_RIP)
		copy_relative(path->pc, x);
	else
		emit_bytes((const uint8_t *)path->pc, x->length);
}
