/* SPDX-License-Identifier: BSD-3-Clause */
/* Writing the file of docs/formats/profile.md. */

#include "write/json.h"
#include "profile/inside.h"
#include "profile/profile.h"

#include <math.h>

static void put_row(struct json *j, const char *name, size_t row)
{
	if (row == PROFILE_NONE)
		json_string(j, name, NULL);
	else
		json_unsigned(j, name, row);
}

static void put_line(struct json *j, const char *name, long line)
{
	if (line > 0)
		json_unsigned(j, name, (uint64_t)line);
	else
		json_string(j, name, NULL);
}

static void put_number(struct json *j, const char *name, long number)
{
	if (number < 0)
		json_string(j, name, NULL);
	else
		json_unsigned(j, name, (uint64_t)number);
}

static void put_head(struct json *j, const struct profile *p)
{
	json_unsigned(j, "assay_profile", 1);
	json_strings(j, "command", p->command, p->words);
	put_number(j, "exit", p->exit);
	json_row_of(j, "pmu", "kind %s, model %s", p->pmu ? p->pmu : "none",
		    p->model);
	json_row_of(j, "time", "wall_s %g, native %d", p->wall_s, p->native);
}

static void put_events(struct json *j, const struct profile *p)
{
	json_array(j, "events");
	for (size_t i = 0; i < p->n_events; i++) {
		const struct profile_event *e = &p->events[i];

		json_row(j, NULL);
		json_string(j, "name", e->name);
		json_string(j, "unit", e->unit);
		json_string(j, "source", e->source);
		json_bool(j, "exact", e->exact);
		json_unsigned(j, "period", e->period);
		json_unsigned(j, "samples", e->samples);
		json_number(j, "value", e->value);
		json_end_object(j);
	}
	json_end_array(j);
}

static void put_threads(struct json *j, const struct profile *p)
{
	json_array(j, "threads");
	for (size_t i = 0; i < p->n_threads; i++) {
		json_row(j, NULL);
		put_number(j, "pid", p->threads[i].pid);
		put_number(j, "tid", p->threads[i].tid);
		json_string(j, "name", p->threads[i].name);
		json_end_object(j);
	}
	json_end_array(j);
}

static void put_objects(struct json *j, const struct profile *p)
{
	json_array(j, "objects");
	for (size_t i = 0; i < p->n_objects; i++) {
		const struct profile_object *o = &p->objects[i];

		json_row_of(j, NULL,
			    "path %s, kind %s, build_id %s, symbols %s",
			    o->path, profile_kind_names[o->kind], o->build_id,
			    profile_symbols_names[o->symbols]);
	}
	json_end_array(j);
}

static void put_files(struct json *j, const struct profile *p)
{
	json_array(j, "files");
	for (size_t i = 0; i < p->n_files; i++)
		json_row_of(j, NULL, "path %s, found %d", p->files[i].path,
			    p->files[i].found);
	json_end_array(j);
}

static void put_functions(struct json *j, const struct profile *p)
{
	json_array(j, "functions");
	for (size_t i = 0; i < p->n_functions; i++) {
		const struct profile_function *f = &p->functions[i];

		json_row(j, NULL);
		json_string(j, "name", f->name);
		put_row(j, "object", f->object);
		put_row(j, "file", f->file);
		put_line(j, "line", f->line);
		if (f->inlined)
			json_string(j, "address", NULL);
		else
			json_unsigned(j, "address", f->address);
		json_unsigned(j, "size", f->bytes);
		json_end_object(j);
	}
	json_end_array(j);
}

static void put_frames(struct json *j, const struct profile_location *l)
{
	json_list(j, "frames");
	for (size_t k = 0; k < l->n; k++) {
		json_list(j, NULL);
		json_unsigned(j, NULL, l->frames[k].function);
		put_row(j, NULL, l->frames[k].file);
		put_line(j, NULL, l->frames[k].line);
		json_end_array(j);
	}
	json_end_array(j);
}

static void put_locations(struct json *j, const struct profile *p)
{
	json_array(j, "locations");
	for (size_t i = 0; i < p->n_locations; i++) {
		const struct profile_location *l = &p->locations[i];

		json_row(j, NULL);
		put_row(j, "object", l->object);
		json_unsigned(j, "address", l->address);
		json_unsigned(j, "bytes", l->bytes);
		put_frames(j, l);
		json_end_object(j);
	}
	json_end_array(j);
}

static void put_stacks(struct json *j, const struct profile *p)
{
	json_array(j, "stacks");
	for (size_t i = 0; i < p->n_stacks; i++) {
		json_list(j, NULL);
		put_row(j, NULL, p->stacks[i].caller);
		put_row(j, NULL, p->stacks[i].location);
		json_end_array(j);
	}
	json_end_array(j);
}

static void put_timeline(struct json *j, const struct profile *p)
{
	if (!p->timeline.bins) {
		json_string(j, "timeline", NULL);
		return;
	}
	json_row_of(j, "timeline", "unit %s, step %zu, bins %zu",
		    p->timeline.unit, p->timeline.step, p->timeline.bins);
}

/* A flat list for each event: bin, samples, bin, samples ... */
static void put_times(struct json *j, const struct profile *p,
		      const struct profile_sample *s)
{
	json_list(j, "times");
	for (size_t e = 0; e < p->n_events; e++) {
		const struct profile_bins *bins = &s->times[e];

		json_list(j, NULL);
		for (size_t i = 0; i < bins->n; i++) {
			json_unsigned(j, NULL, bins->items[i].bin);
			json_unsigned(j, NULL, bins->items[i].n);
		}
		json_end_array(j);
	}
	json_end_array(j);
}

static void put_samples(struct json *j, const struct profile *p)
{
	json_array(j, "samples");
	for (size_t i = 0; i < p->n_samples; i++) {
		const struct profile_sample *s = &p->samples[i];

		json_row(j, NULL);
		put_row(j, "thread", s->thread);
		put_row(j, "stack", s->stack);
		json_list(j, "counts");
		for (size_t e = 0; e < p->n_events; e++)
			json_unsigned(j, NULL, s->counts[e]);
		json_end_array(j);
		if (p->timeline.bins && s->times)
			put_times(j, p, s);
		json_end_object(j);
	}
	json_end_array(j);
}

int profile_write_json(const void *profile, const struct report_style *style,
		       FILE *to)
{
	const struct profile *p = profile;
	struct json j;

	(void)style;
	json_init(&j, to);
	json_object(&j, NULL);
	put_head(&j, p);
	put_timeline(&j, p);
	put_events(&j, p);
	put_threads(&j, p);
	put_objects(&j, p);
	put_files(&j, p);
	put_functions(&j, p);
	put_locations(&j, p);
	put_stacks(&j, p);
	put_samples(&j, p);
	json_unsigned(&j, "lost", p->lost);
	json_unsigned(&j, "throttled", p->throttled);
	json_strings(&j, "notes", p->notes, p->n_notes);
	json_end_object(&j);
	return json_finish(&j);
}
