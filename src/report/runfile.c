/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two kinds of files read into one list of values; comparing them is left to
 * diff.
 */
#include "report/runfile.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/file.h"
#include "base/map.h"
#include "base/strbuf.h"
#include "base/tree.h"
#include "taskfile/taskfile.h"

void runfile_fini(struct runfile *run)
{
	texts_fini(&run->texts);
	free(run->values);
	free(run->path);
	*run = (struct runfile){ 0 };
}

/* Where a value belongs; its texts live as long as the run. */
struct place {
	const char *section;
	const char *match;
	const char *file; /* "" if not known */
	long line;
};

/* Values of which less is better: what costs time, and time. */
static bool is_cost(const char *name)
{
	static const char *const parts[] = { "CYC",   "MISS", "TLB",
					     "MSP",   "MISP", "STL",
					     "STALL", "Sec",  "FAULT" };
	static const char *const ends[] = { "_DCM", "_ICM", "_TCM",
					    "_LDM", "_STM", "_s" };
	size_t length = strlen(name);

	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		if (strstr(name, parts[i]))
			return true;
	for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
		size_t end = strlen(ends[i]);

		if (length > end && strcmp(name + length - end, ends[i]) == 0)
			return true;
	}
	return false;
}

static int add(struct runfile *run, const struct place *place, const char *name,
	       const struct run_value *numbers)
{
	struct run_value value = *numbers;

	if (!value.better && is_cost(name))
		value.better = -1;
	value.section = place->section;
	value.match = place->match;
	value.file = place->file;
	value.line = place->line;
	value.name = texts_copy(&run->texts, name);
	value.title = texts_copy(&run->texts, value.title ? value.title : "");
	return array_add(run->values, run->n, value) ? PAPI_ENOMEM
						     : texts_error(&run->texts);
}

/* The JSON of `assay count`. */

static const struct place whole_program = { "", "", "", 0 };

static double number_of(const struct tree *object, const char *key,
			double otherwise)
{
	double value = tree_number(tree_member(object, key));

	return isnan(value) ? otherwise : value;
}

static const char *text_of(const struct tree *object, const char *key)
{
	const char *text = tree_text(object, key);

	return text ? text : "";
}

/* Estimated from samples that are the same in every run. */
static bool is_sampled(const struct tree *event)
{
	return number_of(event, "stderr", 0) > 0 &&
	       number_of(event, "running_ns", 0) >=
		       number_of(event, "enabled_ns", 0);
}

/* A value with a @reason is not all of it. */
static void note_missing(struct runfile *run, struct run_value *value,
			 const char *reason)
{
	value->is_part = !isnan((double)value->value) && reason && *reason;
	if (value->is_part && !run->missing)
		run->missing = texts_copy(&run->texts, reason);
}

/*
 * @varies: the simulator saw something that may differ from run to run. Where
 * runs did differ, it did.
 */
static int add_event(struct runfile *run, const struct tree *event, double runs,
		     bool varies)
{
	struct run_value value = {
		.value = tree_count(tree_member(event, "value")),
		.stddev = number_of(event, "stddev", 0),
		.n = runs,
	};

	if (isinf(value.value))
		return PAPI_EBUF;
	note_missing(run, &value, text_of(event, "reason"));
	value.exact = !varies && !value.is_part && value.stddev == 0 &&
		      strcmp(text_of(event, "source"), "sim") == 0 &&
		      (strcmp(text_of(event, "quality"), "counted") == 0 ||
		       is_sampled(event));
	if (value.exact)
		value.error = number_of(event, "stderr", 0);
	return add(run, &whole_program, text_of(event, "name"), &value);
}

static int add_times(struct runfile *run, const struct tree *time, double runs)
{
	static const struct {
		const char *name;
		const char *spread;
	} times[] = {
		{ "wall_s", "wall_spread" },
		{ "user_s", "user_spread" },
		{ "system_s", "system_spread" },
	};
	int err = 0;

	if (!tree_is(tree_member(time, "native"), TREE_TRUE))
		return 0; /* time under the simulator tells nothing */
	for (size_t i = 0; i < ARRAY_SIZE(times) && !err; i++) {
		const struct tree *spread = tree_member(time, times[i].spread);
		struct run_value value = {
			.value = number_of(time, times[i].name, NAN),
			.stddev = number_of(spread, "stddev", 0),
			.n = spread ? runs : 1,
		};

		err = add(run, &whole_program, times[i].name, &value);
	}
	return err;
}

/* From "good > 1, poor < 0.5", as metrics_threshold() writes it. */
static int better_by(const char *threshold)
{
	const char *good = strstr(threshold, "good ");

	if (!good)
		return 0;
	return good[5] == '>' ? 1 : good[5] == '<' ? -1 : 0;
}

/*
 * A metric that the simulator's counts alone went into is as exact as they are:
 * one that needs a time has no value there.
 */
static int add_metric(struct runfile *run, const struct tree *metric,
		      double runs, bool exact)
{
	struct run_value value = {
		.value = (long double)number_of(metric, "value", NAN),
		.stddev = number_of(metric, "stddev", 0),
		.n = tree_member(metric, "stddev") ? runs : 1,
		.better = better_by(text_of(metric, "threshold")),
		.title = (char *)text_of(metric, "title"),
	};

	value.is_part = run->missing != NULL;
	value.exact = exact && value.stddev == 0;
	if (value.exact)
		value.error = number_of(metric, "stderr", 0);
	return isnan((double)value.value)
		       ? 0
		       : add(run, &whole_program, text_of(metric, "name"),
			     &value);
}

static int add_metrics(struct runfile *run, const struct tree *metrics,
		       double runs)
{
	bool exact = true;
	int err = 0;

	for (size_t i = 0; i < run->n; i++)
		exact = exact && (run->values[i].exact ||
				  isnan((double)run->values[i].value));
	for (size_t i = 0; metrics && i < metrics->n && !err; i++)
		err = add_metric(run, &metrics->items[i], runs, exact);
	return err;
}

/* Not of assay count, but PAPI's regions: to be read again as sections. */
#define LOAD_REGIONS 1

static int from_json(struct runfile *run, const struct tree *root,
		     struct diag *diag)
{
	const struct tree *events = tree_member(root, "events");
	double runs = number_of(root, "runs", 1);
	bool varies = tree_is(tree_member(root, "varies"), TREE_STRING);
	int err;

	if (tree_is(tree_member(root, "threads"), TREE_OBJECT))
		return LOAD_REGIONS;
	if (number_of(root, "assay", 0) != 1 || !tree_is(events, TREE_ARRAY))
		return diag_fail(
			diag, PAPI_EINVAL,
			"%s is JSON, but was not written by assay count",
			run->path);
	err = add_times(run, tree_member(root, "time"), runs);
	for (size_t i = 0; !err && i < events->n; i++)
		err = add_event(run, &events->items[i], runs, varies);
	return err ? err : add_metrics(run, tree_member(root, "metrics"), runs);
}

static int parse_json(struct runfile *run, const char *text, struct diag *diag)
{
	struct tree *root = NULL;
	int err = tree_parse(text, &root, diag);

	if (err == PAPI_EINVAL && diag)
		diag->file = run->path;
	if (!err)
		err = from_json(run, root, diag);
	if (err == PAPI_EBUF)
		err = diag_fail(diag, PAPI_EINVAL, "%s: " TASKFILE_TOO_LARGE,
				run->path);
	tree_free(root);
	return err;
}

/* Performance files. */

struct loading {
	struct runfile *run;
	enum runfile_rows rows;
	bool exact;
	bool several;     /* there are several threads, or tasks */
	long tid, task;   /* of the first row; -1: there was none */
	struct map taken; /* what sections before are called */
};

static int take_head(void *context, const struct task_head *head)
{
	((struct loading *)context)->exact = strcmp(head->pmu, "sim") == 0;
	return 0;
}

static bool is_time(const char *name)
{
	return strcmp(name, "IncSec") == 0 || strcmp(name, "ExcSec") == 0;
}

static bool is_own_row(const struct loading *loading,
		       const struct task_section *section)
{
	return loading->rows == RUNFILE_THREADS && section->task >= 0 &&
	       section->tid >= 0;
}

/* Label and place, for people. */
static char *section_name(const struct loading *loading,
			  const struct task_section *section)
{
	struct strbuf name = { 0 };

	strbuf_add(&name, section->label);
	if (section->file[0])
		strbuf_addf(&name, " (%s:%ld)", section->file,
			    section->line_start);
	if (is_own_row(loading, section))
		strbuf_addf(&name, ", task %ld, thread %ld", section->task,
			    section->tid);
	return strbuf_take(&name);
}

/*
 * What the same section is called in every run: lines move when a program is
 * changed, and folders differ. Those that are called alike are told apart by
 * their order.
 */
static int match_name(struct loading *loading,
		      const struct task_section *section, const char **out)
{
	const char *slash = strrchr(section->file, '/');
	bool own = is_own_row(loading, section);
	char *name = NULL;

	for (int k = 1; !name || map_find(&loading->taken, name, NULL); k++) {
		free(name);
		name = str_format("%s|%s|%s|%ld|%ld|%d", section->label,
				  slash ? slash + 1 : section->file,
				  section->kind, own ? section->task : -1,
				  own ? section->tid : -1, k);
		if (!name)
			return PAPI_ENOMEM;
	}
	*out = texts_take(&loading->run->texts, name);
	return map_set(&loading->taken, *out, 0);
}

/* How many threads a section ran on, and how often. */
static int add_counts(struct loading *loading, const struct place *place,
		      const struct task_datum *datum)
{
	struct run_value value = { .value = datum->value,
				   .n = 1,
				   .exact = true };
	int err = add(loading->run, place, datum->name, &value);

	if (err || !(datum->task_n > 0))
		return err;
	value.value = datum->task_n;
	return add(loading->run, place, "Threads", &value);
}

/*
 * A sum of @count activations varies by sqrt(count) of one, and is taken for a
 * mean of so many: of such as are count times what one is. Without a spread it
 * is one number, of which nothing is known.
 */
static int add_datum(struct loading *loading, const struct place *place,
		     const struct task_datum *datum, double count)
{
	bool varies = !isnan(datum->stddev);
	struct run_value value = {
		.value = datum->value,
		/* threads take turns differently in every run */
		.exact = loading->exact && !(datum->task_n > 1),
		.n = varies ? count : 1,
		.stddev = varies ? datum->stddev * count : 0,
	};

	/* a metric's spread is not known, and time there tells nothing */
	if (datum->formula[0]) {
		value.n = 1;
		value.stddev = 0;
		value.better = datum->dgood > 0 ? 1 : datum->dgood < 0 ? -1 : 0;
	}
	if ((loading->exact && is_time(datum->name)) || isnan(datum->value))
		return 0;
	/* without an exclusive value the reason is why */
	if (!isnan((double)datum->exclusive))
		note_missing(loading->run, &value, datum->reason);
	value.exact = value.exact && !value.is_part;
	return add(loading->run, place, datum->name, &value);
}

/* Whether rows are of more than one thread or task. */
static void note_thread(struct loading *loading,
			const struct task_section *section)
{
	if (loading->tid < 0) {
		loading->tid = section->tid;
		loading->task = section->task;
	}
	loading->several |=
		section->tid != loading->tid || section->task != loading->task;
}

/* Threads take turns differently in every run: what one of several counted is
 * not what it counts the next time. How often it ran a section is. */
static void doubt_rows(const struct loading *loading)
{
	for (size_t i = 0; loading->several && i < loading->run->n; i++)
		if (strcmp(loading->run->values[i].name, "Count") != 0)
			loading->run->values[i].exact = false;
}

static int take_section(void *context, const struct task_section *section)
{
	struct loading *loading = context;
	struct texts *texts = &loading->run->texts;
	struct place place = {
		.section = texts_take(texts, section_name(loading, section)),
		.file = texts_copy(texts, section->file),
		.line = section->line_start,
	};
	double count = 1;
	int err = match_name(loading, section, &place.match);

	note_thread(loading, section);
	for (size_t i = 0; i < section->n && !err; i++) {
		const struct task_datum *datum = &section->data[i];

		if (strcmp(datum->name, "Count") == 0) {
			count = (double)datum->value;
			err = add_counts(loading, &place, datum);
		} else {
			err = add_datum(loading, &place, datum, count);
		}
	}
	return err;
}

/* Threads and tasks together, as a merged file has them. */
static int load_totals(FILE *from, const char *path,
		       const struct taskfile_sink *sink, struct diag *diag)
{
	struct taskfile_merge *merge;
	int err = taskfile_merge_new(&merge);

	if (err)
		return err;
	err = taskfile_merge_read(merge, from, path, diag);
	if (!err)
		err = taskfile_merge_give(merge, sink);
	taskfile_merge_free(merge);
	return err;
}

static int load_sections(struct runfile *run, enum runfile_rows rows,
			 FILE *from, struct diag *diag)
{
	struct loading loading = {
		.run = run, .rows = rows, .tid = -1, .task = -1
	};
	struct taskfile_sink sink = { .context = &loading,
				      .head = take_head,
				      .section = take_section };
	int err = rows == RUNFILE_TOTALS
			  ? load_totals(from, run->path, &sink, diag)
			  : taskfile_read(from, run->path, &sink, diag);

	if (rows == RUNFILE_THREADS)
		doubt_rows(&loading);
	map_fini(&loading.taken);
	return err;
}

static int load_json(struct runfile *run, enum runfile_rows rows, FILE *from,
		     struct diag *diag)
{
	char *text;
	size_t len;
	int err = file_read_stream(from, run->path, &text, &len, diag);
	FILE *again;

	if (err)
		return err;
	err = parse_json(run, text, diag);
	if (err == LOAD_REGIONS) {
		again = fmemopen(text, len, "r");
		err = again ? load_sections(run, rows, again, diag)
			    : PAPI_ENOMEM;
		if (again)
			fclose(again);
	}
	free(text);
	return err;
}

/* By its first character; a pipe cannot be read from the beginning again. */
static int load(struct runfile *run, enum runfile_rows rows, FILE *from,
		struct diag *diag)
{
	int first;

	do
		first = getc(from);
	while (first == ' ' || first == '\n' || first == '\t');
	if (first != EOF)
		ungetc(first, from);
	return first == '<' ? load_sections(run, rows, from, diag)
			    : load_json(run, rows, from, diag);
}

int runfile_load(const char *path, enum runfile_rows rows, struct runfile *out,
		 struct diag *diag)
{
	struct runfile run = { .path = strdup(path) };
	FILE *from;
	int err;

	if (!run.path)
		return diag_fail(diag, PAPI_ENOMEM, "out of memory");
	from = fopen(path, "re");
	if (!from) {
		err = diag_fail(diag, PAPI_ESYS, "cannot read %s: %s", path,
				strerror(errno));
		runfile_fini(&run);
		return err;
	}
	err = load(&run, rows, from, diag);
	fclose(from);
	if (err == PAPI_ENOMEM)
		diag_fail(diag, err, "out of memory");
	if (err) {
		if (diag && diag->file == run.path)
			diag->file = path;
		runfile_fini(&run);
		return err;
	}
	*out = run;
	return 0;
}
