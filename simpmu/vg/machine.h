/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The modelled machine that the guest runs on, and its cores. */
#pragma once

#include "simpmu/model/model.h"
#include "simpmu/vg/state.h"

/* The option --model; checked before the guest starts. */
bool machine_option(const HChar *arg);
void machine_init(void);

unsigned machine_line_bytes(void);

/* Whether settled branches may be skipped (struct core, bias). */
bool machine_has_bias(void);

/* Where the BTB has the branch at @pc; false if there is no BTB. */
bool machine_btb_index(Addr pc, uint64_t *index);

/* Have the parts ready that engine.parts names. */
void machine_set_parts(unsigned parts);

/* The core of a thread; NULL while no part of the model is on. */
struct core *machine_core(unsigned tid);

/*
 * What a thread runs on that is not to be seen: a core that knows nothing, so
 * that inlined code always calls, and that calls leave as it is. NULL while
 * there is no model.
 */
extern struct core *machine_idle;

void machine_end_thread(unsigned tid);

/* Move what the core of @tid counted since the last time to @totals. */
void machine_sum(unsigned tid, uint64_t totals[TOTAL_COUNT]);

/* Fill in the counts that follow from others, in a copy of the totals. */
void machine_finish_totals(unsigned tid, uint64_t totals[TOTAL_COUNT]);

/* Code is about to be translated anew: settle what is left for later. */
void machine_defer(void);

/* There will be a second thread. */
void machine_share(void);
bool machine_is_shared(void); /* there is, or was, a second thread */

/* wrongpath.c: the model's decoder of code that does not run */
const struct code_run *wrongpath_decode(void *ctx, uint64_t address);

/* Guest code is about to run: know the memory map as it is now. */
void wrongpath_start(void);

/* Code at @address will run. */
void wrongpath_translate(Addr address);

/* Whether code has run from memory that the guest can write: what it was when
 * a branch missed it must be looked at then. */
bool wrongpath_is_rewritten(void);
void wrongpath_register(void);
