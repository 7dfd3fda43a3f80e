/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A component whose counts the test sets by hand. It has events e0 to e9, of
 * which toy.counters can be open in one slice; "level" is a level.
 */
#pragma once

#include <string.h>

#include "core/component.h"
#include "core/eventset.h"
#include "core/registry.h"
#include "core/slice.h"

#define TOY_EVENTS 10
#define TOY_LEVEL  10

static struct {
	struct count counts[TOY_EVENTS + 1];
	size_t counters;
	int open;       /* slices that are open now */
	int fail_start; /* the code that start gives */
	void (*before_read)(void);
	struct slice *last;
} toy;

static int toy_probe(struct component *c, const struct fs *fs)
{
	struct event *level;

	(void)fs;
	for (int i = 0; i < TOY_EVENTS; i++)
		if (component_add_event(c, NULL, NULL, "e%d", i))
			return PAPI_ENOMEM;
	if (component_add_event(c, &level, NULL, "level"))
		return PAPI_ENOMEM;
	level->kind = EVENT_LEVEL;
	return 0;
}

static int toy_open(struct slice *s)
{
	if (s->n > toy.counters && !s->opt.multiplex)
		return slice_fail(s, PAPI_ECNFLCT, "only %zu counters",
				  toy.counters);
	toy.open++;
	toy.last = s;
	return 0;
}

static void toy_close(struct slice *s)
{
	(void)s;
	toy.open--;
}

static int toy_read(struct slice *s, struct count *counts)
{
	if (toy.before_read)
		toy.before_read();
	for (size_t i = 0; i < s->n; i++)
		counts[i] = toy.counts[s->events[i]];
	return 0;
}

static int toy_start(struct slice *s, struct count *counts)
{
	return toy.fail_start ? slice_fail(s, toy.fail_start, "told to fail")
			      : toy_read(s, counts);
}

static const struct component_ops toy_component = {
	.name = "toy",
	.caps = CAP_MULTIPLEX | CAP_OVERFLOW | CAP_HARDWARE | CAP_CPU_ATTACH,
	.probe = toy_probe,
	.open = toy_open,
	.close = toy_close,
	.start = toy_start,
	.read = toy_read,
	.stop = toy_read,
};

/* The same, but unable to multiplex or interrupt. */
static const struct component_ops plain_component = {
	.name = "plain",
	.caps = CAP_HARDWARE,
	.probe = toy_probe,
	.open = toy_open,
	.close = toy_close,
	.start = toy_start,
	.read = toy_read,
	.stop = toy_read,
};

static const struct component_ops *const toy_list[] = { &toy_component,
							&plain_component };

/* A registry of both, and the toy's counts at 0. */
static inline struct registry *toy_registry(void)
{
	struct registry *r;

	memset(&toy, 0, sizeof(toy));
	toy.counters = 4;
	if (registry_open(toy_list, 2, "", &r))
		return NULL;
	return r;
}

/* Let event @i count @value more, @running of @enabled nanoseconds. */
static inline void toy_count(int i, uint64_t value, uint64_t enabled,
			     uint64_t running)
{
	toy.counts[i].value += value;
	toy.counts[i].enabled_ns += enabled;
	toy.counts[i].running_ns += running;
}
