/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Events that write records, beside the same events inherited.
 *
 * The kernel lends no buffer to an inherited event of a thread [perf_mmap()],
 * so its count cannot be had without a system call, which takes longer the more
 * children there are. It lends one to an inherited event of a thread on one
 * CPU, and all children write into that. So each event has a twin on every CPU;
 * what these have written together is what the event has counted.
 *
 * Children inherit what was open when they were made. So twins are opened at
 * once, but count only while they are on: that reaches all children
 * [perf_event_for_each_child()].
 */
#pragma once

#include "components/perf_event/slice.h"

struct pe_twins {
	size_t n;    /* how many there are: events times CPUs */
	size_t cpus; /* the twins of an event stand side by side */
	int fds[];
};

/*
 * Open the twins of @s, which are off; to be called before its events are
 * opened. @adapt changes what is asked for. NULL: the kernel refuses, a CPU is
 * not there, they would be too many, or there is no memory.
 */
struct pe_twins *pe_twins_new(const struct slice *s,
			      void (*adapt)(struct perf_event_attr *attr));
void pe_twins_free(struct pe_twins *t); /* NULL is fine */

/* Let them count, or no longer. False: the kernel refuses. */
bool pe_twins_switch(const struct pe_twins *t, bool on);
