/* SPDX-License-Identifier: BSD-3-Clause */
/* Shows the model what records of the log mean. */
#ifndef SIMPMU_FAST_MODEL_REPLAY_H
#define SIMPMU_FAST_MODEL_REPLAY_H

#include <stdint.h>

struct modelled;
struct thread;

/* Records in [@from, @end) of the thread that has @m. */
void replay_memory(struct modelled *m, const uint64_t *from,
		   const uint64_t *end);
void replay_branches(struct modelled *m, const uint64_t *from,
		     const uint64_t *end);

/*
 * A path was left before entry @entry of the map, by a signal: write a record
 * for what was run of it. Called by signal handlers.
 */
void log_cut(struct thread *t, uint32_t entry);

#endif /* SIMPMU_FAST_MODEL_REPLAY_H */
