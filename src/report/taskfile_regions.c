/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reading the file that PAPI_hl_region_begin() and PAPI_hl_region_end() leave,
 * ours or PAPI's own, as the sections of a task. docs/formats/regions.md
 * describes it; PAPI writes numbers as strings, and an event's either alone
 * or as an object.
 */
#include <cjson/cJSON.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/strbuf.h"
#include "report/taskfile.h"
#include "report/taskfile_regions.h"

#define DEPTH_MAX 64 /* a damaged file may have regions inside themselves */

struct regions {
	const struct taskfile_sink *sink;
	long task;
	long thread;
	const cJSON *list; /* the thread's regions */
	struct task_datum *data;
	size_t n;
};

static const cJSON *member(const cJSON *object, const char *key)
{
	return cJSON_GetObjectItemCaseSensitive(object, key);
}

static double number(const cJSON *item)
{
	if (cJSON_IsNumber(item))
		return item->valuedouble;
	if (cJSON_IsString(item) && item->valuestring[0]) {
		char *end;
		double value = strtod(item->valuestring, &end);

		return *end ? NAN : value;
	}
	return NAN;
}

static const char *text(const cJSON *item)
{
	const char *value = cJSON_GetStringValue(item);

	return value ? value : "";
}

static long integer(const cJSON *item, long otherwise)
{
	double value = number(item);

	return fabs(value) < 1e15 ? (long)value : otherwise;
}

/* The task, by the file's name: rank_000003.json. */
static long task_of(const char *path)
{
	const char *rank = strstr(path, "rank_");

	for (const char *next = rank; next; next = strstr(next + 1, "rank_"))
		rank = next;
	return rank ? strtol(rank + 5, NULL, 10) : 0;
}

static int add_datum(struct regions *r, const char *name, const cJSON *item,
		     double scale)
{
	bool whole = cJSON_IsObject(item);
	struct task_datum datum = {
		.name = name,
		.value = number(whole ? member(item, "region_value") : item) *
			 scale,
		.raw = NAN,
		.correction = NAN,
		.uncertainty = NAN,
		.exclusive = number(member(item, "exclusive")) * scale,
		.mean = NAN,
		.stddev = NAN,
		.min = number(member(item, "min")) * scale,
		.max = number(member(item, "max")) * scale,
		.task_n = NAN,
		.task_mean = NAN,
		.task_stddev = NAN,
		.task_min = NAN,
		.task_max = NAN,
		.min_task = -1,
		.max_task = -1,
		.shown = true,
		.formula = "",
		.unit = "",
		.verdict = "",
		.sbad = NAN,
		.sgood = NAN,
		.dbad = NAN,
		.dgood = NAN,
	};

	if (array_grow(&r->data, r->n, sizeof(*r->data)))
		return PAPI_ENOMEM;
	r->data[r->n++] = datum;
	return 0;
}

/* Time is told twice, as in sections: without and with inner regions. */
static int add_time(struct regions *r, const cJSON *item)
{
	int err = add_datum(r, "ExcSec", item, 1e-9);

	if (err)
		return err;
	if (!isnan(r->data[r->n - 1].exclusive)) {
		r->data[r->n - 1].value = r->data[r->n - 1].exclusive;
		r->data[r->n - 1].exclusive = NAN;
		r->data[r->n - 1].min = r->data[r->n - 1].max = NAN;
	} else {
		r->n--;
	}
	err = add_datum(r, "IncSec", item, 1e-9);
	if (!err)
		r->data[r->n - 1].exclusive = NAN;
	return err;
}

static int add_item(struct regions *r, const cJSON *item)
{
	const char *name = item->string;

	if (strcmp(name, "name") == 0 || strcmp(name, "parent_region_id") == 0)
		return 0;
	if (strcmp(name, "region_count") == 0)
		return add_datum(r, "Count", item, 1);
	if (strcmp(name, "real_time_nsec") == 0)
		return add_time(r, item);
	return add_datum(r, name, item, 1);
}

static const cJSON *region_called(const struct regions *r, long id)
{
	char key[24];

	snprintf(key, sizeof(key), "%ld", id);
	return id < 0 ? NULL : member(r->list, key);
}

/* The names from the outermost region to this one tell it from others. */
static char *path_of(const struct regions *r, const cJSON *region)
{
	char *path = strdup(text(member(region, "name")));

	for (int depth = 0; path && depth < DEPTH_MAX; depth++) {
		char *longer;

		region = region_called(
			r, integer(member(region, "parent_region_id"), -1));
		if (!region)
			return path;
		longer =
			str_format("%s/%s", text(member(region, "name")), path);
		free(path);
		path = longer;
	}
	return path;
}

static int give_region(struct regions *r, const cJSON *region)
{
	char *path = path_of(r, region);
	struct task_section section = {
		.lid = path,
		.label = text(member(region, "name")),
		.file = "",
		.tid = r->thread,
		.task = r->task,
		.id = strtol(region->string, NULL, 10),
		.parent = integer(member(region, "parent_region_id"), -1),
		.kind = "region",
	};
	const cJSON *item;
	int err = path ? 0 : PAPI_ENOMEM;

	r->n = 0;
	cJSON_ArrayForEach(item, region) if (!err) err = add_item(r, item);
	section.data = r->data;
	section.n = r->n;
	if (!err && r->sink->section)
		err = r->sink->section(r->sink->context, &section);
	free(path);
	return err;
}

static int give_threads(struct regions *r, const cJSON *threads)
{
	const cJSON *thread, *region;
	int err = 0;

	cJSON_ArrayForEach(thread, threads)
	{
		if (!thread->string)
			continue;
		r->thread = strtol(thread->string, NULL, 10);
		r->list = member(thread, "regions");
		if (!cJSON_IsObject(r->list))
			continue;
		cJSON_ArrayForEach(region, r->list) if (!err) err =
			give_region(r, region);
	}
	return err;
}

static int give_events(const struct regions *r, const cJSON *root)
{
	const cJSON *item;
	int err = 0;

	if (!r->sink->event)
		return 0;
	cJSON_ArrayForEach(item, member(root, "event_definitions"))
	{
		struct task_event event = { item->string, true, "" };

		if (!err && event.name)
			err = r->sink->event(r->sink->context, &event);
	}
	cJSON_ArrayForEach(item, member(root, "unavailable"))
	{
		struct task_event event = { item->string, false, text(item) };

		if (!err && event.name)
			err = r->sink->event(r->sink->context, &event);
	}
	return err;
}

static int give_notes(const struct regions *r, const cJSON *notes)
{
	const cJSON *note;
	int err = 0;

	if (!r->sink->problem)
		return 0;
	cJSON_ArrayForEach(note, notes)
	{
		const char *what = text(member(note, "note"));
		struct task_problem problem = { what, 0, "", 0, 1 };

		if (!what[0])
			problem.what =
				number(member(note, "unfinished")) > 0
					? "a region was left open"
					: "a region ended before an inner one";
		if (!err)
			err = r->sink->problem(r->sink->context, &problem);
	}
	return err;
}

static int give(const cJSON *root, const char *path,
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
		err = give_events(&r, root);
	if (!err)
		err = give_notes(&r, member(root, "notes"));
	if (!err)
		err = give_threads(&r, member(root, "threads"));
	free(r.data);
	return err;
}

static int refuse(const char *path, size_t line, const char *what,
		  struct diag *diag)
{
	int err = diag_fail(diag, PAPI_EINVAL, "%s", what);

	if (diag) {
		diag->file = path;
		diag->line = line;
	}
	return err;
}

int regions_read(FILE *from, const char *path, const struct taskfile_sink *sink,
		 struct diag *diag)
{
	struct strbuf all = { 0 };
	const char *end = NULL, *begin;
	char chunk[8192];
	size_t n, line = 1;
	cJSON *root;
	int err;

	while ((n = fread(chunk, 1, sizeof(chunk), from)) > 0)
		strbuf_addn(&all, chunk, n);
	begin = strbuf_text(&all);
	root = cJSON_ParseWithOpts(begin, &end, true);
	if (!root) {
		for (; end && begin < end; begin++)
			line += *begin == '\n';
		err = refuse(path, line, "not JSON from here on", diag);
	} else if (!cJSON_IsObject(member(root, "threads"))) {
		err = refuse(path, 1,
			     "JSON, but not a file of regions: it "
			     "has no \"threads\"",
			     diag);
	} else {
		err = give(root, path, sink);
	}
	cJSON_Delete(root);
	strbuf_fini(&all);
	return err;
}
