/* SPDX-License-Identifier: BSD-3-Clause */
/* What there is to count, each one tried: the result of `assay list`. */
#ifndef SURVEY_LISTING_H
#define SURVEY_LISTING_H

#include <stdbool.h>
#include <stddef.h>

#include "base/texts.h"
#include "measure/metrics.h"

enum event_class {
	CLASS_PRESET,
	CLASS_NATIVE,
	CLASS_METRIC,
};

struct listed_event {
	const char *name;
	const char *brief; /* what it means, in a few words; may be "" */
	const char *text;  /* the same in a sentence */
	enum event_class class;
	int code;
	int component; /* index of the native event's component; else -1 */
	bool available;
	bool simulated;     /* counted by the simulated PMU */
	const char *reason; /* why not; else NULL */
};

struct listed_component {
	const char *name;
	const char *text;
	int counters; /* that count at once; 0: no limit */
	int events;
	bool available;
	const char *reason;   /* why not; else NULL */
	const char *left_out; /* why not all events are listed; or NULL */
};

struct listing {
	struct listed_event *events;
	size_t n_events;
	struct listed_component *components;
	size_t n_components;
	struct texts texts; /* of all of them */
};

/* Called while events are tried; @done of @total. */
typedef void (*listing_progress)(void *context, size_t done, size_t total);

/* Which events are wanted. */
struct listing_filter {
	bool presets;
	bool native;
	bool metrics;
	bool left_out;      /* also events of PMUs that are not there */
	char *const *words; /* each in name or text, any case; ends with NULL */
};

/* Collect without trying. 0 or PAPI_ENOMEM. */
int listing_collect(struct listing *l, const struct listing_filter *filter);

/* Add the metrics of @m; each is tried at once, by its events. */
int listing_add_metrics(struct listing *l, const struct metrics *m,
			const struct listing_filter *filter);

/* Try every event of the listing. */
int listing_try(struct listing *l, listing_progress progress, void *context);

void listing_fini(struct listing *l);

/* Whether every word of @words is in @name or @text, in any case. */
bool listing_matches(char *const *words, const char *name, const char *text);

#endif /* SURVEY_LISTING_H */
