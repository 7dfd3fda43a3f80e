/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Takes the list from the environment or the defaults, tries each event, and
 * makes an EventSet of those that can be counted. Sums of regions are left to
 * regions.c.
 */
#include "papi/hl_events.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include <assay/assay.h>
#include <papi.h>

#include "base/array.h"
#include "base/ascii.h"

/* What says something about any program, with a PMU and without one. */
static const char defaults[] = "PAPI_TOT_CYC,PAPI_TOT_INS,perf::TASK-CLOCK,"
			       "perf::PAGE-FAULTS,perf::CONTEXT-SWITCHES";

void hl_events_fini(struct hl_events *events)
{
	for (size_t i = 0; i < events->n; i++) {
		free(events->items[i].name);
		free(events->items[i].component);
		free(events->items[i].reason);
	}
	free(events->items);
	*events = (struct hl_events){ 0 };
}

/* Take "=instant" or "=delta" off the end of a name; whether it was the one. */
static bool take_suffix(char *name, const char *suffix)
{
	size_t n = strlen(name);
	size_t len = strlen(suffix);

	if (n <= len || strcmp(name + n - len, suffix) != 0)
		return false;
	name[n - len] = '\0';
	return true;
}

static int add_name(struct hl_events *events, const char *text, size_t n)
{
	struct hl_event event = { 0 };

	while (n > 0 && isspace((unsigned char)*text)) {
		text++;
		n--;
	}
	while (n > 0 && isspace((unsigned char)text[n - 1]))
		n--;
	if (n == 0)
		return 0;
	event.name = strndup(text, n);
	if (!event.name)
		return PAPI_ENOMEM;
	event.level = take_suffix(event.name, "=instant");
	take_suffix(event.name, "=delta");
	if (array_grow(&events->items, events->n, sizeof(event))) {
		free(event.name);
		return PAPI_ENOMEM;
	}
	events->items[events->n++] = event;
	return 0;
}

static int split(const char *list, struct hl_events *events)
{
	int err = 0;

	while (!err && *list) {
		size_t n = ascii_list_name(list);

		err = add_name(events, list, n);
		list += n + (list[n] == ',');
	}
	return err;
}

/* What the library knows of an event that it accepted. */
static int describe(struct hl_event *event)
{
	const PAPI_component_info_t *component = NULL;
	OWNED PAPI_event_info_t *info = malloc(sizeof(*info));
	int code;

	if (!info)
		return PAPI_ENOMEM;
	if (PAPI_event_name_to_code(event->name, &code) == PAPI_OK &&
	    PAPI_get_event_info(code, info) == PAPI_OK) {
		component = PAPI_get_component_info(info->component_index);
		event->level |= info->value_type == PAPI_VALUETYPE_ABSOLUTE;
	}
	event->component = strdup(component ? component->name : "");
	return event->component ? 0 : PAPI_ENOMEM;
}

/* The sentence for why the last call failed. */
static char *why(int code)
{
	const char *sentence = assay_error();

	if (sentence && sentence[0])
		return strdup(sentence);
	sentence = PAPI_strerror(code);
	return strdup(sentence ? sentence : "unknown error");
}

static int new_set(bool multiplex, int *set)
{
	int err;

	*set = PAPI_NULL;
	err = PAPI_create_eventset(set);
	if (err || !multiplex)
		return err;
	err = PAPI_multiplex_init();
	if (!err)
		err = PAPI_assign_eventset_component(*set, 0);
	if (!err)
		err = PAPI_set_multiplex(*set);
	if (err)
		PAPI_destroy_eventset(set);
	return err;
}

static void drop_set(int set)
{
	PAPI_cleanup_eventset(set);
	PAPI_destroy_eventset(&set);
}

/* Try to add each to @set; those that can be are moved to the front. */
static int try_all(struct hl_events *events, int set)
{
	int err = 0;

	for (size_t i = 0; !err && i < events->n; i++) {
		struct hl_event event = events->items[i];
		int code = PAPI_add_named_event(set, event.name);

		if (code == PAPI_OK) {
			err = describe(&event);
		} else {
			event.reason = why(code);
			err = event.reason ? 0 : PAPI_ENOMEM;
		}
		events->items[i] = event;
		if (event.component && !event.reason) {
			memmove(&events->items[events->n_counted + 1],
				&events->items[events->n_counted],
				(i - events->n_counted) * sizeof(event));
			events->items[events->n_counted++] = event;
		}
	}
	return err;
}

int hl_events_choose(const char *list, bool multiplex, struct hl_events *out)
{
	struct hl_events events = { .multiplex = multiplex };
	int set;
	int err = split(list ? list : defaults, &events);

	if (!err) {
		err = new_set(multiplex, &set);
		if (!err) {
			err = try_all(&events, set);
			drop_set(set);
		}
	}
	if (err) {
		hl_events_fini(&events);
		return err;
	}
	*out = events;
	return 0;
}

int hl_events_start(const struct hl_events *events, int *set)
{
	int made;
	int err;

	if (events->n_counted == 0) { /* times alone */
		*set = PAPI_NULL;
		return 0;
	}
	err = new_set(events->multiplex, &made);
	if (err)
		return err;
	for (size_t i = 0; !err && i < events->n_counted; i++)
		err = PAPI_add_named_event(made, events->items[i].name);
	if (!err)
		err = PAPI_start(made);
	if (err) {
		drop_set(made);
		return err;
	}
	*set = made;
	return 0;
}
