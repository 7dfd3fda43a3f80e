/* SPDX-License-Identifier: BSD-3-Clause */
/* How sure an estimate is when events take turns on the counters. */
#pragma once

#include "components/perf_event/ring.h"
#include "components/perf_event/slice.h"

/* The leader of a rotating group: a clock that samples the group's counts. */
struct perf_event_attr pe_spread_clock(const struct slice *s);

/* Begin to watch the open groups of a multiplexed slice. */
int pe_spread_open(struct pe_slice *ps);
void pe_spread_close(struct pe_slice *ps);

/* Bring the variances in ps->now up to the counts there. */
void pe_spread_update(struct pe_slice *ps);

/* Blocks of 1, 2, 4, ... neighbouring pieces of time. */
#define PE_SPREAD_LEVELS 10

struct pe_blocks {
	double n;
	double time;    /* sum of lengths, ns */
	double value;   /* sum of counts */
	double squares; /* sum of counts^2 / length */
	bool pending;   /* one waits for its neighbour: */
	double pending_time;
	double pending_value;
};

/* One event's watch; here for the test of the arithmetic. */
struct pe_spread {
	struct pe_ring ring; /* none: only the reads are seen */
	/* The last sample. */
	uint64_t value;
	uint64_t running_ns;
	struct pe_blocks blocks[PE_SPREAD_LEVELS];
	struct count done; /* what has been accounted for */
};

/* A sample: @value after @running_ns of counting. */
void pe_spread_add(struct pe_spread *sp, uint64_t value, uint64_t running_ns);

/* The variance that @now has more than at the last call. */
double pe_spread_more(struct pe_spread *sp, const struct count *now);
