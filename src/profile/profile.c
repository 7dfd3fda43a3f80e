/* SPDX-License-Identifier: BSD-3-Clause */
/* Making profiles row by row, and letting go of them. */

#include "profile/profile.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

static void free_strings(char **strings, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(strings[i]);
	free(strings);
}

static void free_tables(struct profile *p)
{
	for (size_t i = 0; i < p->n_events; i++) {
		free(p->events[i].name);
		free(p->events[i].unit);
		free(p->events[i].source);
	}
	for (size_t i = 0; i < p->n_threads; i++)
		free(p->threads[i].name);
	for (size_t i = 0; i < p->n_objects; i++) {
		free(p->objects[i].path);
		free(p->objects[i].build_id);
	}
	for (size_t i = 0; i < p->n_files; i++)
		free(p->files[i].path);
	for (size_t i = 0; i < p->n_functions; i++)
		free(p->functions[i].name);
	for (size_t i = 0; i < p->n_locations; i++)
		free(p->locations[i].frames);
	for (size_t i = 0; i < p->n_samples; i++) {
		struct profile_sample *s = &p->samples[i];

		for (size_t e = 0; s->times && e < p->n_events; e++)
			free(s->times[e].items);
		free(s->times);
		free(s->counts);
	}
}

void profile_fini(struct profile *p)
{
	free_tables(p);
	free(p->events);
	free(p->threads);
	free(p->objects);
	free(p->files);
	free(p->functions);
	free(p->locations);
	free(p->stacks);
	free(p->samples);
	free_strings(p->command, p->words);
	free_strings(p->notes, p->n_notes);
	free(p->timeline.unit);
	free(p->pmu);
	free(p->model);
	pairs_fini(&p->stack_rows);
	pairs_fini(&p->sample_rows);
	memset(p, 0, sizeof(*p));
}

/* Append a copy of @text to the list. */
static int add_string(char ***list, size_t *n, const char *text)
{
	char *copy = strdup(text);

	if (!copy || array_grow(list, *n, sizeof(**list))) {
		free(copy);
		return PAPI_ENOMEM;
	}
	(*list)[(*n)++] = copy;
	return 0;
}

int profile_add_word(struct profile *p, const char *word)
{
	return add_string(&p->command, &p->words, word);
}

int profile_add_note(struct profile *p, const char *note)
{
	for (size_t i = 0; i < p->n_notes; i++)
		if (strcmp(p->notes[i], note) == 0)
			return 0;
	return add_string(&p->notes, &p->n_notes, note);
}

int profile_add_event(struct profile *p, const struct profile_event *event)
{
	struct profile_event copy = *event;

	copy.name = strdup(event->name);
	copy.unit = strdup(event->unit);
	copy.source = strdup(event->source);
	if (!copy.name || !copy.unit || !copy.source ||
	    array_add(p->events, p->n_events, copy)) {
		free(copy.name);
		free(copy.unit);
		free(copy.source);
		return PAPI_ENOMEM;
	}
	return 0;
}

static void tell_row(size_t *row, size_t value)
{
	if (row)
		*row = value;
}

int profile_add_thread(struct profile *p, const struct profile_thread *thread,
		       size_t *row)
{
	struct profile_thread copy = *thread;

	copy.name = strdup(thread->name);
	if (!copy.name || array_grow(&p->threads, p->n_threads, sizeof(copy))) {
		free(copy.name);
		return PAPI_ENOMEM;
	}
	tell_row(row, p->n_threads);
	p->threads[p->n_threads++] = copy;
	return 0;
}

int profile_add_object(struct profile *p, const struct profile_object *object,
		       size_t *row)
{
	struct profile_object copy = *object;

	copy.path = strdup(object->path);
	copy.build_id = object->build_id ? strdup(object->build_id) : NULL;
	if (!copy.path || (object->build_id && !copy.build_id) ||
	    array_grow(&p->objects, p->n_objects, sizeof(copy))) {
		free(copy.path);
		free(copy.build_id);
		return PAPI_ENOMEM;
	}
	tell_row(row, p->n_objects);
	p->objects[p->n_objects++] = copy;
	return 0;
}

int profile_add_file(struct profile *p, const char *path, bool found,
		     size_t *row)
{
	struct profile_file file = { .path = strdup(path), .found = found };

	if (!file.path || array_grow(&p->files, p->n_files, sizeof(file))) {
		free(file.path);
		return PAPI_ENOMEM;
	}
	tell_row(row, p->n_files);
	p->files[p->n_files++] = file;
	return 0;
}

int profile_add_function(struct profile *p,
			 const struct profile_function *function, size_t *row)
{
	struct profile_function copy = *function;

	copy.name = strdup(function->name);
	if (!copy.name ||
	    array_grow(&p->functions, p->n_functions, sizeof(copy))) {
		free(copy.name);
		return PAPI_ENOMEM;
	}
	tell_row(row, p->n_functions);
	p->functions[p->n_functions++] = copy;
	return 0;
}

int profile_add_location(struct profile *p,
			 const struct profile_location *location, size_t *row)
{
	struct profile_location copy = *location;

	copy.frames = calloc(copy.n, sizeof(*copy.frames));
	if (!copy.frames ||
	    array_grow(&p->locations, p->n_locations, sizeof(copy))) {
		free(copy.frames);
		return PAPI_ENOMEM;
	}
	memcpy(copy.frames, location->frames, copy.n * sizeof(*copy.frames));
	tell_row(row, p->n_locations);
	p->locations[p->n_locations++] = copy;
	return 0;
}

int profile_find_stack(struct profile *p, size_t caller, size_t location,
		       size_t *row)
{
	struct profile_stack stack = { caller, location };
	int err;

	if (pairs_find(&p->stack_rows, caller, location, row))
		return 0;
	err = array_grow(&p->stacks, p->n_stacks, sizeof(stack));
	if (!err)
		err = pairs_set(&p->stack_rows, caller, location, p->n_stacks);
	if (err)
		return err;
	*row = p->n_stacks;
	p->stacks[p->n_stacks++] = stack;
	return 0;
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
