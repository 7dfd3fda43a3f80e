/* SPDX-License-Identifier: BSD-3-Clause */
/* Which events regions count, and which they cannot and why. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct hl_event {
	char *name;
	char *component; /* where it is counted; NULL if it is not */
	char *reason;    /* why it is not; NULL if it is */
	bool level;      /* its value is meant, not its growth */
};

struct hl_events {
	struct hl_event *items; /* those that are counted first */
	size_t n;
	size_t n_counted;
	bool multiplex;
};

/*
 * Choose from @list, names with commas between them ("a,cpu/event=1,umask=2/,
 * nvml:x=instant"), or from what is useful on any machine if it is NULL. Each
 * one is tried together with those before it. 0 or PAPI_ENOMEM.
 */
int hl_events_choose(const char *list, bool multiplex, struct hl_events *out);
void hl_events_fini(struct hl_events *events);

/* A set of the calling thread's own with all that are counted, started. */
int hl_events_start(const struct hl_events *events, int *set);
