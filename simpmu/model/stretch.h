/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Leaving cycles for later (later.h says what and when that may be).
 *
 * The cycle model has to see everything in order: what L1 and the TLBs missed,
 * then the branch, then that the instructions retire. So with cycles there is
 * one queue, at core->branches, for all of it. A stretch of code that has run
 * is the address of its struct stretch, the values from which the addresses of
 * its memory operands follow, and the target if it ends in a branch that does
 * not always go to the same place. Misses come before the stretch they belong
 * to; STRETCH_MISS tells them apart, and the instruction follows for which
 * somebody has to wait.
 *
 * Whoever writes a record must find STRETCH_SPARE bytes left, and leave as many
 * or call the function of model_set_turn().
 */
#pragma once

#include "simpmu/model/later.h"

#define STRETCH_MISS   (UINT64_C(1) << 63)
#define STRETCH_TAKEN  1u /* the conditional branch at the end is */
#define STRETCH_TARGET 2u /* the target of the branch follows */
/* put there by model_answer_stretches(): how the branch was predicted */
#define STRETCH_MISPREDICTED 4u
#define STRETCH_BTB_MISSED   8u
#define STRETCH_FLAGS        63u
/* and, above any address, the instructions on the wrong path */
#define STRETCH_WRONG_PATH 48
#define STRETCH_SPARE      64u
#define STRETCH_ROOTS      3u /* and one more, which is 0 */

/* Where a load or store goes: root[root] + offset. */
struct stretch_operand {
	uint64_t offset;
	uint64_t root;
};

struct stretch {
	/* the branch at the end, not taken and taken; BRANCH_NONE: none */
	_Alignas(64) struct branch branch[2];
	struct segment segment; /* of no instructions: nothing retires */
	uint32_t roots;         /* that follow in the queue */
	uint32_t operands;      /* in the order of the segment's accesses */
	struct stretch_operand *operand;
};

/* Before the first record of @stretch, and not by the thread that catches up.
 */
void stretch_prepare(struct core *core, struct stretch *stretch);

/* The stretch has run. @way: whether a conditional branch is taken, else where
 * the branch goes if that is not always the same, or 0. */
void later_stretch(struct core *core, const struct stretch *stretch,
		   uint64_t way, const uint64_t *root);

/*
 * Do what records of so many words say, in two passes, each in order; another
 * thread may be at a later piece with the first. First all but cycles: the
 * answers are put into the records. Then cycles.
 */
void model_answer_stretches(struct core *core, uint64_t *record, size_t words);
void model_catch_up_stretches(struct core *core, const uint64_t *record,
			      size_t words);

static inline bool stretch_is_full(const uint64_t *at)
{
	return (uintptr_t)at % QUEUE_BYTES > QUEUE_BYTES - STRETCH_SPARE;
}
