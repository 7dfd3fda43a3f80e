/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Host memory: each piece carries a header that links it to the others. The
 * header takes 64 bytes so that what follows stays aligned.
 */

#include "simpmu/model/memory.h"

#define HEADER_BYTES 64

struct memory_chunk {
	struct memory_chunk *next;
	struct memory_chunk **link; /* what points here */
	size_t bytes;               /* header included */
};

void *memory_get(struct memory *memory, size_t bytes)
{
	size_t total = bytes + HEADER_BYTES;
	struct memory_chunk *chunk = NULL;

	if (total > bytes)
		chunk = memory->alloc.get(memory->alloc.ctx, total);
	if (!chunk)
		return NULL;
	chunk->bytes = total;
	chunk->next = memory->chunks;
	chunk->link = &memory->chunks;
	if (chunk->next)
		chunk->next->link = &chunk->next;
	memory->chunks = chunk;
	return (char *)chunk + HEADER_BYTES;
}

static void put_chunk(struct memory *memory, struct memory_chunk *chunk)
{
	*chunk->link = chunk->next;
	if (chunk->next)
		chunk->next->link = chunk->link;
	if (memory->alloc.put)
		memory->alloc.put(memory->alloc.ctx, chunk, chunk->bytes);
}

void memory_put(struct memory *memory, void *mem)
{
	if (mem)
		put_chunk(memory,
			  (struct memory_chunk *)(void *)((char *)mem -
							  HEADER_BYTES));
}

void memory_put_all(struct memory *memory)
{
	while (memory->chunks)
		put_chunk(memory, memory->chunks);
}
