/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An engine that the tests drive by hand, and a host that is this process:
 * the PMU layer runs on them as it does in the tool.
 */
#pragma once

#include "simpmu/pmu/engine.h"
#include "simpmu/pmu/pmu.h"

struct fake {
	uint64_t totals[ENGINE_MAX_TID][TALLY_COUNT];
	unsigned asked; /* for totals, so far */
	uint64_t disturbances;
	unsigned parts;
	unsigned selections; /* how often parts changed */
	struct engine_trap traps[ENGINE_TRAPS];
	uint64_t left[ENGINE_TRAPS][ENGINE_MAX_TID];
	unsigned tallies; /* sent so far */
	struct engine_signal last_signal;
	uint64_t pc;     /* address of the instruction that runs */
	int32_t pid;     /* what host_pid() says */
	char key[65536]; /* what was written to the last file */
	size_t key_bytes;
	void *shared;       /* what host_share_file() gives */
	void *memory;       /* what host_share() gave last */
	const char *object; /* the file that every page is of */
	bool disk_full;
	struct engine_taken taken[2];
	uint64_t held;          /* the byte that is locked */
	uint64_t held_by_other; /* one that another has locked */
	bool was_taken;         /* the place had an owner when it was locked */
	uint32_t passed;        /* to the program of an exec */
	_Alignas(8) char samples[16384]; /* what was appended */
	size_t sample_bytes;
};

extern struct fake fake;

/* Everything as it was at the start of a process with one thread. */
void fake_reset(struct wire_control *shared);

/* Thread @tid runs one instruction that adds 1 to each of @tallies, 0-ended
 * by TALLY_COUNT. Traps fire after it. */
void fake_step(unsigned tid, const unsigned *tallies);

/* A set of the named events; its number. Fails the test if it cannot be. */
uint32_t fake_open(const char *const *names, uint32_t n,
		   struct wire_open *request);

uint32_t fake_event(const char *name);
