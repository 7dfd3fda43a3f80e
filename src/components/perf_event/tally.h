/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counts of software events without a system call, exact.
 *
 * The kernel does not show the count of a software event in user space, but it
 * can write a record of 8 bytes into a mapped buffer each time that the event
 * happens. How far it has written then tells how often. Nobody reads the
 * records: the buffer is one page that is written over and over.
 *
 * A record costs 180 ns where a read of a group of four costs 820 (Linux 6.18,
 * side by side), so it pays only for slices that are read often compared with
 * how often their events happen. A slice begins without, and goes over to it
 * and back as its reads go on. The records of one whose events are inherited
 * are written by others on each CPU: twins.h. So reading takes as long with a
 * thousand threads as with one.
 */
#pragma once

#include "components/perf_event/slice.h"

/* Whether all events of @s can be counted so, by themselves. */
bool pe_tally_wanted(const struct slice *s);

/* Ask for it in @attr; the event can be counted by reads as well. */
void pe_tally_set_attr(struct perf_event_attr *attr);

/*
 * Make ready, before the events are opened; records are not written yet. No
 * memory: it stays without.
 */
void pe_tally_open(struct pe_slice *ps);
void pe_tally_close(struct pe_slice *ps);

/*
 * Put the counts of all events into ps->reading->values. False: not possible
 * now, read them. Only for a slice of one group in its own order.
 */
bool pe_tally_read(struct pe_slice *ps);

/* Whether nothing has happened since it was last read from the kernel. */
bool pe_tally_stands(const struct pe_slice *ps);

/* Its events are off: those that write records for them shall be, too. */
void pe_tally_stop(struct pe_slice *ps);

/* Read ps->now from the kernel by @read; tallies go on from there. */
int pe_tally_refresh(struct pe_slice *ps, int (*read)(struct pe_slice *ps));
