/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the model may do later (simpmu/model/later.h), and the second thread of
 * this process that does it while the guest goes on.
 */
#pragma once

#include "simpmu/model/stretch.h"
#include "simpmu/vg/state.h"

/* The option --second-core. */
bool second_option(const HChar *arg);

/* Parts of the model that translated code leaves for later. */
unsigned second_parts(void);

/* The core of which they are left, the only one there is. */
struct core *second_core(void);

/* All translations are about to go: leave @parts of @core for later from now
 * on. */
void second_defer(struct core *core, unsigned parts);

/* A piece of the queue is full. Called by translated code too. */
void second_turn(void);

/* Give @core, which nobody looks at, a queue that nobody reads. */
void second_ignore(struct core *core);

/* Have all done that was left for later. */
void second_drain(void);

/* Guest code has stopped: begin the thread if it is worth while. */
void second_consider(void);

/* In the child of a fork, which has no such thread. */
void second_fork(void);
