/* SPDX-License-Identifier: BSD-3-Clause */
/* The loader: maps a program and its interpreter as the kernel would. */
#pragma once

#include <stdint.h>

struct program {
	const char *path;
	const char **argv; /* argc words and a NULL */
	unsigned argc;
	uint64_t entry;   /* of the program */
	uint64_t start;   /* first instruction: the interpreter's, if any */
	uint64_t base;    /* of the interpreter */
	uint64_t headers; /* address of the program headers */
	uint64_t n_headers;
	int stack_prot;
};

/*
 * Map program->path; scripts are resolved, with their words put before the
 * arguments. Gives up if it cannot be.
 */
void load_program(struct program *program);

/* Make the guest's stack of @stack, which is as the kernel made it; its top. */
uint64_t load_stack(uint64_t *stack, const struct program *program);
