/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Membership, and the calls of the component behind it. Which call is legal in
 * which state is left to the EventSet.
 */
#include "core/slice.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

int slice_new(struct component *c, struct slice **out)
{
	struct slice *s = calloc(1, sizeof(*s));

	if (!s)
		return PAPI_ENOMEM;
	s->component = c;
	s->priv = calloc(1, c->ops->slice_bytes ? c->ops->slice_bytes : 1);
	if (!s->priv) {
		free(s);
		return PAPI_ENOMEM;
	}
	*out = s;
	return 0;
}

void slice_free(struct slice *s)
{
	if (!s)
		return;
	slice_close(s);
	free(s->events);
	free(s->thresholds);
	free(s->sums);
	free(s->priv);
	free(s);
}

int slice_append(struct slice *s, size_t i)
{
	if (array_grow(&s->events, s->n, sizeof(*s->events)) ||
	    array_grow(&s->thresholds, s->n, sizeof(*s->thresholds)) ||
	    array_grow(&s->sums, s->n, sizeof(*s->sums)))
		return PAPI_ENOMEM;
	s->events[s->n] = i;
	s->thresholds[s->n] = 0;
	s->sums[s->n] = COUNT_PLAIN;
	s->n++;
	return 0;
}

void slice_remove(struct slice *s, size_t position)
{
	size_t after = s->n - position - 1;

	memmove(&s->events[position], &s->events[position + 1],
		after * sizeof(*s->events));
	memmove(&s->thresholds[position], &s->thresholds[position + 1],
		after * sizeof(*s->thresholds));
	memmove(&s->sums[position], &s->sums[position + 1],
		after * sizeof(*s->sums));
	s->n--;
}

int slice_open(struct slice *s)
{
	int err = s->component->ops->open(s);

	s->open = err == 0;
	s->opened_n = s->open ? s->n : 0;
	return err;
}

void slice_close(struct slice *s)
{
	if (!s->open)
		return;
	s->component->ops->close(s);
	memset(s->priv, 0, s->component->ops->slice_bytes);
	s->open = false;
	s->opened_n = 0;
	s->running = false;
}

int slice_start(struct slice *s, struct count *counts)
{
	int err = s->component->ops->start(s, counts);

	s->running = err == 0;
	return err;
}

int slice_read(struct slice *s, struct count *counts)
{
	return s->component->ops->read(s, counts);
}

int slice_stop(struct slice *s, struct count *counts)
{
	s->running = false;
	return s->component->ops->stop(s, counts);
}
