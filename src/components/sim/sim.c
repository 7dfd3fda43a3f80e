/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The simulated PMU as a component: there if this process runs under the
 * simulator, or if it was told by assay_simulate() that its children will.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "components/components.h"
#include "components/sim/request.h"
#include "components/sim/sim.h"
#include "simpmu/assign.h"

#define ANY               WIRE_ANY
#define LOW               WIRE_LOW
#define ONLY(n)           WIRE_ONLY(n)
#define FIX(n)            WIRE_FIX(n)
#define EITHER(n)         WIRE_EITHER(n)
#define T(weight, signal) /* only the simulator adds up signals */

static const struct row {
	const char *name;
	const char *text;
	uint32_t counters;
} rows[] = {
#define EVENT(name, counters, text, ...) { name, text, counters },
#include "simpmu/events.def"
#undef EVENT
};

/* Events keep the counters they can be put on in the upper half of their id. */
static uint64_t make_id(size_t number, uint32_t counters)
{
	return (uint64_t)counters << 32 | number;
}

/* @lack: why it cannot be counted, or NULL. */
static int add_event(struct component *c, size_t number, const char *name,
		     const char *text, uint32_t counters, const char *lack)
{
	struct event *event;
	int err = component_add_named(c, &event, text, name);

	if (err)
		return err;
	event->id = make_id(number, counters);
	/* By construction: each event alone fits on the counters. */
	event->tried = lack ? TRIED_FAILS : TRIED_WORKS;
	if (!lack)
		return 0;
	event->tried_code = PAPI_ENOEVNT;
	event->why = strdup(lack);
	return event->why ? 0 : PAPI_ENOMEM;
}

static int list_outside(struct component *c)
{
	const struct sim *sim = c->priv;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		int err = add_event(c, i, rows[i].name, rows[i].text,
				    rows[i].counters,
				    sim_lacks(&sim->params, (uint32_t)i));

		if (err)
			return err;
	}
	return 0;
}

/* Of an event that is known here by that name; a hidden one is not. */
static const char *lack_of(const struct sim *sim, size_t i, const char *name)
{
	if (i >= sizeof(rows) / sizeof(rows[0]) || strcmp(rows[i].name, name))
		return NULL;
	return sim_lacks(&sim->params, (uint32_t)i);
}

static int list_inside(struct component *c)
{
	const struct sim *sim = c->priv;
	struct wire_event event;

	for (size_t i = 0;; i++) {
		int err = sim_request(WIRE_DESCRIBE, i, (uintptr_t)&event);

		if (err)
			return 0;
		err = add_event(c, i, event.name, event.text, event.counters,
				lack_of(sim, i, event.name));
		if (err)
			return err;
	}
}

static int list(struct component *c)
{
	const struct sim *sim = c->priv;

	return sim->inside ? list_inside(c) : list_outside(c);
}

static void set_counters(struct component *c, struct sim *sim,
			 const char *model, unsigned counters)
{
	snprintf(sim->pmu, sizeof(sim->pmu), "sim-%s", model);
	c->pmu = sim->pmu;
	c->counters = sim->unlimited ? 0 : counters;
	c->domains = PAPI_DOM_USER;
	c->priv = sim;
}

static void set_machine(struct component *c, struct sim *sim,
			const struct params *params)
{
	sim_describe_machine(params, &sim->machine);
	c->machine = &sim->machine;
}

static int probe_inside(struct component *c, struct sim *sim,
			const struct wire_hello *hello)
{
	sim->inside = true;
	sim->unlimited = hello->unlimited;
	set_counters(c, sim, hello->model, hello->programmable + hello->fixed);
	if (sim_request(WIRE_PARAMS, (uintptr_t)&sim->params,
			sizeof(sim->params)) == 1)
		set_machine(c, sim, &sim->params);
	sim->machine.is_here = true;
	sim_hide_library();
	return 0;
}

static int probe_outside(struct component *c, struct sim *sim,
			 const struct sim_target *target)
{
	int err = *target->control ? control_open(target, sim) : 0;

	if (err) {
		int error = errno;

		free(sim);
		return component_disable(
			c,
			"cannot create the control file %s: %s; set TMPDIR to "
			"another directory",
			target->control, strerror(error));
	}
	if (*target->control)
		sim->samples =
			str_format("%s" WIRE_SAMPLES_SUFFIX, target->control);
	sim->unlimited = target->unlimited;
	sim->params = target->params;
	sim->have = assign_have(target->params.counters,
				target->params.counters_fixed);
	set_counters(c, sim, target->params.name,
		     (unsigned)__builtin_popcount(sim->have));
	set_machine(c, sim, &target->params);
	return 0;
}

static int probe(struct component *c, const struct fs *fs)
{
	struct wire_hello hello = { .version = WIRE_VERSION };
	const struct sim_target *target = sim_target();
	int answer = sim_request(WIRE_HELLO, (uintptr_t)&hello, 0);
	struct sim *sim;

	(void)fs;
	if (answer != (int)WIRE_MAGIC && !target)
		return component_disable(
			c,
			answer ? "the simulator's version differs from the "
				 "library's"
			       : "this process does not run on the simulated "
				 "PMU; start it with: assay run --pmu sim "
				 "-- program");
	sim = calloc(1, sizeof(*sim));
	if (!sim)
		return PAPI_ENOMEM;
	return answer == (int)WIRE_MAGIC ? probe_inside(c, sim, &hello)
					 : probe_outside(c, sim, target);
}

/* "GROUP" alone means the group's first flag, as on other PMUs. */
static int find(struct component *c, const char *name, size_t *i,
		struct diag *diag)
{
	size_t length = strlen(name);

	(void)diag;
	if (strchr(name, ':'))
		return PAPI_ENOEVNT;
	if (!c->listed) {
		c->listed = true;
		list(c);
	}
	for (size_t k = 0; k < c->n; k++) {
		if (strncmp(c->events[k]->name, name, length) == 0 &&
		    c->events[k]->name[length] == ':') {
			*i = k;
			return 0;
		}
	}
	return PAPI_ENOEVNT;
}

/* Whether it counts this process; a set may count another that runs. */
static bool is_inside(const struct slice *s)
{
	const struct sim *sim = s->component->priv;
	const struct sim_slice *mine = s->priv;

	return sim->inside && !mine->file;
}

int sim_check(struct slice *s)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct event *event = s->component->events[s->events[i]];

		if (event->tried == TRIED_FAILS)
			return slice_fail(s, event->tried_code, "%s",
					  event->why);
	}
	if (s->n > WIRE_EVENTS)
		return slice_fail(s, PAPI_ECOUNT,
				  "the simulated PMU counts at most %d events",
				  WIRE_EVENTS);
	if (s->opt.target == TARGET_CPU)
		return slice_fail(s, PAPI_ENOSUPP,
				  "the simulated PMU belongs to threads, not "
				  "to CPUs");
	return 0;
}

static int open_slice(struct slice *s)
{
	if (s->opt.domain && !(s->opt.domain & PAPI_DOM_USER))
		return slice_fail(s, PAPI_ENOSUPP,
				  "the simulated PMU sees the program's code, "
				  "not the kernel's");
	return is_inside(s) ? inside_open(s) : outside_open(s);
}

static void close_slice(struct slice *s)
{
	if (is_inside(s))
		inside_close(s);
	else
		outside_close(s);
}

static int start_slice(struct slice *s, struct count *counts)
{
	return is_inside(s) ? inside_start(s, counts)
			    : outside_start(s, counts);
}

static int visit_threads(struct slice *s, thread_visitor visit, void *data)
{
	if (is_inside(s))
		return slice_fail(s, PAPI_ENOSUPP,
				  "a simulated process cannot count its own "
				  "threads separately; count it from outside");
	return outside_threads(s, visit, data);
}

static int read_slice(struct slice *s, struct count *counts)
{
	return is_inside(s) ? inside_read(s, counts) : outside_read(s, counts);
}

static int stop_slice(struct slice *s, struct count *counts)
{
	return is_inside(s) ? inside_stop(s, counts) : outside_stop(s, counts);
}

static void close_component(struct component *c)
{
	struct sim *sim = c->priv;

	if (!sim)
		return;
	control_close(sim);
	free(sim->samples);
	free(sim);
	c->priv = NULL;
}

const struct component_ops sim_component = {
	.name = "sim",
	.summary = "the simulated PMU",
	.scope = SCOPE_THREAD,
	.caps = CAP_ATTACH | CAP_INHERIT | CAP_MULTIPLEX | CAP_OVERFLOW |
		CAP_ON_EXEC | CAP_FAST_READ | CAP_HARDWARE | CAP_NO_PTRACE,
	.slice_bytes = sizeof(struct sim_slice),
	.probe = probe,
	.list = list,
	.find = find,
	.open = open_slice,
	.close = close_slice,
	.start = start_slice,
	.read = read_slice,
	.stop = stop_slice,
	.recorder = &sim_recorder,
	.threads = visit_threads,
	.shutdown = close_component,
};
