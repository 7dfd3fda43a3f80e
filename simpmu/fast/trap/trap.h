/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Traps: the PMU layer is called at the very instruction that makes a count
 * reach a threshold (engine.h). Only architectural signals can be watched.
 *
 * A thread has in T_LEFT, for each trap, what is left until it fires. While one
 * is armed, the thread runs armed translations: at their entry they compare
 * what is left with the most that a run can add, and leave the cache with
 * EXIT_NEAR if it could fire; else they subtract where they are left, as they
 * count. A thread that is near runs one instruction at a time (MODE_STEP), and
 * trap_account() subtracts what that was.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "simpmu/pmu/engine.h"

struct thread;

/* What is left in a trap that is not armed: more than any count. */
#define TRAP_DISARMED ((int64_t)1 << 62)

/* Traps that are defined, as bits; what @amount adds to @slot's sum. */
unsigned trap_used(void);
int32_t trap_sum(unsigned slot, const int32_t amount[TALLY_ARCH_COUNT]);

/* A new thread has none that is armed. */
void trap_init_thread(struct thread *t);

/* @amount was counted otherwise, @sign times: 1 or -1. */
void trap_adjust(struct thread *t, const int32_t amount[TALLY_ARCH_COUNT],
		 int sign);

/* @t is about to run the instruction at t->pc alone. */
void trap_begin_step(struct thread *t);
/* It has, if one was begun: its address, else 0. */
uint64_t trap_end_step(struct thread *t);
/* It was interrupted in a rep, which goes on later; or before it began. */
void trap_cut_step(struct thread *t, bool is_rep);

/* Fire the traps that have nothing left, for the instruction at @address. */
void trap_fire(struct thread *t, uint64_t address);
/* For hook.c: the one in @slot. */
void trap_call(struct thread *t, unsigned slot, uint64_t address);
