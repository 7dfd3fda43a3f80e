/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One thread's regions: a tree of names as they nest, with statistics of each.
 * Memory is one node for each place in the tree, whatever the number of
 * visits. Nothing here counts: the values at a moment are handed in.
 *
 * A region that is begun again while it is open (recursion) is the same node:
 * inclusive sums take the outermost visit only, exclusive ones all.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/map.h"

#define REGION_NONE ((size_t)-1)

/* Of one metric in one region. */
struct region_stat {
	long long sum;       /* from begin to end, over the outermost visits */
	long long exclusive; /* without what was inside inner regions */
	long long min;       /* of a visit */
	long long max;
	long long read_min; /* from begin to PAPI_hl_read(), if there was one */
	long long read_max;
};

struct region {
	size_t name;   /* index into names */
	size_t parent; /* REGION_NONE at the top */
	unsigned long long visits;
	unsigned long long outermost; /* of them not inside another */
	unsigned long long reads;
	unsigned long long overlaps; /* ended while an inner one was open */
	unsigned active;             /* visits that are open now */
	struct region_stat *stats;
};

struct region_name {
	char *text;
	size_t open;    /* the region of this name that is open */
	unsigned depth; /* how often it is open */
};

/* Zero-initialise it, then regions_init(). */
struct regions {
	size_t n_metrics;
	const bool *levels; /* borrowed: metrics whose value is meant, not its
			       growth */
	struct map name_index;
	struct region_name *names;
	size_t n_names;
	struct region *items;
	size_t n;
	size_t *table; /* hash of (parent, name): index into items + 1 */
	size_t table_capacity;
	size_t *frames; /* open visits, outermost first: their regions */
	size_t n_frames;
	size_t frames_capacity;
	long long *cells;            /* of each frame: begin, inner, charged */
	unsigned long long bad_ends; /* of regions that were not open */
};

void regions_init(struct regions *r, size_t n_metrics, const bool *levels);
void regions_fini(struct regions *r);

/* @now has n_metrics values. 0 or PAPI_ENOMEM. */
int regions_begin(struct regions *r, const char *name, const long long *now);

/* PAPI_EINVAL: no such region is open. */
int regions_read(struct regions *r, const char *name, const long long *now);

/*
 * End the innermost visit of @name. If other regions were begun inside and
 * not ended, they stay open and the overlap is noted. PAPI_EINVAL: not open,
 * which is noted too.
 */
int regions_end(struct regions *r, const char *name, const long long *now);

/* How many visits are open. */
size_t regions_depth(const struct regions *r);
