/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Expands the name of a set to the events of its metrics. Whether they can be
 * counted is left to events.c.
 */
#include "hpm/sets.h"

#include <string.h>

#include <assay/metric.h>

#include "hpm/derive.h"

#define ALL "all"

/* A blank in a category's name is a hyphen in the set's. */
static bool is_called(const char *name, const char *word, size_t length)
{
	size_t i = 0;

	for (; i < length && name[i]; i++)
		if (name[i] != word[i] && !(name[i] == ' ' && word[i] == '-'))
			return false;
	return i == length && !name[i];
}

static bool is_in(const struct metric_row *row, const char *word, size_t length)
{
	return is_called(row->category, word, length) ||
	       is_called(row->name, word, length) ||
	       is_called(ALL, word, length);
}

static void give_events(const struct metric_row *row,
			void (*take)(void *context, const char *event),
			void *context)
{
	struct assay_metric *metric;

	if (assay_metric_compile(row->formula, &metric, NULL))
		return;
	for (size_t i = 0; i < assay_metric_event_count(metric); i++) {
		const char *name = assay_metric_event(metric, i);

		if (strcmp(name, "wall_s") != 0 && strcmp(name, "#") != 0)
			take(context, name);
	}
	assay_metric_free(metric);
}

bool sets_expand(const char *word, size_t length, bool simulated,
		 void (*take)(void *context, const char *event), void *context)
{
	bool found = false;

	for (const struct metric_row *row = metric_rows; row->name; row++) {
		if (!derive_is_for(row, simulated) || !is_in(row, word, length))
			continue;
		found = true;
		give_events(row, take, context);
	}
	return found;
}
