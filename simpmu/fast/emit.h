/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writing machine code into the cache: bytes, and the few instructions that
 * translations are made of besides the guest's own. None of them but
 * emit_count() changes a flag. Under the engine's lock.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "simpmu/fast/layout.h"

struct image;

extern uint8_t *emit_at; /* where the next byte goes */

void emit_init(void);
/* Room for some translations of the longest kind, and @stubs small stubs? */
bool emit_has_room(uint32_t stubs);
/* Begin anew. */
void emit_flush(void);
/* Use no more than @bytes of the cache: for tests. */
void emit_limit(uint64_t bytes);
bool emit_is_limited(void);
/* Bytes of translations. */
uint64_t emit_used(void);
/* What was written, to a file or from it. */
void emit_keep(struct image *image);
/* Write to the region of stubs, and back. */
void emit_to_stubs(void);
void emit_to_cache(void);

static inline void emit1(unsigned byte)
{
	*emit_at++ = (uint8_t)byte;
}

static inline void emit2(unsigned a, unsigned b)
{
	emit1(a);
	emit1(b);
}

static inline void emit4(uint32_t value)
{
	__builtin_memcpy(emit_at, &value, 4);
	emit_at += 4;
}

static inline void emit8(uint64_t value)
{
	__builtin_memcpy(emit_at, &value, 8);
	emit_at += 8;
}

void emit_bytes(const uint8_t *from, unsigned n);
/* One-byte no-operations up to a multiple of @bytes. */
void emit_align(unsigned bytes);

/* Between register @reg and a field of struct thread. */
void emit_store(unsigned reg, uint32_t offset);
void emit_load(unsigned reg, uint32_t offset);
/* Compare them, or a field with a number: changes flags. */
void emit_compare(unsigned reg, uint32_t offset);
void emit_compare_with(uint32_t offset, int32_t value);
/* Subtract from a field. @live: flags must stay. */
void emit_subtract(uint32_t offset, int32_t value, bool live);
/* A 32-bit number into a field, with a sign bit that extends to 64. */
void emit_set(uint32_t offset, uint32_t value);
/* An address into a field. */
void emit_set_address(uint32_t offset, uint64_t address);
/* mov reg, imm64 */
void emit_constant(unsigned reg, uint64_t value);
/* lea reg, [reg + value] */
void emit_add(unsigned reg, int32_t value);

/* A jump; where its displacement stands. */
uint8_t *emit_jump(const uint8_t *target);
uint8_t *emit_jump_if(unsigned condition);
/* The same, with a displacement that can be patched at any time. */
uint8_t *emit_patchable_jump(const uint8_t *target);
void emit_patch(uint8_t *displacement, const uint8_t *target);
/* Turn the start of a translation into a jump, while others may run it. */
void emit_patch_entry(uint8_t *entry, const uint8_t *target);

/* Count once. @live: flags must stay. */
void emit_count(uint32_t counter, bool live);

/* Leave the cache with @why. */
void emit_leave(uint32_t why);

/* Whether @address can be an immediate of 32 bits with its sign. */
static inline bool is_low(uint64_t address)
{
	return address < 0x7ff00000;
}
