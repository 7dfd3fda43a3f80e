/* SPDX-License-Identifier: BSD-3-Clause */
/* One EventSet's share of the perf_event component, opened. */
#pragma once

#include <stdatomic.h>

#include "components/perf_event/group.h"
#include "components/perf_event/home.h"
#include "core/component.h"

struct pe_recording;
struct pe_sampler;
struct pe_census;
struct pe_spread;
struct pe_tally;

/* An event that is in several groups: the sum of what was read. */
struct pe_sum {
	size_t places; /* groups */
	bool apart;    /* on CPUs of their own, whose times are not one's */
	bool pinned;   /* to one kind of cores: never waits for a counter */
	struct pe_part total;
	uint64_t waiting_ns;             /* of places that have not run since */
	bool blind;                      /* one of them has never run */
	uint64_t enabled_ns, running_ns; /* slice.c: when it was opened */
};

/* struct slice's priv. */
struct pe_slice {
	struct slice *slice;
	size_t n; /* events; slice->n may change before it is closed */
	size_t n_groups;
	struct pe_group *groups;
	struct pe_reading *reading; /* room for the largest group */

	/*
	 * One for each event. Counters run before the slice is started, to see
	 * that they do, so what they show (now) is more than what the slice has
	 * counted, by what they did then (idle): count = now - idle.
	 */
	struct pe_sum *sums; /* counting.c: over the groups it is in */
	struct count *now;   /* as last read */
	struct count *idle;

	void **pages;                /* fast.c: one for each event, or NULL */
	struct pe_sampler **sampler; /* sampling.c: likewise */
	struct pe_spread *spread;    /* spread.c: likewise */
	struct pe_recording *recording; /* recorder.c; nothing else is then */
	struct pe_tally *tally;         /* tally.c; or NULL */
	struct pe_census *census;       /* census.c; or NULL */

	unsigned generation;  /* of the process that opened it */
	unsigned long thread; /* that opened it, by pe_thread() */
	bool is_one_group;    /* of all events, in the slice's order */
	bool hardware;        /* takes counters of a PMU, hence has a home */
	atomic_bool enabled;  /* counters are counting */
	atomic_bool running;  /* between start and stop */
	struct pe_home *home;
	struct pe_slice *home_next;
};

/* The component's operations on slices. */
int pe_slice_open(struct slice *s);
void pe_slice_close(struct slice *s);
int pe_slice_start(struct slice *s, struct count *counts);
int pe_slice_read(struct slice *s, struct count *counts);
int pe_slice_stop(struct slice *s, struct count *counts);
bool pe_slice_read_plain(struct slice *s, const struct count *base,
			 long long *values);
bool pe_slice_reset_plain(struct slice *s, struct count *base,
			  long long *values);

/* For slice.c and counting.c. */

/* Read all counters into ps->now. */
int pe_slice_refresh(struct pe_slice *ps);

/* Enable or disable all groups. */
int pe_slice_control(struct pe_slice *ps, unsigned long request);

/* Whether an ancestor process opened it. */
static inline bool pe_slice_is_stale(const struct pe_slice *ps)
{
	return ps->generation != pe_generation();
}

/* Give up what belongs to an ancestor and open it for this process. */
int pe_slice_open_again(struct slice *s);

/*
 * Open the events of a slice of one group anew while it counts, without losing
 * or repeating any. Where that is not possible it stays as it is.
 */
void pe_slice_open_over(struct slice *s);
