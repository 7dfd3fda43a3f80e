/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Translations: of one basic block, or of a trace, which is a path of many.
 * Both copy the guest's instructions and count them; see docs/engine.md.
 */
#pragma once

#include <stdint.h>

struct block;

/*
 * Translate the basic block at block->pc. It counts itself when entered and
 * when its branch is taken, and counts down until it is hot.
 */
uint8_t *translate_block(struct block *block);

/*
 * Translate the path that starts there and follows the likelier way at each
 * branch. Nothing counts inside; each exit does, for all that lies before it.
 */
uint8_t *translate_trace(struct block *block);
