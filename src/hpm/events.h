/* SPDX-License-Identifier: BSD-3-Clause */
/* Which events the sections count, and EventSets of them. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* One event that was asked for. */
struct hpm_event {
	char *name;
	int code;
	char *reason; /* why it is not counted; NULL: it is */
};

struct hpm_events {
	struct hpm_event *list;
	size_t n;
	size_t counted; /* how many of them are */
	bool multiplex; /* HPM_MULTIPLEX was set */
	bool chosen;    /* by the user, not by us */
	bool simulated; /* the simulated PMU counts them */
};

/*
 * Choose events from the environment: HPM_EVENTS (names of events, sets and
 * metrics with commas between), HPM_EVENT_FILE (one a line), PAPI_EVENTS; else
 * what tells most of what can be counted here. Each one is tried together with
 * those before it.
 */
int events_choose(struct hpm_events *events);
void events_fini(struct hpm_events *events);

/*
 * A running EventSet of the counted events, in their order: of the calling
 * thread, or @inherit for all threads that it starts. PAPI_NULL if there is
 * none; if there should be, the reason is put into @why, of @size bytes. One of
 * a thread that does not have its counters at once is none.
 */
int events_start(const struct hpm_events *events, bool inherit, char *why,
		 size_t size);

/* Stop and release it; PAPI_NULL is fine. */
void events_stop(int set);
