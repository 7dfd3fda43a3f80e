/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A PMU that needs no hardware: events of perf's generic names, of which those
 * with STORE in them do not open, and a second component with plain names.
 */
#pragma once

#include <string.h>

#include "base/array.h"
#include "core/component.h"
#include "event/resolve.h"
#include "tests/unit/testing.h"

static const char *const toy_names[] = {
	"perf::CYCLES",
	"perf::INSTRUCTIONS",
	"perf::BRANCH-INSTRUCTIONS",
	"perf::BRANCH-MISSES",
	"perf::L1-DCACHE-LOADS",
	"perf::L1-DCACHE-STORES",
	"perf::L1-DCACHE-LOAD-MISSES",
	"perf::L1-ICACHE-LOADS",
	"perf::L1-ICACHE-LOAD-MISSES",
	"toy_pmu::CACHE",
};

/* What the toy says it is; a test may set it to a PMU that has a table. */
static const char *toy_pmu = "toy-one";

/* How many events the toy counts at the same time. */
static size_t toy_most = 100;

static inline int toy_probe(struct component *c, const struct fs *fs)
{
	(void)fs;
	c->pmu = toy_pmu;
	c->counters = 4;
	return 0;
}

static inline int toy_list(struct component *c)
{
	for (size_t i = 0; i < ARRAY_SIZE(toy_names); i++) {
		int err = component_add_event(c, NULL, "an event of the toy",
					      "%s", toy_names[i]);
		if (err)
			return err;
	}
	return 0;
}

/* toy_pmu::CACHE has two masks. */
static inline int toy_masks(struct component *c, size_t i)
{
	static const char *const masks[] = { "HIT", "MISS" };

	if (strcmp(c->events[i]->name, "toy_pmu::CACHE") != 0)
		return 0;
	for (size_t m = 0; m < ARRAY_SIZE(masks); m++) {
		struct event *event;
		int err = component_add_event(c, &event, NULL,
					      "toy_pmu::CACHE:%s", masks[m]);
		if (err)
			return err;
		event->parent = i;
	}
	return 0;
}

/* "r" and hexadecimal digits; a digit that is none is an error. */
static inline int toy_find(struct component *c, const char *name, size_t *i,
			   struct diag *diag)
{
	size_t digits = strspn(name + (*name == 'r'), "0123456789abcdef");
	struct event *event;

	if (*name != 'r')
		return PAPI_ENOEVNT;
	if (digits == 0 || name[1 + digits])
		return diag_fail_at(diag, PAPI_EINVAL, digits + 2,
				    "not a raw event");
	if (component_add_event(c, &event, NULL, "%s", name))
		return PAPI_ENOMEM;
	event->hidden = true;
	*i = c->n - 1;
	return 0;
}

static inline int toy_open(struct slice *s)
{
	const struct event *event = component_event(s->component, s->events[0]);

	if (strstr(event->name, "STORE"))
		return slice_fail(s, PAPI_ENOEVNT, "the toy counts no stores");
	if (s->n > toy_most)
		return slice_fail(s, PAPI_ECNFLCT, "the toy has %zu counters",
				  toy_most);
	return 0;
}

static inline int toy_count(struct slice *s, struct count *counts)
{
	for (size_t i = 0; i < s->n; i++)
		counts[i] = (struct count){ 0 };
	return 0;
}

static inline void toy_close(struct slice *s)
{
	(void)s;
}

static const struct component_ops toy_component = {
	.name = "toy",
	.caps = CAP_HARDWARE | CAP_PLAIN_NAMES,
	.probe = toy_probe,
	.list = toy_list,
	.masks = toy_masks,
	.find = toy_find,
	.open = toy_open,
	.close = toy_close,
	.start = toy_count,
	.read = toy_count,
	.stop = toy_count,
};

static inline int side_probe(struct component *c, const struct fs *fs)
{
	struct event *level;

	(void)fs;
	if (component_add_event(c, NULL, "bytes in", "in:bytes") ||
	    component_add_event(c, &level, "watts now", "power"))
		return PAPI_ENOMEM;
	level->kind = EVENT_LEVEL;
	level->unit = "W";
	return 0;
}

static const struct component_ops side_component = {
	.name = "side",
	.probe = side_probe,
	.open = toy_open,
	.close = toy_close,
	.start = toy_count,
	.read = toy_count,
	.stop = toy_count,
};

static inline int off_probe(struct component *c, const struct fs *fs)
{
	(void)fs;
	return component_disable(c, "it is not there");
}

static const struct component_ops off_component = {
	.name = "off",
	.probe = off_probe,
};

static const struct component_ops *const toy_list_of_all[] = {
	&toy_component,
	&side_component,
	&off_component,
};

/* The events of a machine with all three. */
struct toys {
	struct registry *registry;
	struct events *events;
};

static inline void toys_open(struct toys *t)
{
	assert_int_equal(registry_open(toy_list_of_all,
				       ARRAY_SIZE(toy_list_of_all),
				       FIXTURES "/fs", &t->registry),
			 0);
	assert_int_equal(events_open(t->registry, &t->events), 0);
}

static inline void toys_close(struct toys *t)
{
	events_close(t->events);
	registry_close(t->registry);
}

static inline int code_of(struct toys *t, const char *name)
{
	struct diag diag = { 0 };
	int code = 0;
	int err = events_find(t->events, name, &code, &diag);

	if (err)
		fail_msg("%s: %d: %s", name, err, diag.text);
	return code;
}
