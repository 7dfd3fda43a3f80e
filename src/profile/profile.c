/* SPDX-License-Identifier: BSD-3-Clause */
/* Making profiles row by row, and letting go of them. */

#include "profile/profile.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

void profile_fini(struct profile *p)
{
	for (size_t i = 0; i < p->n_locations; i++)
		free(p->locations[i].frames);
	for (size_t i = 0; i < p->n_samples; i++) {
		struct profile_sample *s = &p->samples[i];

		for (size_t e = 0; s->times && e < p->n_events; e++)
			free(s->times[e].items);
		free(s->times);
		free(s->counts);
	}
	free(p->events);
	free(p->threads);
	free(p->objects);
	free(p->files);
	free(p->functions);
	free(p->locations);
	free(p->stacks);
	free(p->samples);
	free(p->command);
	free(p->notes);
	texts_fini(&p->texts);
	pairs_fini(&p->stack_rows);
	pairs_fini(&p->sample_rows);
	memset(p, 0, sizeof(*p));
}

/* Whether a row was added and its texts were copied; *@row is then @n. */
static int finish(const struct profile *p, int err, size_t n, size_t *row)
{
	if (row)
		*row = n - 1;
	return err ? err : texts_error(&p->texts);
}

int profile_add_word(struct profile *p, const char *word)
{
	int err = array_add(p->command, p->words, texts_copy(&p->texts, word));

	return finish(p, err, p->words, NULL);
}

int profile_add_note(struct profile *p, const char *note)
{
	int err;

	for (size_t i = 0; i < p->n_notes; i++)
		if (strcmp(p->notes[i], note) == 0)
			return 0;
	err = array_add(p->notes, p->n_notes, texts_copy(&p->texts, note));
	return finish(p, err, p->n_notes, NULL);
}

int profile_add_event(struct profile *p, const struct profile_event *event)
{
	struct profile_event copy = *event;
	int err;

	copy.name = texts_copy(&p->texts, event->name);
	copy.unit = texts_copy(&p->texts, event->unit);
	copy.source = texts_copy(&p->texts, event->source);
	err = array_add(p->events, p->n_events, copy);
	return finish(p, err, p->n_events, NULL);
}

int profile_add_thread(struct profile *p, const struct profile_thread *thread,
		       size_t *row)
{
	struct profile_thread copy = *thread;
	int err;

	copy.name = texts_copy(&p->texts, thread->name);
	err = array_add(p->threads, p->n_threads, copy);
	return finish(p, err, p->n_threads, row);
}

int profile_add_object(struct profile *p, const struct profile_object *object,
		       size_t *row)
{
	struct profile_object copy = *object;
	int err;

	copy.path = texts_copy(&p->texts, object->path);
	copy.build_id = texts_copy(&p->texts, object->build_id);
	err = array_add(p->objects, p->n_objects, copy);
	return finish(p, err, p->n_objects, row);
}

int profile_add_file(struct profile *p, const char *path, bool found,
		     size_t *row)
{
	struct profile_file file = { .path = texts_copy(&p->texts, path),
				     .found = found };
	int err = array_add(p->files, p->n_files, file);

	return finish(p, err, p->n_files, row);
}

int profile_add_function(struct profile *p,
			 const struct profile_function *function, size_t *row)
{
	struct profile_function copy = *function;
	int err;

	copy.name = texts_copy(&p->texts, function->name);
	err = array_add(p->functions, p->n_functions, copy);
	return finish(p, err, p->n_functions, row);
}

int profile_add_location(struct profile *p,
			 const struct profile_location *location, size_t *row)
{
	struct profile_location copy = *location;

	copy.frames = calloc(copy.n, sizeof(*copy.frames));
	if (!copy.frames || array_add(p->locations, p->n_locations, copy)) {
		free(copy.frames);
		return PAPI_ENOMEM;
	}
	memcpy(copy.frames, location->frames, copy.n * sizeof(*copy.frames));
	return finish(p, 0, p->n_locations, row);
}

int profile_find_stack(struct profile *p, size_t caller, size_t location,
		       size_t *row)
{
	struct profile_stack stack = { caller, location };
	int err;

	if (pairs_find(&p->stack_rows, caller, location, row))
		return 0;
	*row = p->n_stacks;
	err = pairs_set(&p->stack_rows, caller, location, *row);
	return err ? err : array_add(p->stacks, p->n_stacks, stack);
}

static int add_sample(struct profile *p, size_t thread, size_t stack,
		      size_t *row)
{
	struct profile_sample sample = { .thread = thread, .stack = stack };

	sample.counts = calloc(p->n_events, sizeof(*sample.counts));
	if (!sample.counts ||
	    array_grow(&p->samples, p->n_samples, sizeof(sample)) ||
	    pairs_set(&p->sample_rows, thread, stack, p->n_samples)) {
		free(sample.counts);
		return PAPI_ENOMEM;
	}
	*row = p->n_samples;
	p->samples[p->n_samples++] = sample;
	return 0;
}

int profile_add_samples(struct profile *p, size_t thread, size_t stack,
			size_t event, uint64_t n)
{
	size_t row;

	if (!pairs_find(&p->sample_rows, thread, stack, &row)) {
		int err = add_sample(p, thread, stack, &row);

		if (err)
			return err;
	}
	p->samples[row].counts[event] += n;
	p->events[event].samples += n;
	return 0;
}
