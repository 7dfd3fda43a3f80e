/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Many performance files into one.
 *
 * Sections with the same place, label, kind and number are one section,
 * whatever task and thread they come from. Of each of its numbers the sum is
 * kept, and how it varies between tasks and threads; memory grows with the
 * sections, not with the files. The same problem in many tasks is one, seen so
 * many times. What becomes of each number is merged.c's.
 */
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/map.h"
#include "base/strbuf.h"
#include "taskfile/inside.h"

struct merged_section {
	struct task_section section; /* strings are owned */
	char *key;
	struct merged_datum *data;
	size_t n;
};

struct merged_event {
	char *name;
	char *reason;
	bool counted;
};

struct merged_problem {
	struct task_problem problem; /* strings are owned */
	char *key;
};

struct taskfile_merge {
	struct task_head head; /* strings are owned */
	long files;
	bool partial; /* something could not be added */
	struct merged_section **sections;
	size_t n;
	struct map keys;
	size_t expected; /* section that comes next, probably */
	struct merged_event *events;
	size_t n_events;
	struct merged_problem *problems;
	size_t n_problems;
	struct map problem_keys;
};

int taskfile_merge_new(struct taskfile_merge **out)
{
	struct taskfile_merge *merge = calloc(1, sizeof(*merge));

	if (!merge)
		return PAPI_ENOMEM;
	*out = merge;
	return 0;
}

static void section_free(struct merged_section *section)
{
	free((char *)section->section.lid);
	free((char *)section->section.label);
	free((char *)section->section.file);
	free((char *)section->section.kind);
	free(section->key);
	while (section->n > 0)
		merged_free(&section->data[--section->n]);
	free(section->data);
	free(section);
}

static void problem_free(struct merged_problem *p)
{
	free((char *)p->problem.what);
	free((char *)p->problem.file);
	free(p->key);
}

static void free_head(const struct task_head *head)
{
	free((char *)head->program);
	free((char *)head->pmu);
	free((char *)head->model);
}

void taskfile_merge_free(struct taskfile_merge *merge)
{
	if (!merge)
		return;
	free_head(&merge->head);
	while (merge->n > 0)
		section_free(merge->sections[--merge->n]);
	free(merge->sections);
	map_fini(&merge->keys);
	while (merge->n_events > 0) {
		struct merged_event *event = &merge->events[--merge->n_events];

		free(event->name);
		free(event->reason);
	}
	free(merge->events);
	while (merge->n_problems > 0)
		problem_free(&merge->problems[--merge->n_problems]);
	free(merge->problems);
	map_fini(&merge->problem_keys);
	free(merge);
}

static int add_first_head(struct taskfile_merge *merge,
			  const struct task_head *head)
{
	struct task_head all = *head;

	all.program = strdup(head->program);
	all.pmu = strdup(head->pmu);
	all.model = strdup(head->model);
	all.task = -1;
	all.pid = 0;
	if (!all.program || !all.pmu || !all.model) {
		free_head(&all);
		return PAPI_ENOMEM;
	}
	merge->head = all;
	merge->files = 1;
	return 0;
}

/* The first file says what program it is; later ones add time and tasks. */
static int add_head(void *context, const struct task_head *head)
{
	struct taskfile_merge *merge = context;
	struct task_head *all = &merge->head;

	if (merge->files == 0)
		return add_first_head(merge, head);
	merge->files++;
	all->tasks += head->tasks;
	all->complete = all->complete && head->complete;
	if (head->started < all->started)
		all->started = head->started;
	all->seconds = fmax(all->seconds, head->seconds);
	return 0;
}

static int add_event(void *context, const struct task_event *event)
{
	struct taskfile_merge *merge = context;
	struct merged_event added = { .counted = event->counted };

	for (size_t i = 0; i < merge->n_events; i++)
		if (strcmp(merge->events[i].name, event->name) == 0)
			return 0;
	if (array_grow(&merge->events, merge->n_events, sizeof(added)))
		return PAPI_ENOMEM;
	added.name = strdup(event->name);
	added.reason = strdup(event->reason);
	if (!added.name || !added.reason) {
		free(added.name);
		free(added.reason);
		return PAPI_ENOMEM;
	}
	merge->events[merge->n_events++] = added;
	return 0;
}

static struct merged_section *section_new(const struct task_section *from,
					  char *key)
{
	struct merged_section *section = calloc(1, sizeof(*section));

	if (!section)
		return NULL;
	section->section = *from;
	section->section.tid = from->tid;
	section->section.lid = strdup(from->lid);
	section->section.label = strdup(from->label);
	section->section.file = strdup(from->file);
	section->section.kind = strdup(from->kind);
	section->key = key;
	if (!section->section.lid || !section->section.label ||
	    !section->section.file || !section->section.kind) {
		section->key = NULL; /* stays the caller's */
		section_free(section);
		return NULL;
	}
	return section;
}

static bool is_same(const struct task_section *a, const struct task_section *b)
{
	return a->id == b->id && strcmp(a->lid, b->lid) == 0 &&
	       strcmp(a->label, b->label) == 0 && strcmp(a->kind, b->kind) == 0;
}

/* The merged section that @from belongs to, made if it is new. */
static int find_section(struct taskfile_merge *merge,
			const struct task_section *from,
			struct merged_section **out)
{
	char *key;
	size_t i;

	/* all tasks have theirs in the same order, nearly */
	if (merge->expected >= merge->n)
		merge->expected = 0;
	if (merge->n > 0 &&
	    is_same(&merge->sections[merge->expected]->section, from)) {
		*out = merge->sections[merge->expected++];
		return 0;
	}
	key = str_format("%s\n%s\n%s\n%ld", from->lid, from->label, from->kind,
			 from->id);
	if (!key)
		return PAPI_ENOMEM;
	if (map_find(&merge->keys, key, &i)) {
		free(key);
		*out = merge->sections[i];
		merge->expected = i + 1;
		return 0;
	}
	if (array_grow(&merge->sections, merge->n, sizeof(*merge->sections)))
		goto no_memory;
	*out = section_new(from, key);
	if (!*out)
		goto no_memory;
	merge->sections[merge->n] = *out;
	if (map_set(&merge->keys, key, merge->n)) {
		section_free(*out); /* and the key with it */
		return PAPI_ENOMEM;
	}
	merge->n++;
	return 0;

no_memory:
	free(key);
	return PAPI_ENOMEM;
}

/*
 * The datum called as @from is; @hint is where it probably is, because all
 * tasks have theirs in the same order.
 */
static struct merged_datum *find_datum(struct merged_section *section,
				       const struct task_datum *from,
				       size_t hint)
{
	struct merged_datum added = { 0 };

	if (hint < section->n &&
	    strcmp(section->data[hint].datum.name, from->name) == 0)
		return &section->data[hint];
	for (size_t i = 0; i < section->n; i++)
		if (strcmp(section->data[i].datum.name, from->name) == 0)
			return &section->data[i];
	if (array_grow(&section->data, section->n, sizeof(added)) ||
	    !merged_init(&added, from))
		return NULL;
	section->data[section->n] = added;
	return &section->data[section->n++];
}

static double count_of(const struct task_section *section)
{
	for (size_t i = 0; i < section->n; i++)
		if (strcmp(section->data[i].name, "Count") == 0)
			return (double)section->data[i].value;
	return NAN;
}

static int add_section(void *context, const struct task_section *from)
{
	struct taskfile_merge *merge = context;
	struct merged_section *section;
	double count = count_of(from);
	int err = find_section(merge, from, &section);

	if (err)
		return err;
	if (section->section.tid != from->tid)
		section->section.tid = -1;
	section->section.task = -1;
	section->section.is_short |= from->is_short;
	for (size_t i = 0; i < from->n; i++) {
		struct merged_datum *datum =
			find_datum(section, &from->data[i], i);

		if (!datum ||
		    !merged_add(datum, &from->data[i], count, from->task))
			return PAPI_ENOMEM;
	}
	return 0;
}

static int add_new_problem(struct taskfile_merge *merge,
			   const struct task_problem *problem, char *key)
{
	struct merged_problem added = { .problem = *problem, .key = key };

	added.problem.what = strdup(problem->what);
	added.problem.file = strdup(problem->file);
	if (!added.problem.what || !added.problem.file ||
	    array_grow(&merge->problems, merge->n_problems, sizeof(added)) ||
	    map_set(&merge->problem_keys, key, merge->n_problems)) {
		problem_free(&added);
		return PAPI_ENOMEM;
	}
	merge->problems[merge->n_problems++] = added;
	return 0;
}

static int add_problem(void *context, const struct task_problem *problem)
{
	struct taskfile_merge *merge = context;
	char *key = str_format("%s\n%s\n%ld\n%ld", problem->what, problem->file,
			       problem->line, problem->id);
	size_t i;

	if (!key)
		return PAPI_ENOMEM;
	if (!map_find(&merge->problem_keys, key, &i))
		return add_new_problem(merge, problem, key);
	merge->problems[i].problem.count += problem->count;
	free(key);
	return 0;
}

struct taskfile_sink taskfile_merge_sink(struct taskfile_merge *merge)
{
	return (struct taskfile_sink){ .context = merge,
				       .head = add_head,
				       .event = add_event,
				       .problem = add_problem,
				       .section = add_section };
}

int taskfile_merge_read(struct taskfile_merge *merge, FILE *from,
			const char *path, struct diag *diag)
{
	struct taskfile_sink sink = taskfile_merge_sink(merge);
	int err = taskfile_read(from, path, &sink, diag);

	if (err)
		taskfile_merge_miss(merge);
	return err;
}

void taskfile_merge_miss(struct taskfile_merge *merge)
{
	merge->partial = true;
}

int taskfile_merge_add(struct taskfile_merge *merge, const char *path,
		       struct diag *diag)
{
	FILE *from = fopen(path, "re");
	int err;

	if (!from)
		return diag_fail(diag, PAPI_ESYS, "cannot read %s: %s", path,
				 strerror(errno));
	err = taskfile_merge_read(merge, from, path, diag);
	fclose(from);
	return err;
}

/*
 * Metrics of the sums: a sum of metrics means nothing. What came from one task
 * stays as it was there.
 */
static void derive(struct task_datum *data, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (!data[i].formula[0])
			continue;
		if (data[i].task_n != 1)
			data[i].value =
				taskfile_metric_value(&data[i], data, n);
		data[i].verdict = taskfile_metric_verdict(&data[i]);
	}
}

static int give_section(const struct merged_section *from,
			const struct taskfile_sink *sink)
{
	struct task_section section = from->section;
	OWNED struct task_datum *data =
		calloc(from->n ? from->n : 1, sizeof(*data));

	if (!data)
		return PAPI_ENOMEM;
	for (size_t i = 0; i < from->n; i++)
		data[i] = merged_result(&from->data[i]);
	derive(data, from->n);
	section.data = data;
	section.n = from->n;
	return sink->section(sink->context, &section);
}

int taskfile_merge_give(struct taskfile_merge *merge,
			const struct taskfile_sink *sink)
{
	struct task_head head = merge->head;
	int err = 0;

	head.complete = head.complete && !merge->partial;
	if (sink->head && merge->files > 0)
		err = sink->head(sink->context, &head);
	for (size_t i = 0; sink->event && i < merge->n_events && !err; i++) {
		struct task_event event = { merge->events[i].name,
					    merge->events[i].counted,
					    merge->events[i].reason };

		err = sink->event(sink->context, &event);
	}
	for (size_t i = 0; sink->problem && i < merge->n_problems && !err; i++)
		err = sink->problem(sink->context, &merge->problems[i].problem);
	for (size_t i = 0; sink->section && i < merge->n && !err; i++)
		err = give_section(merge->sections[i], sink);
	return err;
}
