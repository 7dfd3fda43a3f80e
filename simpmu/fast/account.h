/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts of translations that were left in the middle, and of single
 * instructions: struct thread's adjust. */
#pragma once

#include <stdint.h>

struct thread;

/*
 * @t stops before the instruction of map entry @entry. A block has counted
 * all of itself already: less the rest. A trace has counted nothing: plus what
 * lies before.
 */
void account_part(struct thread *t, uint32_t entry);

/* Take the instruction at @pc back: it will be run again. */
void account_undo(struct thread *t, uint64_t pc);
