/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Code to be run for its size: pieces of instructions that do nothing, so far
 * apart, of which each jumps to the next and the last to the first. It is
 * written once and then no longer writable.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One ring of code. */
struct code_ring {
	size_t pieces;
	size_t bytes;   /* of a piece, at least CODE_LEAST */
	size_t spacing; /* from the begin of one to that of the next */
	void *entry;    /* NULL until it is written */
};

#define CODE_LEAST 64

/* Bytes that the ring takes, in whole pages of @page bytes. */
size_t code_ring_bytes(const struct code_ring *ring, size_t page);

/* Memory for @n rings, one behind the other. */
struct code {
	void *memory;
	size_t bytes;
};

/* Write @rings. False: there is no room, or no way to run what was written. */
bool code_open(struct code *code, struct code_ring *rings, size_t n,
	       size_t page);
void code_close(struct code *code);

/* Run the ring at @ring, @times times around. */
void code_run(void *ring, uint64_t times);

/* Of the architecture: write the ring at @to, and run it. */
bool arch_write_code(struct code_ring *ring, unsigned char *to);
void arch_run_code(void *entry, uint64_t times);
