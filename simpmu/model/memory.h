/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Host memory of the model: what its caller's allocator gave, remembered so
 * that all of it can be given back at once, and that what the modelled machine
 * is like at some time can be kept and brought back.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* get() returns zeroed bytes, 64-byte aligned, or NULL. put() may be NULL:
 * then nothing is given back. */
struct model_alloc {
	void *(*get)(void *ctx, size_t bytes);
	void (*put)(void *ctx, void *mem, size_t bytes);
	void *ctx;
};

struct memory {
	struct model_alloc alloc;
	struct memory_chunk *chunks;
};

/* Zeroed bytes, 64-byte aligned; NULL if there are none. */
void *memory_get(struct memory *memory, size_t bytes);

/* The same for what memory_keep() and memory_bring_back() leave alone; or let
 * them leave alone a piece that there is already. */
void *memory_get_apart(struct memory *memory, size_t bytes);
void memory_set_apart(void *mem);

/* Give back one piece. NULL is allowed. */
void memory_put(struct memory *memory, void *mem);

/* Give back all pieces. */
void memory_put_all(struct memory *memory);

/* Copy what is in all pieces; false if there is no memory for that. */
bool memory_keep(struct memory *memory);

/* Let all pieces that were copied have again what they had then. */
void memory_bring_back(struct memory *memory);
