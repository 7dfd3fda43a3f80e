/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Who called: stacks of a process from copies of registers and memory, by the
 * unwind tables of the objects that were mapped, or by frame pointers where
 * there are none.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* An object in the process: its own addresses plus @bias. */
struct unwind_module {
	const char *path;
	uint64_t bias;
};

/* A thread at one moment. */
struct unwind_state {
	const uint64_t *registers; /* as DWARF numbers them */
	uint64_t known;            /* bit i: registers[i] is */
	uint64_t pc;
	uint64_t stack_start; /* address of the copy's first byte */
	const void *stack;
	size_t stack_bytes;
};

struct unwinder;

/* NULL if nothing can be unwound with these. */
struct unwinder *unwinder_new(const struct unwind_module *modules, size_t n);
void unwinder_free(struct unwinder *u); /* NULL is allowed */

/*
 * Program counters, the innermost first, into @pcs, which has @capacity; how
 * many. The first is state->pc; the others are addresses in the call
 * instruction.
 */
size_t unwinder_run(struct unwinder *u, const struct unwind_state *state,
		    uint64_t *pcs, size_t capacity);
