/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Misses of L1 and of the first-level TLBs, which are left for later
 * (simpmu/model/later.h) to a lane of their own: where most accesses miss, the
 * levels below take as long as all before them.
 *
 * One who replays pushes records; batches of them go to the lane, or are caught
 * up with at once by whoever replays while no lane is at work. What detailed
 * records wait for is only known later: each access that missed has a mark
 * behind it, with the number of the note (detail.h) that is to be filled.
 *
 * To be called with the guest's floating-point registers kept.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct core;
struct detail;
struct detail_note;
struct model;

/* Records of misses, up to the end of a piece of a log or not. */
struct batch {
	struct core *core;
	struct detail *detail; /* of the piece */
	const uint64_t *from;
	size_t words;
	bool is_last;
};

/* Memory for a batch. */
#define MISS_BYTES 32768u

/* Leave misses for later from now on, if there is a model of memory and it can.
 * End that: nothing is left to do. */
void miss_begin(void *model);
void miss_end(void *unused);
bool miss_is_on(const struct core *core);

/* While no lane is at work: catch up with what is pushed. */
void miss_be_alone(bool is_alone);
void miss_drain(void *unused);

/* The piece of a log that @detail is of begins, or ends: the lane does the
 * rest. */
void miss_begin_piece(struct detail *detail);
void miss_end_piece(void *unused);

/* A batch, by the lane. */
void miss_catch_up(void *batch);

/* A detailed record begins; what @note is about was shown to the model, and is
 * waited for or not. */
void miss_begin_record(struct core *core);
void miss_note(struct core *core, struct detail *detail,
	       const struct detail_note *note, bool is_waited_for);
