/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rings of code for arm64. The first piece begins with the count of rounds,
 *
 *	subs x0, x0, #1
 *	b.ne past the next instruction
 *	b    out
 *
 * each goes on with no-operations and ends with
 *
 *	b    next
 */
#include <string.h>

#include "machine/code.h"

#define NOP       0xd503201fu
#define RET       0xd65f03c0u
#define COUNT     0xf1000400u /* subs x0, x0, #1 */
#define SKIP      0x54000041u /* b.ne to the instruction after the next */
#define JUMP      0x14000000u
#define JUMP_MASK 0x03ffffffu /* words: 128 MiB in each direction */

static unsigned char *put(unsigned char *at, uint32_t instruction)
{
	memcpy(at, &instruction, sizeof(instruction));
	return at + sizeof(instruction);
}

static unsigned char *put_jump(unsigned char *at, const unsigned char *to)
{
	return put(at, JUMP | ((uint32_t)((to - at) / 4) & JUMP_MASK));
}

static unsigned char *put_count(unsigned char *at, const unsigned char *out)
{
	at = put(at, COUNT);
	at = put(at, SKIP);
	return put_jump(at, out);
}

static void put_piece(unsigned char *at, const unsigned char *end,
		      const unsigned char *next)
{
	while (at + 8 <= end)
		at = put(at, NOP);
	put_jump(at, next);
}

bool arch_write_code(struct code_ring *ring, unsigned char *to)
{
	unsigned char *out =
		to + (ring->pieces - 1) * ring->spacing + ring->bytes;

	put(out, RET);
	for (size_t i = 0; i < ring->pieces; i++) {
		unsigned char *at = to + i * ring->spacing;
		size_t next = (i + 1) % ring->pieces;

		put_piece(i == 0 ? put_count(at, out) : at, at + ring->bytes,
			  to + next * ring->spacing);
	}
	/* the instruction cache does not see what was written */
	__builtin___clear_cache((char *)to, (char *)out + 4);
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
