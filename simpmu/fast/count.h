/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counters of executions, and what each execution stands for: a vector of
 * architectural signals. A thread's counts are in its struct (thread.h).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "simpmu/model/tally.h"

struct image;
struct thread;

void count_init(void);

/* A counter; 0 if there are no more. */
uint32_t count_new(void);
/* What one execution of counter @c means. */
void count_means(uint32_t c, const int32_t amount[TALLY_ARCH_COUNT]);

/* Keep counters in huge pages, unless there are many threads: each has its
 * own. */
void count_use_huge_pages(void);
/* The same for a new thread, if it has been asked for. */
void count_add_thread(struct thread *t);

/* Offset of counter @c in struct thread. */
uint32_t count_offset(uint32_t c);

/* Add what @t has counted to @out. */
void count_add(const struct thread *t, uint64_t out[TALLY_ARCH_COUNT]);

/*
 * Add up what the calling thread @t has counted so far, and let its counters
 * begin at 0 again: reading is quick afterwards, since most stay there. Under
 * the PMU layer's lock, as count_add() is.
 */
void count_gather(struct thread *t);

/* No thread is in the cache: keep what was counted, begin with no counters. */
void count_flush(void);
bool count_has_room(void);

/* What counters mean, and how often each was executed, to a file or from it. */
void count_keep(struct image *image);

/* Keep what @t has counted: it ends. */
void count_keep_ended(const struct thread *t);
/* Add what threads that ended have counted. */
void count_add_ended(uint64_t out[TALLY_ARCH_COUNT]);

/* How many times counter @c was executed, by all threads. */
uint64_t count_executions(uint32_t c);
