/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What all components share: the table of events, look-ups, and trying an
 * event to see whether it works here.
 */
#include "core/component.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/strbuf.h"
#include "core/slice.h"

#define NAME_BYTES 1024 /* of an event's name, with its end */

int component_disable(struct component *c, const char *format, ...)
{
	char why[512];
	va_list args;

	va_start(args, format);
	vsnprintf(why, sizeof(why), format, args);
	va_end(args);
	free(c->reason);
	c->reason = strdup(why);
	c->disabled = true;
	return PAPI_ECMP_DISABLED;
}

int slice_fail(struct slice *s, int code, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(s->diag.text, sizeof(s->diag.text), format, args);
	va_end(args);
	return code;
}

struct component *component_new(const struct component_ops *ops)
{
	struct component *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->ops = ops;
	c->domains = PAPI_DOM_ALL;
	pthread_mutex_init(&c->lock, NULL);
	return c;
}

static void event_free(struct event *event)
{
	free(event->why);
	free(event->data);
	free(event);
}

void component_free(struct component *c)
{
	if (!c)
		return;
	if (c->ops->shutdown)
		c->ops->shutdown(c);
	while (c->n > 0)
		event_free(c->events[--c->n]);
	free(c->events);
	map_fini(&c->names);
	texts_fini(&c->texts);
	free(c->reason);
	pthread_mutex_destroy(&c->lock);
	free(c);
}

int component_probe(struct component *c, const struct fs *fs)
{
	int err;

	c->fs = fs;
	pthread_mutex_lock(&c->lock);
	err = c->ops->probe(c, fs);
	pthread_mutex_unlock(&c->lock);
	return c->disabled ? 0 : err;
}

static int append_event(struct component *c, const char *name, const char *text)
{
	struct event *event = calloc(1, sizeof(*event));

	if (!event)
		return PAPI_ENOMEM;
	*event = (struct event){ .name = texts_copy(&c->texts, name),
				 .text = texts_copy(&c->texts, text),
				 .unit = "",
				 .parent = EVENT_NO_PARENT };
	if (texts_error(&c->texts) ||
	    array_grow(&c->events, c->n, sizeof(struct event *)) ||
	    map_set(&c->names, event->name, c->n)) {
		c->texts.failed = false; /* there may be memory the next time */
		event_free(event);
		return PAPI_ENOMEM;
	}
	c->events[c->n++] = event;
	return 0;
}

int component_add_named(struct component *c, struct event **out,
			const char *text, const char *name)
{
	size_t i;

	if (!map_find(&c->names, name, &i)) {
		if (append_event(c, name, text))
			return PAPI_ENOMEM;
		i = c->n - 1;
	}
	if (out)
		*out = c->events[i];
	return 0;
}

int component_add_event(struct component *c, struct event **out,
			const char *text, const char *name_format, ...)
{
	char name[NAME_BYTES];
	va_list args;

	va_start(args, name_format);
	vsnprintf(name, sizeof(name), name_format, args);
	va_end(args);
	return component_add_named(c, out, text, name);
}

/* List all events once; the caller holds the lock. */
static void list_events(struct component *c)
{
	if (c->listed || c->disabled)
		return;
	c->listed = true;
	if (c->ops->list)
		c->ops->list(c); /* what could not be listed is not there */
}

size_t component_event_count(struct component *c)
{
	size_t n;

	pthread_mutex_lock(&c->lock);
	list_events(c);
	n = c->n;
	pthread_mutex_unlock(&c->lock);
	return n;
}

const char *component_left_out(struct component *c)
{
	const char *why;

	pthread_mutex_lock(&c->lock);
	list_events(c);
	why = c->left_out;
	pthread_mutex_unlock(&c->lock);
	return why;
}

int component_list_left_out(struct component *c)
{
	int err = 0;

	pthread_mutex_lock(&c->lock);
	list_events(c);
	if (c->left_out)
		err = c->ops->list_left_out(c);
	if (!err)
		c->left_out = NULL;
	pthread_mutex_unlock(&c->lock);
	return err;
}

struct event *component_event(struct component *c, size_t i)
{
	struct event *event = NULL;

	pthread_mutex_lock(&c->lock);
	if (i < c->n)
		event = c->events[i];
	pthread_mutex_unlock(&c->lock);
	return event;
}

int component_list_masks(struct component *c, size_t i)
{
	int err = 0;

	pthread_mutex_lock(&c->lock);
	list_events(c);
	if (i >= c->n)
		err = PAPI_ENOEVNT;
	else if (c->ops->masks)
		err = c->ops->masks(c, i);
	pthread_mutex_unlock(&c->lock);
	return err;
}

static int find_locked(struct component *c, const char *name, size_t *i,
		       struct diag *diag)
{
	if (map_find(&c->names, name, i))
		return 0;
	if (c->ops->find) {
		int err = c->ops->find(c, name, i, diag);

		if (err != PAPI_ENOEVNT)
			return err;
	}
	list_events(c);
	if (map_find(&c->names, name, i))
		return 0;
	return diag_fail(diag, PAPI_ENOEVNT, "%s has no event called %s",
			 c->ops->name, name);
}

int component_find_event(struct component *c, const char *name, size_t *i,
			 struct diag *diag)
{
	int err;

	if (c->disabled)
		return diag_fail(diag, PAPI_ECMP_DISABLED, "%s: %s",
				 c->ops->name, c->reason ? c->reason : "off");
	if (strlen(name) >= NAME_BYTES)
		return diag_fail(
			diag, PAPI_ENOEVNT,
			"%s has no event with a name of %zu characters",
			c->ops->name, strlen(name));
	pthread_mutex_lock(&c->lock);
	err = find_locked(c, name, i, diag);
	pthread_mutex_unlock(&c->lock);
	return err;
}

/* Whether a slice of @c counts nobody before it is attached. */
static bool counts_others_only(const struct component *c)
{
	return c->machine && !c->machine->is_here;
}

/* Open, start, stop and close @n events in a slice of their own. */
static int try_slice(struct component *c, const size_t *events, size_t n,
		     struct diag *diag)
{
	OWNED struct count *counts = calloc(n, sizeof(*counts));
	struct slice *s = NULL;
	int err = counts ? slice_new(c, &s) : PAPI_ENOMEM;

	for (size_t i = 0; !err && i < n; i++)
		err = slice_append(s, events[i]);
	if (!err)
		err = slice_open(s);
	if (!err && !counts_others_only(c))
		err = slice_start(s, counts);
	if (!err && !counts_others_only(c))
		err = slice_stop(s, counts);
	if (err && s)
		*diag = s->diag;
	if (s)
		slice_free(s);
	return err;
}

/* What the trials of other events show; 0: nothing against event @i. */
static int foresee(struct component *c, size_t i, struct diag *diag)
{
	int err = 0;

	if (!c->ops->foresee)
		return 0;
	pthread_mutex_lock(&c->lock);
	err = c->ops->foresee(c, i, diag);
	pthread_mutex_unlock(&c->lock);
	return err;
}

static int try_once(struct component *c, size_t i, struct diag *diag)
{
	int err = foresee(c, i, diag);

	if (err)
		return err;
	if (c->ops->attempt)
		return c->ops->attempt(c, i, diag);
	return try_slice(c, &i, 1, diag);
}

int component_try_together(struct component *c, const size_t *events, size_t n,
			   struct diag *diag)
{
	/* What is dear to count once is not counted to find out. */
	if (c->ops->attempt)
		return 0;
	return try_slice(c, events, n, diag);
}

static void keep_trial(struct event *event, int err, const struct diag *diag)
{
	if (event->tried != TRIED_NOT_YET)
		return;
	event->tried = err ? TRIED_FAILS : TRIED_WORKS;
	event->tried_code = err;
	if (err)
		event->why = strdup(diag->text[0] ? diag->text : "failed");
}

/* Whether another event's trial shows that event @i works. */
static bool is_proved(struct component *c, size_t i)
{
	size_t other = i;

	if (!c->ops->proof)
		return false;
	pthread_mutex_lock(&c->lock);
	other = c->ops->proof(c, i);
	pthread_mutex_unlock(&c->lock);
	return other != i && component_try_event(c, other, NULL) == 0;
}

int component_try_event(struct component *c, size_t i, const char **why)
{
	struct diag diag = { 0 };
	struct event *event = component_event(c, i);
	enum tried tried;
	int err;

	if (!event)
		return PAPI_ENOEVNT;

	pthread_mutex_lock(&c->lock);
	tried = event->tried;
	pthread_mutex_unlock(&c->lock);
	if (tried == TRIED_NOT_YET) {
		/* Two threads may both try it: they find the same. */
		err = is_proved(c, i) ? 0 : try_once(c, i, &diag);
		pthread_mutex_lock(&c->lock);
		keep_trial(event, err, &diag);
		for (size_t k = 0; c->ops->caps & CAP_ONE_SOURCE && k < c->n;
		     k++)
			keep_trial(c->events[k], err, &diag);
		pthread_mutex_unlock(&c->lock);
	}
	if (why)
		*why = event->why;
	return event->tried_code;
}
