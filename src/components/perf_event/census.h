/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What each thread of a program counted, for slices that are inherited.
 *
 * The kernel adds the counts of a thread that ends to those of the event that
 * it was inherited from. It can also write a record of them
 * (PERF_RECORD_READ), but into a buffer, and an event that is inherited may
 * have one only on a single CPU [perf_event_open(2), mmap layout]. So each
 * event is opened on each CPU, with a buffer for each CPU.
 *
 * The first thread is not inherited: it has what is left of the sum. Some
 * kernels have lost the way to that record (seen on Linux 6.1; 6.18 has it):
 * there threads were born, but none told of.
 *
 * When the kernel switches between threads that have inherited all that the
 * other has, it lets them exchange their events instead, and exchanges the
 * counts back, one event of the one list for one of the other's. The first
 * thread's list can be in another order, so that counts of different events
 * are exchanged (perf_event_sync_stat(), seen on Linux 6.18). An event of the
 * first thread's that is not inherited makes its threads unlike it.
 */
#pragma once

#include "components/perf_event/slice.h"

/* Ask for records in @attr; names of threads too if it is the CPU's @first. */
void pe_census_set_attr(struct perf_event_attr *attr, bool first);

/* Whether group @g is the first on its CPU. */
bool pe_census_is_first(const struct pe_slice *ps, const struct pe_group *g);

/* Before the events are opened: make the first thread unlike the others. */
int pe_census_begin(struct pe_slice *ps);

/* Map the buffers of an open slice. */
int pe_census_open(struct pe_slice *ps);
void pe_census_close(struct pe_slice *ps);

/* Take what is in the buffers, so that they have room again. */
void pe_census_drain(struct pe_slice *ps);

/*
 * Make the times of counts right that were added up over CPUs. An event on a
 * CPU is enabled at times when its thread is on another, or not, as the kernel
 * came to look at it; software events always count while they are enabled.
 */
void pe_census_settle(const struct pe_slice *ps, struct count *counts);

/* The component's operation. */
int pe_slice_threads(struct slice *s, thread_visitor visit, void *data);
