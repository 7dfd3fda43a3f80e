/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Caches and TLBs as one CPU sees them. What the machine does not say is left
 * out or 0; nothing is guessed from the model.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/fs.h"

enum cache_kind {
	CACHE_INSTRUCTION = 1,
	CACHE_DATA = 2,
	CACHE_UNIFIED = 3,
};

#define CACHE_FULLY_ASSOCIATIVE (~0U)

struct host_cache {
	unsigned level; /* 1 is nearest */
	enum cache_kind kind;
	uint64_t bytes;
	unsigned line_bytes;
	unsigned ways;        /* or CACHE_FULLY_ASSOCIATIVE; 0: not known */
	unsigned shared_cpus; /* online CPUs that share it; 0: not known */
};

struct host_tlb {
	unsigned level;
	enum cache_kind kind;
	uint64_t page_bytes;
	unsigned entries;
	unsigned ways; /* or CACHE_FULLY_ASSOCIATIVE; 0: not known */
};

struct host_caches {
	struct host_cache *caches; /* by level, then kind */
	size_t n_caches;
	struct host_tlb *tlbs; /* by level, then kind, then page */
	size_t n_tlbs;
};

/* 0 or PAPI_ENOMEM. A machine that says nothing has none of either. */
int caches_read(const struct fs *fs, struct host_caches *out);
void caches_fini(struct host_caches *caches);

/* For caches.c: what CPUID says of TLBs, added to @out. */
int tlb_read_cpuid(const struct fs *fs, struct host_caches *out);
int tlb_add(struct host_caches *out, struct host_tlb tlb);

/*
 * The innermost cache of @level for @kind, data and instructions alike if it
 * is unified; NULL if there is none.
 */
const struct host_cache *cache_find(const struct host_caches *caches,
				    unsigned level, enum cache_kind kind);
