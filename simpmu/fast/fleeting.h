/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Code on a stack that may be executed (trampolines of nested functions).
 *
 * Its pages are written all the time, so they are not write-protected as other
 * code is that may change (pages.h). Instead a block of such code is compared
 * with what it was made of each time it is entered, for which it is entered by
 * way of the engine only: no exit is linked to it, no indirect branch finds it,
 * it never begins a trace, and it ends where it writes. Under the engine's
 * lock.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct block;

/* Instructions of a block, at most. */
#define FLEETING_INSNS 16u

/* Before any is run. */
void fleeting_init(void);

/* @block was made of the code up to @end. */
void fleeting_keep(const struct block *block, uint64_t end);

/* Whether that is something else now. */
bool fleeting_has_changed(const struct block *block);
