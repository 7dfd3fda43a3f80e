/* SPDX-License-Identifier: BSD-3-Clause */
/* One EventSet's share of the perf_event component, opened. */
#ifndef PERF_EVENT_SLICE_H
#define PERF_EVENT_SLICE_H

#include "components/perf_event/group.h"
#include "components/perf_event/home.h"
#include "core/component.h"

/* struct slice's priv. */
struct pe_slice {
	struct slice *slice;
	size_t n_groups;
	struct pe_group *groups;
	struct pe_reading *reading; /* room for the largest group */

	/*
	 * One for each event. Counters run on while the slice is stopped, so
	 * what they show (now) is more than what the slice has counted, by
	 * what they did meanwhile (idle): count = now - idle.
	 */
	struct count *now;  /* as last read */
	struct count *last; /* when the slice was stopped or opened */
	struct count *idle;

	unsigned generation; /* of the process that opened it */
	bool hardware;       /* takes counters of a PMU, hence has a home */
	bool enabled;        /* counters are counting */
	bool running;        /* between start and stop */
	struct pe_home *home;
	struct pe_slice *home_next;
};

/* The component's operations on slices. */
int pe_slice_open(struct slice *s);
void pe_slice_close(struct slice *s);
int pe_slice_start(struct slice *s, struct count *counts);
int pe_slice_read(struct slice *s, struct count *counts);
int pe_slice_stop(struct slice *s, struct count *counts);

#endif /* PERF_EVENT_SLICE_H */
