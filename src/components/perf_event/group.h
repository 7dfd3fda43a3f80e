/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A group: events that the kernel counts all at the same time or not at all,
 * and gives back in one read.
 */
#pragma once

#include <errno.h>
#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <unistd.h>

#include "components/perf_event/event.h"

#define PE_GROUP_FORMAT                                                        \
	(PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED |                  \
	 PERF_FORMAT_TOTAL_TIME_RUNNING)

/*
 * An event without others is read without PERF_FORMAT_GROUP, which saves the
 * kernel a lock: 626 against 825 ns a read, seen on Linux 6.18.
 */
#define PE_ALONE_FORMAT                                                        \
	(PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING)

/* What read() gives for a group in the first format. */
struct pe_reading {
	uint64_t n;
	uint64_t enabled_ns;
	uint64_t running_ns;
	uint64_t values[];
};

struct pe_group {
	pid_t pid;      /* as for perf_event_open(2) */
	int cpu;        /* likewise */
	uint32_t class; /* PMU of its hardware events; 0: has none yet */
	size_t n;
	size_t *members; /* positions in the slice, in the order of opening */
	int *fds;        /* -1: not open */
	/*
	 * The PMU that its events are opened on, where they do not say: one
	 * of a processor's kinds of cores, or a box; 0: they do.
	 */
	uint32_t pmu;
	bool topdown; /* has Intel's slots or metrics */
	bool clocked; /* led by a clock that is not a member: spread.c */
	bool slotted; /* led by slots that are not a member: for metrics */
	int lead_fd;  /* then the clock's, or that of the slots */
	struct pe_part *places; /* counting.c: one for each member, or NULL */
};

/* What an event had in one place when it was last added to the others. */
struct pe_part {
	uint64_t value, enabled_ns, running_ns;
};

/* How many values in a reading come before those of the members. */
static inline size_t pe_group_lead(const struct pe_group *g)
{
	return g->clocked || g->slotted ? 1 : 0;
}

/* Whether it is but one event. */
static inline bool pe_group_is_alone(const struct pe_group *g)
{
	return g->n == 1 && pe_group_lead(g) == 0;
}

/* The leader's descriptor, which stands for the group. */
static inline int pe_group_leader(const struct pe_group *g)
{
	return pe_group_lead(g) ? g->lead_fd : g->fds[0];
}

/* perf_event_open(2), closed on exec. -1 with errno set on error. */
int pe_sys_open(struct perf_event_attr *attr, pid_t pid, int cpu, int leader);

/* The same for @e, whose encoding may need more than @attr has room for. */
int pe_sys_open_event(const struct pe_event *e, struct perf_event_attr *attr,
		      pid_t pid, int cpu, int leader);

/* Add position @member; nothing is opened. 0 or PAPI_ENOMEM. */
int pe_group_append(struct pe_group *g, size_t member);

/* Close and free what it has. Of a group never opened too. */
void pe_group_fini(struct pe_group *g);

/* Read the whole group into @out, which has room for it. */
int pe_group_read(const struct pe_group *g, struct pe_reading *out);

/*
 * The same, giving errno's code, for the innermost of loops: after a system
 * call each return to a caller costs 6 ns, as the kernel's own returns have
 * pushed ours out of the processor's memory of where to return.
 */
static inline int pe_group_read_once(const struct pe_group *g,
				     struct pe_reading *out)
{
	bool alone = pe_group_is_alone(g);
	uint64_t one[3]; /* value, enabled, running */
	size_t bytes = alone ? sizeof(one)
			     : sizeof(*out) + (g->n + pe_group_lead(g)) *
						      sizeof(out->values[0]);
	ssize_t got = read(pe_group_leader(g), alone ? one : &out->n, bytes);

	if (got < 0)
		return errno;
	if (got == 0) /* pinned, and others have its counters */
		return EBUSY;
	if ((size_t)got != bytes)
		return EIO;
	if (alone) {
		out->n = 1;
		out->values[0] = one[0];
		out->enabled_ns = one[1];
		out->running_ns = one[2];
	}
	return 0;
}

/*
 * PERF_EVENT_IOC_ENABLE or _DISABLE. Only the leader is told: the others run
 * with it. Told one by one (PERF_IOC_FLAG_GROUP), siblings whose PMU is not
 * the leader's stay off: seen on Linux 6.18, where a resched looks at one PMU.
 */
int pe_group_control(const struct pe_group *g, unsigned long request);
