/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Records that hit, and how they are replayed quickly.
 *
 * Most records find everything in L1 and in the TLBs of the first level: then
 * only the order in which lines and pages were used last has changed. An exit
 * that is often replayed is divided into chunks of items. A chunk knows
 *
 *  - its looks: loads and stores by the same registers that were in one line
 *    when the chunk was made. They are looked up at once; if they lie in
 *    several lines now, line by line.
 *  - its lines of code. Which they are is fixed, so they are not looked up at
 *    all: the model tells when one of them leaves L1I, or its page the TLB
 *    (watch.h). When they were used is noted in the chunk; their own stamps are
 *    brought up to date before a fetch that misses, the only one who reads
 *    them.
 *
 * If all looks hit, stamps are set as if the items had been replayed one by
 * one; if one does not, nothing has happened yet, and they are. The tallies are
 * the same, to the last one. Only core 0 has chunks: which lines it has is
 * known of one core.
 */
#pragma once

#include <stdint.h>

struct core;
struct log_exit;
struct modelled;

#define LOOK_CORE 0 /* who has chunks */

/* Replays of an exit before chunks are made for it (chunk.h). */
#define LOOK_AFTER 16

/* Replay the record by the chunks of @e. */
void look_replay(struct modelled *m, const struct log_exit *e,
		 const uint64_t *record);

/* Bring the stamps of lines of code up to date. */
void look_settle(void);

/* The caches are not what they were, or all exits are gone, too: @core, if
 * there is one, is watched no longer. */
void look_forget(struct core *core);
void look_flush(void *core);
