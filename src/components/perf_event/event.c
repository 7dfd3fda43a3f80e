/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Adds an event once for each encoding, and answers for a software event at
 * levels where the kernel counts nothing. Reading names is left to the files
 * that know each notation.
 */
#include "components/perf_event/event.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "components/perf_event/generic.h"
#include "components/perf_event/state.h"

struct pe_event pe_event_init(void)
{
	return (struct pe_event){ .pfm = -1, .cpu = -1, .socket = -1 };
}

void *pe_state_keep_memory(struct pe_state *state, void *memory)
{
	if (!memory ||
	    array_grow(&state->kept, state->n_kept, sizeof(void *))) {
		free(memory);
		return NULL;
	}
	state->kept[state->n_kept++] = memory;
	return memory;
}

const char *pe_state_keep(struct pe_state *state, const char *text)
{
	return pe_state_keep_memory(state, strdup(text));
}

/* @value and a blank; returns where the next begins. */
static char *put_value(char *to, uint64_t value)
{
	do {
		*to++ = "0123456789abcdef"[value & 15];
		value >>= 4;
	} while (value);
	*to++ = ' ';
	return to;
}

/*
 * Equal for two events if and only if the kernel would count the same. Not by
 * printf(), which for every event of a list costs more than all else there.
 */
static void write_key(struct pe_event *e, const char *name)
{
	const struct pe_encoding *code = &e->code;
	const uint64_t values[] = {
		code->type,          code->config,        code->config1,
		code->config2,       code->config3,       code->levels,
		code->precise,       code->sides,         (unsigned)e->cpu,
		(unsigned)e->socket, (unsigned)e->pinned, e->n_boxes,
	};
	char *to = e->key;

	if (e->error) {
		snprintf(e->key, sizeof(e->key), "no %.100s", name);
		return;
	}
	for (size_t i = 0; i < ARRAY_SIZE(values); i++)
		to = put_value(to, values[i]);
	*to = '\0';
	assert(to < e->key + sizeof(e->key)); /* 141 bytes at most */
}

static int append(struct component *c, const struct pe_event *e,
		  const struct pe_naming *naming, size_t *i)
{
	struct pe_state *state = pe_state_of(c);
	struct pe_event *copy = malloc(sizeof(*copy));
	struct event *event;
	size_t before = c->n;

	if (!copy)
		return PAPI_ENOMEM;
	*copy = *e;
	if (component_add_named(c, &event, naming->text, naming->name)) {
		free(copy);
		return PAPI_ENOMEM;
	}
	if (c->n == before) { /* the name stands for another encoding */
		free(copy);
		map_find(&c->names, naming->name, i);
		return 0;
	}
	event->data = copy;
	event->unit = naming->unit ? naming->unit : "";
	event->alias = naming->kernel;
	event->hidden = naming->hidden;
	event->software = e->code.place == PE_SOFTWARE;
	event->machine = e->code.place == PE_UNCORE || e->cpu >= 0;
	event->parent = naming->parent;
	*i = c->n - 1;
	return map_set(&state->keys, copy->key, *i);
}

/*
 * Why a software event has no value at the levels that its name asks for: the
 * kernel takes them and then counts nothing, or what was not asked for
 * [perf_exclude_event()]. NULL: it has.
 */
static const char *why_no_value(const struct pe_event *e)
{
	unsigned levels = e->code.levels & (PE_USER | PE_KERNEL);
	enum pe_side side = e->code.side;

	if (e->code.type != PERF_TYPE_SOFTWARE)
		return NULL;
	if (e->code.sides == PE_GUEST)
		return "the kernel cannot count it in guests; to fix it: leave "
		       "out ':G'";
	if (e->code.levels == PE_LEVELS_BY_DOMAIN)
		return NULL;
	if (side == PE_SIDE_CLOCK && levels != (PE_USER | PE_KERNEL))
		return "the kernel's clocks count the time in user space and "
		       "in the kernel together; to fix it: leave out the "
		       "privilege level";
	if (levels == 0 || (side == PE_SIDE_KERNEL && levels == PE_USER))
		return "it never happens at this privilege level; to fix it: "
		       "leave out the level";
	return NULL;
}

int pe_event_add(struct component *c, struct pe_event *e,
		 const struct pe_naming *naming, size_t *i)
{
	size_t at;
	int err;

	if (e->code.place == PE_CORE && !(e->code.config & 0xff) &&
	    e->code.config >> 8) {
		pe_pmus_load(&pe_state_of(c)->pmus, c->fs);
		e->topdown = pe_pmus_topdown(&pe_state_of(c)->pmus, &e->code);
	}
	if (e->code.type == PERF_TYPE_SOFTWARE)
		e->code.side = pe_generic_side(e->code.config);
	if (!e->error && why_no_value(e)) {
		e->error = PAPI_EATTR;
		e->why = why_no_value(e);
	}
	write_key(e, naming->name);
	if (map_find(&pe_state_of(c)->keys, e->key, &at)) {
		if (!naming->hidden) /* was found by a name of its own before */
			c->events[at]->hidden = false;
	} else {
		err = append(c, e, naming, &at);
		if (err)
			return err;
	}
	*i = at;
	return 0;
}

static bool is_of_kernel(const struct pe_event *e)
{
	return e->code.type == PERF_TYPE_SOFTWARE && !e->error &&
	       e->code.levels == PE_LEVELS_BY_DOMAIN &&
	       e->code.sides == PE_SIDES_DEFAULT && e->cpu < 0;
}

size_t pe_event_proof(struct component *c, size_t i)
{
	size_t newest = i;

	if (!is_of_kernel(c->events[i]->data))
		return i;
	for (size_t k = 0; k < c->n; k++) {
		const struct pe_event *known = c->events[newest]->data;
		const struct pe_event *e = c->events[k]->data;

		if (is_of_kernel(e) && e->code.config > known->code.config)
			newest = k;
	}
	return newest;
}

int pe_event_foresee(struct component *c, size_t i, struct diag *diag)
{
	if (c->pmu || !pe_event_is_generic(c->events[i]->data) ||
	    !pe_pmus_are_whole(&pe_state_of(c)->pmus, c->fs))
		return 0;
	for (size_t k = 0; k < c->n; k++)
		if (c->events[k]->tried_code == PAPI_ENOEVNT &&
		    pe_event_is_generic(c->events[k]->data))
			return diag_fail(diag, PAPI_ENOEVNT, "%s: " PE_NO_PMU,
					 c->events[i]->name);
	return 0;
}

const struct pe_event *pe_event_of(const struct slice *s, size_t position)
{
	return component_event(s->component, s->events[position])->data;
}

const char *pe_event_name(const struct slice *s, size_t position)
{
	return component_event(s->component, s->events[position])->name;
}
