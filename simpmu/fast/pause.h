/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pauses: from a call into excluded code (exclude.h) until it returns, nothing
 * that the thread runs is counted, also what that code calls elsewhere.
 *
 * Paused code has translations of its own, which count nothing: KEY_PAUSED is a
 * part of the key of a block. T_PAUSED is not 0 while they run: the stack
 * pointer with which excluded code was entered, where its return address is.
 */
#ifndef SIMPMU_FAST_PAUSE_H
#define SIMPMU_FAST_PAUSE_H

#include <stdbool.h>
#include <stdint.h>

#include "simpmu/fast/thread.h"

/* Differs from the bits around it in no address that can be one. */
#define KEY_PAUSED (UINT64_C(1) << 62)

static inline bool key_is_paused(uint64_t key)
{
	return (key ^ key << 1) >> 63;
}

static inline uint64_t key_pc(uint64_t key)
{
	return key_is_paused(key) ? key ^ KEY_PAUSED : key;
}

/* The key of the block at @pc in which @t goes on. */
static inline uint64_t pause_key(const struct thread *t, uint64_t pc)
{
	return t->paused ? pc ^ KEY_PAUSED : pc;
}

/*
 * Excluded code has returned to t->pc, which ends the pause, unless that is
 * the end of a signal handler: this lasts until rt_sigreturn.
 */
void pause_return(struct thread *t);
/* @t is about to return from a signal handler. */
void pause_sigreturn(struct thread *t);
/* @t is at t->pc, in a pause that it may have left by longjmp(). */
void pause_look(struct thread *t);

#endif /* SIMPMU_FAST_PAUSE_H */
