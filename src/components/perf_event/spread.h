/* SPDX-License-Identifier: BSD-3-Clause */
/* How sure an estimate is when events take turns on the counters. */
#ifndef PERF_EVENT_SPREAD_H
#define PERF_EVENT_SPREAD_H

#include "components/perf_event/ring.h"
#include "components/perf_event/slice.h"

/* The leader of a rotating group: a clock that samples the group's counts. */
struct perf_event_attr pe_spread_clock(const struct slice *s);

/* Begin to watch the open groups of a multiplexed slice. */
int pe_spread_open(struct pe_slice *ps);
void pe_spread_close(struct pe_slice *ps);

/* Bring the variances in ps->now up to the counts there. */
void pe_spread_update(struct pe_slice *ps);

/* One event's watch; here for the test of the arithmetic. */
struct pe_spread {
	struct pe_ring ring; /* none: only the reads are seen */
	/* The last sample. */
	uint64_t value;
	uint64_t running_ns;
	/* Rates in the pieces of time seen so far, in counts a nanosecond. */
	double n;
	double mean;
	double squares; /* of the deviations from the mean */
	/* What has been accounted for. */
	struct count done;
};

/* A sample: @value after @running_ns of counting. */
void pe_spread_add(struct pe_spread *sp, uint64_t value, uint64_t running_ns);

/* The variance that @now has more than at the last call. */
double pe_spread_more(struct pe_spread *sp, const struct count *now);

#endif /* PERF_EVENT_SPREAD_H */
