/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The modelled machine behind the log: its cores, who runs on them, and what
 * they have counted. Two models, one of memory and one of branches, which have
 * nothing to do with each other as long as cycles are not modelled.
 *
 * A thread's log is replayed when it is full, and when counts are read.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "simpmu/fast/model/detail.h"
#include "simpmu/fast/model/sample.h"
#include "simpmu/model/model.h"
#include "simpmu/model/tally.h"

struct thread;

/* Logs of a thread: one is written while others are replayed. With few, lanes
 * that take longer or shorter for a log than others wait for each other. */
#define MODELLED_LOGS 32

/* Who goes over a log: the models of memory and of branches, each on its own,
 * and behind them the scoreboard. */
enum replay_pass {
	REPLAY_MEMORY,
	REPLAY_BRANCHES,
	REPLAY_CYCLES,
	REPLAY_PASSES
};

/* What a thread has of the machine. */
struct modelled {
	bool is_added;
	unsigned core;                  /* its number */
	struct core *memory, *branches; /* NULL: that part is off */
	struct core *cycles;            /* the same, of the scoreboard */
	uint64_t *logs[MODELLED_LOGS];  /* where each begins */
	uint32_t given[MODELLED_LOGS];  /* number of each at the lanes */
	unsigned log;                   /* that is written now */
	uint64_t *done;                 /* what comes next to be replayed */
	uint64_t fs;                    /* base of the segment, for addresses */
	uint64_t loads, stores, fetches;
	uint64_t tallies[TALLY_COUNT];

	/* cycles */
	struct sampler samplers[REPLAY_PASSES];
	struct detail details[MODELLED_LOGS]; /* of each log */
	struct detail *detail[REPLAY_CYCLES]; /* of the piece replayed now */
	struct estimate estimate;
	bool is_in_window;
	double variance[SAMPLE_TALLIES]; /* of threads that are gone */
};

/* The parts that can be modelled. */
#define MACHINE_PARTS (PART_BRANCH | PART_FETCH | PART_DATA | PART_CYCLE)

/* Model @parts from now on: all code is translated anew. */
void machine_select(unsigned parts);

/* Thread @t will run, has a full log, or has ended. */
void machine_add_thread(struct thread *t);
void machine_empty_log(struct thread *t);
void machine_end_thread(struct thread *t);

/* Replay all that threads have logged, before counts are read. */
void machine_catch_up(void);
/* The same under the engine's lock; false: it could not be done now. */
bool machine_catch_up_locked(void);
/* The guest is about to change what may be code in [@start, +@bytes), or there
 * is more of it: code on wrong paths is looked at anew. */
void machine_change_code(uint64_t start, uint64_t bytes);
void machine_add_code(void);

/* No record of the log is left, and exits will have other meanings. */
void machine_forget_exits(void);

/* End what runs beside the guest: before an exec, or at the end; or in the
 * child of a fork, where it does not run. */
void machine_stop(void);
void machine_forget_lanes(void);

/* Nobody is at the models meanwhile, for a fork. */
void machine_lock(void);
void machine_unlock(void);

/* Add what @t, or all threads that ended, have counted. */
void machine_add(const struct thread *t, uint64_t out[TALLY_COUNT]);
void machine_add_ended(uint64_t out[TALLY_COUNT]);

/* Where what threads that are gone have counted is kept. */
struct modelled *machine_ended(void);

/* Forget what caches, TLBs and predictors know. */
void machine_make_cold(void);
bool machine_keep(void);
bool machine_bring_back(void);

/* wrongpath.c: the model's decoder of code that does not run */
void wrongpath_init(void);
void wrongpath_change(void);
bool wrongpath_has(uint64_t start, uint64_t bytes);
/* Know the memory map as it is now; takes the engine's lock. */
void wrongpath_look(void);
const struct code_run *wrongpath_decode(void *ctx, uint64_t address);
