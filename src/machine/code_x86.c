/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rings of code for x86-64. The first piece begins with the count of rounds,
 *
 *	dec  %rdi	48 ff cf
 *	jz   out	0f 84 rel32
 *
 * each goes on with no-operations of eight bytes, as few instructions as fill
 * a line without making decoding the bottleneck, and ends with
 *
 *	jmp  next	e9 rel32
 */
#include <string.h>

#include "machine/code.h"

#define NOP_BYTES  8
#define JUMP_BYTES 5
#define RET        0xc3

static unsigned char *put_relative(unsigned char *at, const unsigned char *to)
{
	int32_t away = (int32_t)(to - (at + 4));

	memcpy(at, &away, sizeof(away));
	return at + 4;
}

static unsigned char *put_count(unsigned char *at, const unsigned char *out)
{
	static const unsigned char count[] = { 0x48, 0xff, 0xcf, 0x0f, 0x84 };

	memcpy(at, count, sizeof(count));
	return put_relative(at + sizeof(count), out);
}

static void put_piece(unsigned char *at, unsigned char *end,
		      const unsigned char *next)
{
	static const unsigned char nop[NOP_BYTES] = { 0x0f, 0x1f, 0x84 };

	for (; at + NOP_BYTES + JUMP_BYTES <= end; at += NOP_BYTES)
		memcpy(at, nop, sizeof(nop));
	while (at + JUMP_BYTES < end)
		*at++ = 0x90;
	*at++ = 0xe9;
	put_relative(at, next);
}

bool arch_write_code(struct code_ring *ring, unsigned char *to)
{
	unsigned char *out =
		to + (ring->pieces - 1) * ring->spacing + ring->bytes;

	*out = RET;
	for (size_t i = 0; i < ring->pieces; i++) {
		unsigned char *at = to + i * ring->spacing;
		size_t next = (i + 1) % ring->pieces;

		put_piece(i == 0 ? put_count(at, out) : at, at + ring->bytes,
			  to + next * ring->spacing);
	}
	ring->entry = to;
	return true;
}

void arch_run_code(void *entry, uint64_t times)
{
	void (*code)(uint64_t);

	memcpy(&code, &entry, sizeof(code));
	/* the last time it gets to the count it leaves */
	code(times + 1);
}
