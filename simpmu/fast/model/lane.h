/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lanes: helpers that replay full logs while the guest goes on, one for the
 * model of memory and one for that of branches, where there is more than one
 * processor, and one for what the first leaves (miss.h). As the publisher they
 * are small processes in the guest's memory, which programs do not notice.
 *
 * Only a process with one thread uses them; logs of several threads are
 * replayed by the threads themselves, in the order in which they are full.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct batch;
struct modelled;

enum {
	LANE_MEMORY,
	LANE_BRANCHES,
	LANES, /* that have a model of their own */
	LANE_MISSES = LANES,
	LANE_ALL
};

/* Replay records of @m by one model. */
typedef void lane_fn(unsigned lane, struct modelled *m, const uint64_t *from,
		     const uint64_t *end);

/* Whether there are lanes; starts them if they can be of use. */
bool lane_is_ready(lane_fn *replay);

/* Have [@from, @end) replayed by all lanes; when lane_wait() for the number
 * returns, it has been. False if that cannot be waited for. */
uint32_t lane_give(struct modelled *m, const uint64_t *from,
		   const uint64_t *end);
bool lane_wait(uint32_t number);

/* By who replays memory: have a batch of misses done, in the memory that was
 * given last. Returns memory for the next one. */
uint64_t *lane_give_misses(const struct batch *batch);
uint64_t *lane_first_batch(void);

/* Nothing is left to do; false as above. */
bool lane_finish(void);

/* End them: before an exec, or at the end. */
void lane_stop(void);
/* In the child of a fork, which has none. */
void lane_forget(void);
