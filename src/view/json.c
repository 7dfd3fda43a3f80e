/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The runs as the viewer takes them (docs/formats/page.md). Numbers of a
 * section stand in arrays, one place a column of the run: with a thousand
 * tasks names would be most of the text.
 */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "measure/metrics.h"
#include "view/view.h"
#include "write/json.h"

/* One run while it is written. */
struct writing {
	const struct view *view;
	const struct view_run *run;
	struct json *json;
	const struct metrics *metrics; /* what names mean */
	struct task_datum *places;     /* by column; name NULL: none */
	size_t section;                /* how many were written */
};

static int put_head(void *context, const struct task_head *head)
{
	struct writing *w = context;
	struct json *j = w->json;

	json_string(j, "program", head->program);
	json_number(j, "tasks", (double)head->tasks);
	json_number(j, "started", (double)head->started);
	json_number(j, "seconds", head->seconds);
	json_string(j, "pmu", head->pmu);
	json_string(j, "model", head->model);
	json_bool(j, "complete", head->complete);
	return 0;
}

static int put_event(void *context, const struct task_event *event)
{
	struct json *j = ((struct writing *)context)->json;

	json_row_of(j, NULL, "name %s, counted %d, reason %s", event->name,
		    event->counted, event->counted ? NULL : event->reason);
	return 0;
}

/* As its file has it; performance files do not tell. */
static const char *title_of(const struct writing *w,
			    const struct task_datum *datum)
{
	return datum->title && *datum->title
		       ? datum->title
		       : metrics_text(w->metrics, datum->name);
}

static void put_column(const struct writing *w, const struct task_datum *datum)
{
	struct json *j = w->json;

	json_row(j, NULL);
	json_string(j, "name", datum->name);
	json_string(j, "kind", taskfile_kind(datum));
	json_bool(j, "shown", datum->shown);
	if (datum->formula[0]) {
		json_string(j, "text", title_of(w, datum));
		json_string(j, "unit", datum->unit);
		json_string(j, "formula", datum->formula);
		json_number(j, "sbad", datum->sbad);
		json_number(j, "sgood", datum->sgood);
		json_number(j, "dbad", datum->dbad);
		json_number(j, "dgood", datum->dgood);
	}
	json_end_object(j);
}

/* Each column as the first section that has it describes it. */
static int take_columns(void *context, const struct task_section *section)
{
	struct writing *w = context;

	for (size_t i = 0; i < section->n; i++) {
		size_t column;

		if (map_find(&w->run->column_index, section->data[i].name,
			     &column) &&
		    !w->places[column].name)
			w->places[column] = section->data[i];
	}
	return 0;
}

static void put_columns(const struct writing *w)
{
	json_array(w->json, "columns");
	for (size_t i = 0; i < w->run->n_columns; i++)
		if (w->places[i].name)
			put_column(w, &w->places[i]);
	json_end_array(w->json);
}

static void put_numbers(const struct writing *w, const char *name,
			long double (*get)(const struct task_datum *))
{
	json_list(w->json, name);
	for (size_t i = 0; i < w->run->n_columns; i++)
		json_count(w->json, NULL,
			   w->places[i].name ? get(&w->places[i]) : NAN);
	json_end_array(w->json);
}

/* get_NAME(): a number of a datum. */
#define GET(name, number)                                                      \
	static long double get_##name(const struct task_datum *datum)          \
	{                                                                      \
		return number;                                                 \
	}

GET(value, datum->value)
GET(exclusive, datum->exclusive)
GET(mean, datum->task_mean)
GET(stddev, datum->task_stddev)
GET(min, datum->task_min)
GET(max, datum->task_max)
GET(min_task, datum->min_task < 0 ? NAN : (double)datum->min_task)
GET(max_task, datum->max_task < 0 ? NAN : (double)datum->max_task)

/* Why some number of @section has no value; NULL: all have. */
static const char *reason_of(const struct task_section *section)
{
	for (size_t i = 0; i < section->n; i++)
		if (section->data[i].reason && section->data[i].reason[0])
			return section->data[i].reason;
	return NULL;
}

static void put_place(const struct writing *w,
		      const struct task_section *section)
{
	struct json *j = w->json;
	size_t source;

	json_string(j, "label", section->label);
	json_number(j, "id", (double)section->id);
	json_number(j, "parent",
		    section->parent < 0 ? NAN : (double)section->parent);
	json_string(j, "kind", section->kind);
	json_string(j, "file", section->file);
	json_number(j, "source",
		    map_find(&w->view->source_index, section->file, &source)
			    ? (double)source
			    : NAN);
	json_number(j, "first", (double)section->line_start);
	json_number(j, "last", (double)section->line_end);
	json_bool(j, "short", section->is_short);
	json_string(j, "reason", reason_of(section));
}

static int put_section(void *context, const struct task_section *section)
{
	struct writing *w = context;
	const struct view_section *rows = &w->run->sections[w->section++];

	memset(w->places, 0, w->run->n_columns * sizeof(*w->places));
	take_columns(w, section);
	json_object(w->json, NULL);
	json_unsigned(w->json, "rows", rows->n);
	json_string(w->json, "match", rows->match);
	put_place(w, section);
	put_numbers(w, "value", get_value);
	put_numbers(w, "exclusive", get_exclusive);
	if (rows->n > 1 || w->run->merged) {
		put_numbers(w, "mean", get_mean);
		put_numbers(w, "stddev", get_stddev);
		put_numbers(w, "min", get_min);
		put_numbers(w, "max", get_max);
		put_numbers(w, "mintask", get_min_task);
		put_numbers(w, "maxtask", get_max_task);
	}
	json_end_object(w->json);
	return 0;
}

static void put_problems(const struct view_run *run, struct json *j)
{
	json_array(j, "problems");
	for (size_t i = 0; i < run->n_problems; i++) {
		const struct view_problem *p = &run->problems[i];

		json_row_of(j, NULL,
			    "what %s, id %g, file %s, line %g, count %g",
			    p->what, (double)p->id, p->file, (double)p->line,
			    p->count);
	}
	json_end_array(j);
}

static void put_remarks(const struct view_run *run, struct json *j)
{
	json_array(j, "remarks");
	for (size_t i = 0; i < run->n_remarks; i++) {
		json_cells(j, "%s %s", run->remarks[i].name,
			   run->remarks[i].text);
	}
	json_end_array(j);
}

/* How many threads a run has at most in one task: rows tell them apart. */
static double most_threads(const struct view_run *run)
{
	long most = -1;

	for (size_t i = 0; i < run->n_sections; i++)
		for (size_t k = 0; k < run->sections[i].n; k++)
			if (run->sections[i].rows[k].thread > most)
				most = run->sections[i].rows[k].thread;
	return most < 0 ? NAN : (double)most + 1;
}

static int put_run(const struct view *v, const struct view_run *run,
		   const struct metrics *metrics, struct json *j)
{
	struct writing w = {
		.view = v, .run = run, .json = j, .metrics = metrics
	};
	struct taskfile_sink head = { .context = &w, .head = put_head };
	struct taskfile_sink events = { .context = &w, .event = put_event };
	struct taskfile_sink columns = { .context = &w,
					 .section = take_columns };
	struct taskfile_sink sections = { .context = &w,
					  .section = put_section };
	int err;

	w.places = calloc(run->n_columns + 1, sizeof(*w.places));
	if (!w.places)
		return PAPI_ENOMEM;
	json_object(j, NULL);
	json_string(j, "name", run->name);
	json_unsigned(j, "files", run->n_paths);
	json_string(j, "folder", run->folder);
	json_bool(j, "merged", run->merged);
	json_number(j, "threads", most_threads(run));
	err = taskfile_merge_give(run->merge, &head);
	json_array(j, "events");
	if (!err)
		err = taskfile_merge_give(run->merge, &events);
	json_end_array(j);
	put_problems(run, j);
	put_remarks(run, j);
	if (!err)
		err = taskfile_merge_give(run->merge, &columns);
	put_columns(&w);
	json_array(j, "sections");
	if (!err)
		err = taskfile_merge_give(run->merge, &sections);
	json_end_array(j);
	json_end_object(j);
	free(w.places);
	return err;
}

/* The first source that is the same file: names of one may differ. */
static size_t first_of(const struct view *v, size_t i)
{
	const char *path = v->sources[i].path;

	for (size_t k = 0; path && k < i; k++)
		if (v->sources[k].path && strcmp(v->sources[k].path, path) == 0)
			return k;
	return i;
}

static void put_profiles(const struct view *v, struct json *j)
{
	json_array(j, "profiles");
	for (size_t i = 0; i < v->n_profiles; i++) {
		const struct view_profile *p = &v->profiles[i];

		json_row(j, NULL);
		json_string(j, "name", p->name);
		json_list(j, "sources");
		for (size_t k = 0; k < p->profile.n_files; k++)
			json_unsigned(j, NULL, p->sources[k]);
		json_end_array(j);
		json_end_object(j);
	}
	json_end_array(j);
}

int view_write_profile(const struct view *v, size_t i, FILE *to)
{
	const struct report_style style = { 0 };

	return profile_write_json(&v->profiles[i].profile, &style, to);
}

static void put_sources(const struct view *v, struct json *j)
{
	json_array(j, "sources");
	for (size_t i = 0; i < v->n_sources; i++)
		json_row_of(j, NULL, "name %s, reason %s, same %zu",
			    v->sources[i].name, v->sources[i].reason,
			    first_of(v, i));
	json_end_array(j);
}

int view_write_json(const struct view *v, FILE *to)
{
	struct metrics metrics = { 0 };
	struct json j;
	int err = 0;

	metrics_init(&metrics, "", NULL); /* without it, names stay */
	json_init(&j, to);
	json_object(&j, NULL);
	json_array(&j, "runs");
	for (size_t i = 0; !err && i < v->n_runs; i++)
		err = put_run(v, v->runs[i], &metrics, &j);
	json_end_array(&j);
	put_sources(v, &j);
	put_profiles(v, &j);
	if (!err)
		err = view_compare_json(v, &j);
	json_end_object(&j);
	metrics_fini(&metrics);
	return err ? err : json_finish(&j);
}

/* Rows: columns of numbers, so that a name stands there once. */

int view_write_rows(const struct view *v, size_t run, size_t section, FILE *to)
{
	const struct view_run *r = v->runs[run];
	const struct view_section *s = &r->sections[section];
	struct json j;

	json_init(&j, to);
	json_object(&j, NULL);
	json_list(&j, "task");
	for (size_t i = 0; i < s->n; i++)
		json_number(&j, NULL, (double)s->rows[i].task);
	json_end_array(&j);
	json_list(&j, "thread");
	for (size_t i = 0; i < s->n; i++)
		json_number(&j, NULL, (double)s->rows[i].thread);
	json_end_array(&j);
	json_array(&j, "value");
	for (size_t k = 0; k < r->n_columns; k++) {
		json_list(&j, NULL);
		for (size_t i = 0; i < s->n; i++)
			json_count(&j, NULL,
				   k < s->rows[i].n ? s->rows[i].values[k]
						    : NAN);
		json_end_array(&j);
	}
	json_end_array(&j);
	json_end_object(&j);
	return json_finish(&j);
}
