/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Leaving out what excluded text does, from its call to its return. */
#pragma once

#include "simpmu/vg/state.h"

void pause_init(void);

/*
 * Pause @tid, whose code does not run now, until pause_end() is called by its
 * own code with its @guest.
 */
void pause_begin(unsigned tid);
void pause_end(void *guest);

/* The frame that guest code of @tid is to count into, and the core that it is
 * to run on. */
struct frame *pause_frame(unsigned tid);
struct core *pause_core(unsigned tid);

/* Emit what is due at the start and the end of an excluded block. */
void pause_emit_enter(IRSB *sb, const VexGuestLayout *layout);
void pause_emit_leave(IRSB *sb);

/* @tid is about to return from a signal handler; has stopped running. */
void pause_sigreturn(unsigned tid);
void pause_stop(unsigned tid);
