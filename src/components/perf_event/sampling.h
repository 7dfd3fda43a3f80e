/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Overflow: a signal to the counting thread whenever an event has counted
 * another threshold, and where the program was then.
 */
#pragma once

#include "components/perf_event/slice.h"

/* Whether an event of @s has a threshold. */
bool pe_sampling_wanted(const struct slice *s);

/* Ask the kernel for samples of event @position. */
void pe_sampling_set_attr(const struct slice *s, size_t position,
			  struct perf_event_attr *attr);

/* Watch the open, disabled events of @ps that have a threshold. */
int pe_sampling_open(struct pe_slice *ps);
void pe_sampling_close(struct pe_slice *ps);

/* Enable the groups, so that each sampled event stops at its overflow. */
int pe_sampling_start(struct pe_slice *ps);
