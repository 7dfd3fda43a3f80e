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
	void *copy;                 /* of what follows; NULL: none */
	bool apart;
};

static void *content(struct memory_chunk *chunk)
{
	return (char *)chunk + HEADER_BYTES;
}

static struct memory_chunk *chunk_of(void *mem)
{
	return (struct memory_chunk *)(void *)((char *)mem - HEADER_BYTES);
}

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
	return content(chunk);
}

void memory_set_apart(void *mem)
{
	chunk_of(mem)->apart = true;
}

void *memory_get_apart(struct memory *memory, size_t bytes)
{
	void *mem = memory_get(memory, bytes);

	if (mem)
		memory_set_apart(mem);
	return mem;
}

static void put_chunk(struct memory *memory, struct memory_chunk *chunk)
{
	*chunk->link = chunk->next;
	if (chunk->next)
		chunk->next->link = chunk->link;
	if (!memory->alloc.put)
		return;
	if (chunk->copy)
		memory->alloc.put(memory->alloc.ctx, chunk->copy,
				  chunk->bytes - HEADER_BYTES);
	memory->alloc.put(memory->alloc.ctx, chunk, chunk->bytes);
}

void memory_put(struct memory *memory, void *mem)
{
	if (mem)
		put_chunk(memory, chunk_of(mem));
}

void memory_put_all(struct memory *memory)
{
	while (memory->chunks)
		put_chunk(memory, memory->chunks);
}

bool memory_keep(struct memory *memory)
{
	for (struct memory_chunk *c = memory->chunks; c; c = c->next) {
		size_t bytes = c->bytes - HEADER_BYTES;

		if (c->apart)
			continue;
		if (!c->copy)
			c->copy = memory->alloc.get(memory->alloc.ctx, bytes);
		if (!c->copy)
			return false;
		__builtin_memcpy(c->copy, content(c), bytes);
	}
	return true;
}

void memory_bring_back(struct memory *memory)
{
	for (struct memory_chunk *c = memory->chunks; c; c = c->next)
		if (c->copy)
			__builtin_memcpy(content(c), c->copy,
					 c->bytes - HEADER_BYTES);
}
