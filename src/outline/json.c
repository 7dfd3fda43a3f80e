/* SPDX-License-Identifier: BSD-3-Clause */
/* Sections as JSON: what the text says, and every number of every section. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "outline/outline.h"
#include "write/json.h"

static void put_datum(struct json *j, const struct task_datum *d)
{
	json_row(j, NULL);
	json_string(j, "name", d->name);
	json_string(j, "kind", taskfile_kind(d));
	json_number(j, "inclusive", d->value);
	json_number(j, "exclusive", d->exclusive);
	json_number(j, "uncertainty", d->uncertainty);
	if (d->formula[0]) {
		json_string(j, "unit", d->unit);
		json_string(j, "formula", d->formula);
		json_string(j, "verdict", d->verdict[0] ? d->verdict : NULL);
	}
	json_number(j, "mean", d->task_mean);
	json_number(j, "stddev", d->task_stddev);
	json_number(j, "min", d->task_min);
	json_number(j, "max", d->task_max);
	json_string(j, "reason", d->reason && d->reason[0] ? d->reason : NULL);
	json_end_object(j);
}

static void put_id(struct json *j, const char *name, long id)
{
	json_number(j, name, id < 0 ? NAN : (double)id);
}

static void put_spread(struct json *j, const char *name,
		       const struct outline_spread *s)
{
	if (s->n < 2) {
		json_string(j, name, NULL);
		return;
	}
	json_row(j, name);
	json_unsigned(j, "n", s->n);
	json_number(j, "min", s->min);
	json_number(j, "mean", s->mean);
	json_number(j, "max", s->max);
	put_id(j, "min_rank", s->min_task);
	put_id(j, "min_thread", s->min_thread);
	put_id(j, "max_rank", s->max_task);
	put_id(j, "max_thread", s->max_thread);
	json_number(j, "imbalance_pct", outline_imbalance(s));
	json_end_object(j);
}

static void put_rows(struct json *j, const struct outline *o,
		     const struct outline_node *node)
{
	size_t column;

	if (!o->options->per_thread ||
	    !map_find(&o->run->column_index, o->by, &column))
		return;
	json_array(j, "rows");
	for (size_t i = 0; i < node->rows->n; i++) {
		const struct view_row *row = &node->rows->rows[i];

		json_row(j, NULL);
		put_id(j, "rank", row->task);
		put_id(j, "thread", row->thread);
		json_number(j, "value",
			    column < row->n ? row->values[column] : NAN);
		json_end_object(j);
	}
	json_end_array(j);
}

static void put_node(struct json *j, const struct outline *o, size_t i,
		     const long *shown)
{
	const struct outline_node *node = &o->nodes[i];
	const struct task_section *s = &node->section;

	json_object(j, NULL);
	json_string(j, "label", s->label);
	json_string(j, "kind", s->kind);
	put_id(j, "id", s->id);
	put_id(j, "parent", node->parent < 0 ? -1 : shown[node->parent]);
	json_unsigned(j, "depth", node->depth);
	json_string(j, "file", s->file[0] ? s->file : NULL);
	json_number(j, "first_line", s->file[0] ? (double)s->line_start : NAN);
	json_number(j, "last_line", s->file[0] ? (double)s->line_end : NAN);
	json_bool(j, "short", s->is_short);
	json_number(j, "calls", node->calls);
	json_number(j, "inclusive", node->inclusive);
	json_number(j, "exclusive", node->exclusive);
	json_number(j, "share_pct", node->share);
	put_spread(j, "ranks", &node->ranks);
	put_spread(j, "threads", &node->threads);
	put_rows(j, o, node);
	json_array(j, "values");
	for (size_t k = 0; k < s->n; k++)
		put_datum(j, &s->data[k]);
	json_end_array(j);
	json_end_object(j);
}

/* A section's "parent" is its place in the array, so hidden ones do not count.
 */
static int put_nodes(struct json *j, const struct outline *o)
{
	OWNED long *shown = calloc(o->n + 1, sizeof(*shown));
	long n = 0;

	if (!shown)
		return PAPI_ENOMEM;
	json_array(j, "sections");
	for (size_t i = 0; i < o->n; i++) {
		if (o->nodes[i].hidden)
			continue;
		shown[i] = n++;
		put_node(j, o, i, shown);
	}
	json_end_array(j);
	return 0;
}

static void put_events(struct json *j, const struct outline *o)
{
	json_array(j, "events");
	for (size_t i = 0; i < o->n_events; i++)
		json_row_of(j, NULL, "name %s, counted %d, reason %s",
			    o->events[i].name, o->events[i].counted,
			    o->events[i].counted ? NULL : o->events[i].reason);
	json_end_array(j);
}

static void put_problems(struct json *j, const struct view_run *run)
{
	json_array(j, "problems");
	for (size_t i = 0; i < run->n_problems; i++) {
		const struct view_problem *p = &run->problems[i];

		json_row(j, NULL);
		json_string(j, "what", p->what);
		put_id(j, "id", p->id);
		json_string(j, "file", p->file[0] ? p->file : NULL);
		json_number(j, "line", p->file[0] ? (double)p->line : NAN);
		json_number(j, "count", p->count);
		json_end_object(j);
	}
	json_end_array(j);
	json_array(j, "notes");
	for (size_t i = 0; i < run->n_remarks; i++)
		if (!run->remarks[i].name[0])
			json_string(j, NULL, run->remarks[i].text);
	json_end_array(j);
}

static int put_run(struct json *j, const struct outline *o)
{
	int err;

	json_object(j, NULL);
	json_string(j, "name", o->run->name);
	json_string(j, "program", o->head.program);
	json_number(j, "ranks", o->head.tasks > 0 ? (double)o->head.tasks : 1);
	json_string(j, "pmu", o->head.pmu);
	json_string(j, "model", o->head.model[0] ? o->head.model : NULL);
	json_bool(j, "native_times", !o->simulated);
	json_number(j, "seconds", o->head.seconds);
	json_bool(j, "complete", o->head.complete);
	json_string(j, "by", strcmp(o->by, "IncSec") == 0 ? "time" : o->by);
	put_events(j, o);
	err = put_nodes(j, o);
	put_problems(j, o->run);
	json_end_object(j);
	return err;
}

int outline_describe(const void *report, struct json *j)
{
	const struct outline_report *r = report;
	int err = 0;

	json_table(j, "runs");
	for (size_t i = 0; i < r->n && !err; i++)
		err = put_run(j, &r->outlines[i]);
	json_end_array(j);
	return err;
}
