/* SPDX-License-Identifier: BSD-3-Clause */
/* A listing as JSON: every event that was found, available or not. */

#include "survey/survey.h"
#include "write/json.h"

static void put_event(struct json *j, const struct listing *l,
		      const struct listed_event *e)
{
	static const char *const kinds[] = {
		[CLASS_PRESET] = "preset",
		[CLASS_NATIVE] = "native",
		[CLASS_METRIC] = "metric",
	};
	bool native = e->class == CLASS_NATIVE;

	json_row(j, NULL);
	json_string(j, "name", e->name);
	json_string(j, "kind", kinds[e->class]);
	json_string(j, "component",
		    native ? l->components[e->component].name : NULL);
	json_string(j, "description", e->text);
	json_bool(j, "available", e->available);
	json_bool(j, "simulated", e->simulated);
	json_string(j, "reason", e->reason);
	json_end_object(j);
}

static void put_component(struct json *j, const struct listed_component *c)
{
	json_row(j, NULL);
	json_string(j, "name", c->name);
	json_string(j, "description", c->text);
	json_bool(j, "available", c->available);
	json_number(j, "events", c->events);
	json_number(j, "counters", c->counters);
	json_string(j, "reason", c->reason);
	json_end_object(j);
}

int list_describe(const void *what, struct json *j)
{
	const struct list_view *view = what;
	const struct listing *l = view->listing;

	if (view->events) {
		json_table(j, "events");
		for (size_t i = 0; i < l->n_events; i++)
			put_event(j, l, &l->events[i]);
		json_end_array(j);
	}
	if (view->components) {
		json_array(j, "components");
		for (size_t i = 0; i < l->n_components; i++)
			put_component(j, &l->components[i]);
		json_end_array(j);
	}
	return 0;
}
