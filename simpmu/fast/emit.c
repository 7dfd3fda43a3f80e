/* SPDX-License-Identifier: BSD-3-Clause */
/* Writing machine code; see emit.h. */
#include "simpmu/fast/emit.h"

#include "simpmu/fast/count.h"
#include "simpmu/fast/keep/image.h"
#include "simpmu/fast/sys.h"

#define GS         0x65
#define REX_W      0x48
#define LONGEST    65536 /* bytes of any translation, generously */
#define SOME       4     /* translations between two looks for room */
#define STUB_BYTES 32    /* of a stub that only leaves the cache */
#define LINE       64u

extern const uint8_t leave_cache[];

uint8_t *emit_at;
static uint8_t *other = (uint8_t *)STUB_BASE;
static uint64_t cache_end = CACHE_END;

void emit_init(void)
{
	emit_at = sys_memory_at(CACHE_BASE, STUB_END - CACHE_BASE,
				PROT_R | PROT_W | PROT_X);
	sys_prefer_huge(emit_at, STUB_END - CACHE_BASE);
}

void emit_limit(uint64_t bytes)
{
	if (bytes < CACHE_END - CACHE_BASE)
		cache_end = CACHE_BASE + bytes;
}

bool emit_is_limited(void)
{
	return cache_end != CACHE_END;
}

uint64_t emit_used(void)
{
	return (uint64_t)emit_at - CACHE_BASE;
}

void emit_keep(struct image *image)
{
	uint32_t code = (uint32_t)emit_used();
	uint32_t stubs = (uint32_t)((uint64_t)other - STUB_BASE);

	image_number(image, &code, CACHE_END - CACHE_BASE);
	image_number(image, &stubs, STUB_END - STUB_BASE);
	emit_at = (uint8_t *)CACHE_BASE + code;
	other = (uint8_t *)STUB_BASE + stubs;
	image_copy(image, (void *)CACHE_BASE, code);
	image_copy(image, (void *)STUB_BASE, stubs);
}

bool emit_has_room(uint32_t stubs)
{
	return (uint64_t)emit_at + SOME * LONGEST < cache_end &&
	       (uint64_t)other + SOME * LONGEST + STUB_BYTES * stubs < STUB_END;
}

void emit_flush(void)
{
	emit_at = (uint8_t *)CACHE_BASE;
	other = (uint8_t *)STUB_BASE;
}

static void change_region(void)
{
	uint8_t *at = emit_at;

	emit_at = other;
	other = at;
}

void emit_to_stubs(void)
{
	change_region();
}

void emit_to_cache(void)
{
	change_region();
}

void emit_bytes(const uint8_t *from, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		emit_at[i] = from[i];
	emit_at += n;
}

void emit_align(unsigned bytes)
{
	while ((uint64_t)emit_at & (bytes - 1))
		emit1(0x90);
}

/* @operation on register @reg and gs:[offset]. */
static void thread_operation(unsigned operation, unsigned reg, uint32_t offset)
{
	emit1(GS);
	emit2(REX_W | (reg >> 3) << 2, operation);
	emit2(0x04 | (reg & 7) << 3, 0x25);
	emit4(offset);
}

void emit_store(unsigned reg, uint32_t offset)
{
	thread_operation(0x89, reg, offset);
}

void emit_load(unsigned reg, uint32_t offset)
{
	thread_operation(0x8b, reg, offset);
}

void emit_compare(unsigned reg, uint32_t offset)
{
	thread_operation(0x3b, reg, offset);
}

/* The operations of opcode 0x81 have numbers where others have a register. */
void emit_compare_with(uint32_t offset, int32_t value)
{
	thread_operation(0x81, 7, offset);
	emit4((uint32_t)value);
}

void emit_subtract(uint32_t offset, int32_t value, bool live)
{
	if (!live) {
		thread_operation(0x81, 5, offset);
		emit4((uint32_t)value);
		return;
	}
	emit_store(0, T_SPILL2);
	emit_load(0, offset);
	emit_add(0, -value);
	emit_store(0, offset);
	emit_load(0, T_SPILL2);
}

void emit_set(uint32_t offset, uint32_t value)
{
	thread_operation(0xc7, 0, offset);
	emit4(value);
}

void emit_set_address(uint32_t offset, uint64_t address)
{
	if (is_low(address)) {
		emit_set(offset, (uint32_t)address);
		return;
	}
	for (unsigned half = 0; half < 2; half++) {
		emit2(GS, 0xc7);
		emit2(0x04, 0x25);
		emit4(offset + 4 * half);
		emit4((uint32_t)(address >> 32 * half));
	}
}

void emit_constant(unsigned reg, uint64_t value)
{
	emit2(REX_W | reg >> 3, 0xb8 | (reg & 7));
	emit8(value);
}

void emit_add(unsigned reg, int32_t value)
{
	emit2(REX_W | (reg >> 3) << 2 | reg >> 3, 0x8d);
	if ((reg & 7) == 4) {
		emit2(0x80 | (reg & 7) << 3 | 4, 0x24);
	} else {
		emit1(0x80 | (reg & 7) << 3 | (reg & 7));
	}
	emit4((uint32_t)value);
}

void emit_patch(uint8_t *displacement, const uint8_t *target)
{
	*(volatile uint32_t *)displacement =
		(uint32_t)(target - (displacement + 4));
}

uint8_t *emit_jump(const uint8_t *target)
{
	uint8_t *displacement;

	emit1(0xe9);
	displacement = emit_at;
	emit4(0);
	emit_patch(displacement, target);
	return displacement;
}

uint8_t *emit_jump_if(unsigned condition)
{
	uint8_t *displacement;

	emit2(0x0f, 0x80 | condition);
	displacement = emit_at;
	emit4(0);
	return displacement;
}

/* A store within one line is seen whole by other processors. */
uint8_t *emit_patchable_jump(const uint8_t *target)
{
	while (((uint64_t)emit_at + 1) % LINE > LINE - 4)
		emit1(0x90);
	return emit_jump(target);
}

void emit_patch_entry(uint8_t *entry, const uint8_t *target)
{
	uint64_t old, jump = 0xe9 | (uint64_t)(uint32_t)(target - (entry + 5))
					    << 8;

	__builtin_memcpy(&old, entry, 8);
	jump |= old & ~UINT64_C(0xffffffffff);
	__atomic_store_n((uint64_t *)entry, jump, __ATOMIC_RELEASE);
}

void emit_count(uint32_t counter, bool live)
{
	uint32_t offset = count_offset(counter);

	if (!live) {
		thread_operation(0xff, 0, offset); /* inc */
		return;
	}
	emit_store(0, T_SPILL2);
	emit_load(0, offset);
	emit2(REX_W, 0x8d); /* lea rax, [rax + 1] */
	emit2(0x40, 1);
	emit_store(0, offset);
	emit_load(0, T_SPILL2);
}

void emit_leave(uint32_t why)
{
	emit_set(T_EXIT, why);
	emit_jump(leave_cache);
}
