/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Modes of translation. The same code has a translation for each mode that it
 * was run in; the mode of a thread changes in the engine only, but for the
 * gates of apart.c. A block's key is its address and its mode.
 */
#pragma once

#include <stdint.h>

#include "simpmu/fast/thread.h"

enum mode {
	MODE_PLAIN = 0,
	MODE_STEP = 1,   /* one instruction, and back to the engine */
	MODE_ARMED = 2,  /* tests whether a trap is near: trap/trap.h */
	MODE_PAUSED = 4, /* counts nothing: pause.h */
};

/* Bits in which an address of the processor has the sign. */
#define MODE_SHIFT 60

static inline enum mode key_mode(uint64_t key)
{
	return (key ^ (uint64_t)((int64_t)key >> 63)) >> MODE_SHIFT & 7;
}

static inline uint64_t key_of(uint64_t pc, enum mode mode)
{
	return pc ^ (uint64_t)mode << MODE_SHIFT;
}

static inline uint64_t key_pc(uint64_t key)
{
	return key_of(key, key_mode(key));
}

/* The table of indirect branches in @mode. */
static inline uint64_t mode_targets(enum mode mode)
{
	return mode == MODE_PAUSED  ? TARGETS_PAUSED
	       : mode == MODE_ARMED ? TARGETS_ARMED
				    : TARGETS;
}

/* What @t is to run in. */
static inline enum mode thread_mode(const struct thread *t)
{
	return t->paused ? MODE_PAUSED : t->armed ? MODE_ARMED : MODE_PLAIN;
}

static inline uint64_t thread_key(const struct thread *t, uint64_t pc)
{
	return key_of(pc, thread_mode(t));
}
