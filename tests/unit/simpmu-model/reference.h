/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A second, deliberately naive memory hierarchy to compare the model with:
 * lists in order of use, no time stamps, no filter, no directory (every core
 * is searched). Prefetchers are left out. Tallies have the same numbers.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "simpmu/model/params.h"
#include "simpmu/model/tally.h"

#define REF_CORES 8

struct ref_line {
	uint64_t line;
	bool dirty;
	bool owned;
	bool from_l3; /* in an L2 */
};

/* Lines of a set, last used first. */
struct ref_set {
	struct ref_line *line;
	uint32_t count;
};

struct ref_cache {
	uint32_t sets, ways;
	struct ref_set *set;
};

struct ref_core {
	struct ref_cache l1i, l1d, l2, itlb, dtlb, stlb;
	uint64_t tallies[TALLY_COUNT];
};

struct ref_machine {
	struct params params;
	struct ref_cache l3;
	unsigned cores;
	struct ref_core core[REF_CORES];
};

struct ref_machine *ref_new(const struct params *params, unsigned cores);
void ref_free(struct ref_machine *machine);

enum ref_access {
	REF_LOAD,
	REF_STORE,
	REF_FETCH
};

/* A load, store or fetch of @size bytes at @address. */
void ref_access(struct ref_machine *machine, unsigned core,
		enum ref_access kind, uint64_t address, size_t size);
