/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reading the file that PAPI_hl_region_begin() and PAPI_hl_region_end() leave,
 * ours or PAPI's own, as the sections of a task. docs/formats/regions.md
 * describes it; PAPI writes numbers as strings, and an event's either alone
 * or as an object.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/file.h"
#include "base/strbuf.h"
#include "base/tree.h"
#include "taskfile/inside.h"
#include "taskfile/taskfile.h"

#define DEPTH_MAX 64 /* a damaged file may have regions inside themselves */

struct regions {
	const struct taskfile_sink *sink;
	long task;
	long thread;
	const struct tree *list; /* the thread's regions */
	struct task_datum *data;
	size_t n;
};

static long double number(const struct tree *item)
{
	const char *written = tree_string(item);
	long double value;
	char *end;

	if (!written || !written[0])
		return tree_count(item);
	value = strtold(written, &end);
	if (*end)
		return NAN;
	return fabsl(value) < 0x1p64L ? value : INFINITY;
}

static const char *text(const struct tree *item)
{
	const char *value = tree_string(item);

	return value ? value : "";
}

static long integer(const struct tree *item, long otherwise)
{
	long double value = number(item);

	return fabsl(value) < 1e15L ? (long)value : otherwise;
}

/* The task, by the file's name: rank_000003.json. */
static long task_of(const char *path)
{
	const char *rank = strstr(path, "rank_");

	for (const char *next = rank; next; next = strstr(next + 1, "rank_"))
		rank = next;
	return rank ? strtol(rank + 5, NULL, 10) : 0;
}

static int add_datum(struct regions *r, const char *name,
		     const struct tree *item, long double scale)
{
	bool whole = tree_is(item, TREE_OBJECT);
	struct task_datum datum = task_datum_empty;

	datum.name = name;
	datum.value = number(whole ? tree_member(item, "region_value") : item) *
		      scale;
	datum.exclusive = number(tree_member(item, "exclusive")) * scale;
	datum.min = number(tree_member(item, "min")) * scale;
	datum.max = number(tree_member(item, "max")) * scale;
	datum.shown = true;
	if (isinf(datum.value) || isinf(datum.exclusive))
		return PAPI_EBUF;
	return array_add(r->data, r->n, datum);
}

/* Time is told twice, as in sections: without and with inner regions. */
static int add_time(struct regions *r, const struct tree *item)
{
	int err = add_datum(r, "ExcSec", item, 1e-9L);

	if (err)
		return err;
	if (!isnan(r->data[r->n - 1].exclusive)) {
		r->data[r->n - 1].value = r->data[r->n - 1].exclusive;
		r->data[r->n - 1].exclusive = NAN;
		r->data[r->n - 1].min = r->data[r->n - 1].max = NAN;
	} else {
		r->n--;
	}
	err = add_datum(r, "IncSec", item, 1e-9L);
	if (!err)
		r->data[r->n - 1].exclusive = NAN;
	return err;
}

static int add_item(struct regions *r, const struct tree *item)
{
	const char *name = item->key;

	if (strcmp(name, "name") == 0 || strcmp(name, "parent_region_id") == 0)
		return 0;
	if (strcmp(name, "region_count") == 0)
		return add_datum(r, "Count", item, 1);
	if (strcmp(name, "real_time_nsec") == 0)
		return add_time(r, item);
	return add_datum(r, name, item, 1);
}

static const struct tree *region_called(const struct regions *r, long id)
{
	char key[24];

	snprintf(key, sizeof(key), "%ld", id);
	return id < 0 ? NULL : tree_member(r->list, key);
}

/* The names from the outermost region to this one tell it from others. */
static char *path_of(const struct regions *r, const struct tree *region)
{
	char *path = strdup(text(tree_member(region, "name")));

	for (int depth = 0; path && depth < DEPTH_MAX; depth++) {
		char *longer;

		region = region_called(
			r,
			integer(tree_member(region, "parent_region_id"), -1));
		if (!region)
			return path;
		longer = str_format("%s/%s", text(tree_member(region, "name")),
				    path);
		free(path);
		path = longer;
	}
	return path;
}

static int give_region(struct regions *r, const struct tree *region)
{
	OWNED char *path = path_of(r, region);
	struct task_section section = {
		.lid = path,
		.label = text(tree_member(region, "name")),
		.file = "",
		.tid = r->thread,
		.task = r->task,
		.id = strtol(region->key, NULL, 10),
		.parent = integer(tree_member(region, "parent_region_id"), -1),
		.kind = "region",
	};
	int err = path ? 0 : PAPI_ENOMEM;

	r->n = 0;
	for (size_t i = 0; !err && i < region->n; i++)
		err = add_item(r, &region->items[i]);
	section.data = r->data;
	section.n = r->n;
	if (!err && r->sink->section)
		err = r->sink->section(r->sink->context, &section);
	return err;
}

static int give_threads(struct regions *r, const struct tree *threads)
{
	int err = 0;

	for (size_t i = 0; i < threads->n; i++) {
		const struct tree *thread = &threads->items[i];

		r->thread = strtol(thread->key, NULL, 10);
		r->list = tree_member(thread, "regions");
		if (!tree_is(r->list, TREE_OBJECT))
			continue;
		for (size_t k = 0; !err && k < r->list->n; k++)
			err = give_region(r, &r->list->items[k]);
	}
	return err;
}

/* Of the object @list each member's name, with its text if it has no value. */
static int give_events(const struct regions *r, const struct tree *list,
		       bool counted)
{
	int err = 0;

	if (!r->sink->event || !tree_is(list, TREE_OBJECT))
		return 0;
	for (size_t i = 0; !err && i < list->n; i++) {
		const struct tree *item = &list->items[i];
		struct task_event event = { item->key, counted,
					    counted ? "" : text(item) };

		err = r->sink->event(r->sink->context, &event);
	}
	return err;
}

static int give_notes(const struct regions *r, const struct tree *notes)
{
	int err = 0;

	if (!r->sink->problem || !notes)
		return 0;
	for (size_t i = 0; !err && i < notes->n; i++) {
		const struct tree *note = &notes->items[i];
		const char *what = text(tree_member(note, "note"));
		struct task_problem problem = { what, 0, "", 0, 1 };

		if (!what[0])
			problem.what =
				number(tree_member(note, "unfinished")) > 0
					? "a region was left open"
					: "a region ended before an inner one";
		err = r->sink->problem(r->sink->context, &problem);
	}
	return err;
}

static int give(const struct tree *root, const char *path,
		const struct taskfile_sink *sink)
{
	struct regions r = { .sink = sink, .task = task_of(path) };
	struct task_head head = {
		.program = "",
		.task = r.task,
		.tasks = 1,
		.seconds = NAN,
		.pmu = "",
		.model = "",
		.complete = true,
	};
	int err = sink->head ? sink->head(sink->context, &head) : 0;

	if (!err)
		err = give_events(&r, tree_member(root, "event_definitions"),
				  true);
	if (!err)
		err = give_events(&r, tree_member(root, "unavailable"), false);
	if (!err)
		err = give_notes(&r, tree_member(root, "notes"));
	if (!err)
		err = give_threads(&r, tree_member(root, "threads"));
	free(r.data);
	return err;
}

int regions_read(FILE *from, const char *path, const struct taskfile_sink *sink,
		 struct diag *diag)
{
	struct tree *root = NULL;
	OWNED char *all = NULL;
	size_t len;
	int err = file_read_stream(from, path, &all, &len, diag);

	if (err)
		return err;
	err = tree_parse(all, &root, diag);
	if (!err && !count_is_report(root) &&
	    !tree_is(tree_member(root, "threads"), TREE_OBJECT)) {
		err = diag_fail(diag, PAPI_EINVAL,
				"this JSON is neither a report of assay count "
				"nor PAPI's regions: it has no \"threads\"");
		if (diag)
			diag->line = 1;
	}
	if (err && diag)
		diag->file = path;
	if (!err)
		err = count_is_report(root) ? count_give(root, sink)
					    : give(root, path, sink);
	tree_free(root);
	if (err == PAPI_ENOMEM)
		diag_fail(diag, err, "out of memory");
	if (err == PAPI_EBUF) {
		err = diag_fail(diag, PAPI_EINVAL, TASKFILE_TOO_LARGE);
		if (diag)
			diag->file = path;
	}
	return err;
}
