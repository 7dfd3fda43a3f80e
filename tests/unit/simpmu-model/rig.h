/* SPDX-License-Identifier: BSD-3-Clause */
/* A modelled machine for tests: made from a compiled-in model, with changes. */
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "simpmu/model/model.h"
#include "tests/unit/testing.h"

#define RIG_ALL (PART_BRANCH | PART_FETCH | PART_DATA | PART_CYCLE)

static inline void *rig_get(void *ctx, size_t bytes)
{
	void *mem = aligned_alloc(64, (bytes + 63) / 64 * 64);

	(void)ctx;
	if (mem)
		memset(mem, 0, bytes);
	return mem;
}

static inline void rig_put(void *ctx, void *mem, size_t bytes)
{
	(void)ctx;
	(void)bytes;
	free(mem);
}

static const struct model_alloc rig_alloc = { rig_get, rig_put, NULL };

/* A model of @params with @cores cores. */
static inline struct model *rig_new(const struct params *params, unsigned parts,
				    unsigned cores)
{
	struct params_error error;
	struct model *model;

	if (!params_check(params, &error))
		fail_msg("%s", error.text);
	model = model_new(params, parts, &rig_alloc);
	assert_non_null(model);
	for (unsigned i = 0; i < cores; i++)
		assert_non_null(model_add_core(model));
	return model;
}

static inline struct params rig_params(const char *name)
{
	struct params params;

	assert_true(params_builtin(&params, name));
	return params;
}

/* Caches only: no prefetchers. */
static inline struct params rig_plain(const char *name)
{
	struct params params = rig_params(name);

	params.pf_adjacent = params.pf_stream = 0;
	params.pf_next = params.pf_stride = 0;
	return params;
}

/* Deterministic numbers for traces. */
static inline uint64_t rig_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* What a tally is called. */
static inline const char *rig_signal_name(unsigned tally)
{
	static const char *const names[] = {
#define X(name, text) #name,
		ARCH_TALLIES(X)
#undef X
#define X(name, part, text) #name,
			MODEL_TALLIES(X)
#undef X
	};

	return tally < TALLY_COUNT ? names[tally] : "?";
}
