/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pauses: from a call into excluded code (exclude.h) until it returns, nothing
 * that the thread runs is counted, also what that code calls elsewhere.
 *
 * Paused code has translations of its own, which count nothing. T_PAUSED is not
 * 0 while they run: the stack pointer with which excluded code was entered,
 * where its return address is.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "simpmu/fast/thread.h"

/*
 * Excluded code has returned to t->pc, which ends the pause, unless that is
 * the end of a signal handler: this lasts until rt_sigreturn.
 */
void pause_return(struct thread *t);
/* @t is about to return from a signal handler. */
void pause_sigreturn(struct thread *t);
/* @t is at t->pc, in a pause that it may have left by longjmp(). */
void pause_look(struct thread *t);
