/* SPDX-License-Identifier: BSD-3-Clause */
/* What blocks of fleeting code were made of; see fleeting.h. */
#include "simpmu/fast/fleeting.h"

#include "simpmu/fast/block.h"
#include "simpmu/fast/layout.h"
#include "simpmu/fast/sys.h"
#include "simpmu/x86/decode.h"

struct copy {
	uint8_t bytes;
	uint8_t code[255];
};

_Static_assert(FLEETING_INSNS *X86_MAX_LENGTH <= 255, "a copy has room");

static struct copy *copies; /* by number of the block; taken as needed */

void fleeting_init(void)
{
	if (!copies)
		copies = sys_memory(sizeof(*copies) * MAX_BLOCKS);
}

/* NULL: it cannot be read. */
static const uint8_t *read_now(const struct block *block, size_t bytes)
{
	static uint8_t now[sizeof(copies->code)];

	return guest_copy(now, (const void *)block->pc, bytes) ? NULL : now;
}

void fleeting_keep(const struct block *block, uint64_t end)
{
	size_t bytes = end - block->pc;
	const uint8_t *now = read_now(block, bytes);
	struct copy *copy = &copies[block_number(block)];

	copy->bytes = now ? (uint8_t)bytes : 0;
	if (now)
		memcpy(copy->code, now, bytes);
}

bool fleeting_has_changed(const struct block *block)
{
	const struct copy *copy = &copies[block_number(block)];
	const uint8_t *now = read_now(block, copy->bytes);

	return !copy->bytes || !now || memcmp(copy->code, now, copy->bytes);
}
