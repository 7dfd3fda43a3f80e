/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines that threads take from each other: turns become short, and they are
 * remembered. */
#pragma once

#include "simpmu/model/machine.h"
#include "simpmu/pmu/engine.h"

extern struct contention {
	uint64_t seen;  /* of the model's, so far */
	bool ends_turn; /* the turn is to end soon */
} contention;

void contention_meet(const struct core *core, uint64_t pc, uint64_t address);
void contention_end_turn(void *guest);
void contention_begin(unsigned tid);      /* it is new, or was woken */
void contention_create(unsigned tid);     /* it is about to make a thread */
void contention_begin_turn(unsigned tid); /* it is about to run */

/* Guest code of @tid has stopped. */
void contention_stop(unsigned tid);

/* After the access at @address by the instruction at @pc was shown. */
static inline void contention_check(const struct core *core, uint64_t pc,
				    uint64_t address)
{
	if (__builtin_expect(core->model->contended != contention.seen, 0))
		contention_meet(core, pc, address);
}

/* Before guest code goes on. */
static inline void contention_finish(void *guest)
{
	if (__builtin_expect(contention.ends_turn, 0))
		contention_end_turn(guest);
}
