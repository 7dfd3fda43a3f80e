/* SPDX-License-Identifier: BSD-3-Clause */
/* Which groups a slice's events make, and opening them. */
#pragma once

#include "components/perf_event/slice.h"

/* Divide the events of @s into groups; nothing is opened. */
int pe_open_plan(struct slice *s, struct pe_slice *ps);

/*
 * Whether an event is to have its counter whenever its thread is on its kind
 * of cores, since its times cannot tell that it had to wait.
 */
bool pe_plan_is_pinned(const struct slice *s, const struct pe_group *g,
		       size_t position);

/* Have @attr, of an event of @g, name the PMU that was planned. */
void pe_plan_set_pmu(const struct pe_group *g, const struct pe_event *e,
		     struct perf_event_attr *attr);

/*
 * Open all groups: enabled, so that the kernel checks whether they fit, unless
 * @disabled. All or nothing; slice_fail() has the reason.
 */
int pe_open_groups(struct slice *s, struct pe_slice *ps, bool disabled);

/* Say why event @position could not be opened; returns PAPI's code. */
int pe_why(struct slice *s, size_t position, int error, bool alone);

/* What perf_event_open() is asked for event @position of @s. */
struct perf_event_attr pe_attr_of(const struct slice *s, size_t position);

/*
 * Ask for less, after a refusal: faults of the user's own code can be counted
 * with less permission. False: there is nothing to give up.
 */
bool pe_attr_with_less(struct perf_event_attr *attr, const struct pe_event *e);
