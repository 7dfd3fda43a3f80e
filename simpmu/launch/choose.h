/* SPDX-License-Identifier: BSD-3-Clause */
/* Which engine runs a program, where the user leaves that open. */
#pragma once

#include <stdbool.h>

/*
 * Whether the fast engine can count all that the control file asks for: no
 * cycles unless they may be sampled, pages touched, traffic between cores, and
 * overflow of none that is modelled. False if the file asks for nothing: then
 * programs ask by themselves.
 */
bool choose_counts_fast(const char *control, bool sampled);
/* Whether the file asks for something that depends on what other threads do at
 * the same time: data caches, cycles. */
bool choose_is_shared(const char *control);
/* Whether the file asks for anything. */
bool choose_asks(const char *control);
/* Whether the file asks for something that the fast engine cannot count. */
bool choose_exceeds_fast(const char *control, bool sampled);

/*
 * Whether program @path may speak to the simulator by itself: it is linked
 * with the library, or holds its request sequence.
 */
bool choose_may_request(const char *path);

/*
 * Whether program @path is made to have threads: it needs the run time of
 * OpenMP or TBB, or uses C++'s threads.
 */
bool choose_is_threaded(const char *path);
