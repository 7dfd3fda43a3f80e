/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Translations that outlive the process: when a program ends, what was
 * translated of it and of the libraries it was linked with is written to a file
 * in the user's cache directory, and the next run of the same program begins
 * with it. docs/engine.md tells what a file is valid for.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct thread;

/* --translations=yes or no, or a directory for them; whether it is one. */
bool keep_option(const char *arg);

/* The program's first instruction is at @entry. */
void keep_init(uint64_t entry);

/* Code of the file @fd from @offset on was mapped at [@start, +@bytes). */
void keep_mapped(uint64_t start, uint64_t bytes, int64_t fd, uint64_t offset);
/* What is at [@start, @end) is not, or may not be, what was mapped. */
void keep_changed(uint64_t start, uint64_t end);

/*
 * @t is about to run the instruction at t->pc. If it is the program's first,
 * all libraries are where they will be: use translations of an earlier run.
 * @t is outside the cache, and translations may be others afterwards.
 */
void keep_enter(struct thread *t);

/* Bytes of code that an earlier run translated; 0: none. */
uint64_t keep_loaded(void);

/* The process is about to end, and @t is its last thread to work: write what
 * is new, if that is worth it. */
void keep_leave(const struct thread *t);
