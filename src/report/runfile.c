/* SPDX-License-Identifier: BSD-3-Clause */
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
	while (run->n > 0) {
		struct run_value *value = &run->values[--run->n];

		free(value->section);
		free(value->match);
		free(value->file);
		free(value->name);
	}
	free(run->values);
	free(run->path);
	*run = (struct runfile){ 0 };
}

/* Where a value belongs. */
struct place {
	const char *section;
	const char *match;
	const char *file; /* "" if not known */
	long line;
};

static int add(struct runfile *run, const struct place *place, const char *name,
	       const struct run_value *numbers)
{
	struct run_value value = *numbers;

	value.section = strdup(place->section);
	value.match = strdup(place->match);
	value.file = strdup(place->file);
	value.line = place->line;
	value.name = strdup(name);
	if (!value.section || !value.match || !value.file || !value.name ||
	    array_grow(&run->values, run->n, sizeof(value))) {
		free(value.section);
		free(value.match);
		free(value.file);
		free(value.name);
		return PAPI_ENOMEM;
	}
	run->values[run->n++] = value;
	return 0;
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

/* As it is written: a double does not have all counts above 2^53. */
static long double count_of(const struct tree *number)
{
	double near = tree_number(number);
	char *end;
	unsigned long long whole;

	if (isnan(near) || !number->text)
		return (long double)near;
	errno = 0;
	whole = strtoull(number->text, &end, 10);
	return near >= 0 && !errno && *end == '\0' ? (long double)whole
						   : (long double)near;
}

/*
 * @varies: the simulator saw something that may differ from run to run. Where
 * runs did differ, it did.
 */
static int add_event(struct runfile *run, const struct tree *event, double runs,
		     bool varies)
{
	struct run_value value = {
		.value = count_of(tree_member(event, "value")),
		.stddev = number_of(event, "stddev", 0),
		.n = runs,
	};

	value.exact = !varies && value.stddev == 0 &&
		      strcmp(text_of(event, "source"), "sim") == 0 &&
		      strcmp(text_of(event, "quality"), "counted") == 0;
	return add(run, &whole_program, text_of(event, "name"), &value);
}

static int add_wall(struct runfile *run, const struct tree *time, double runs)
{
	const struct tree *spread = tree_member(time, "wall_spread");
	struct run_value value = {
		.value = number_of(time, "wall_s", NAN),
		.stddev = number_of(spread, "stddev", 0),
		.n = runs,
	};

	if (!tree_is(tree_member(time, "native"), TREE_TRUE))
		return 0; /* time under the simulator tells nothing */
	return add(run, &whole_program, "wall_s", &value);
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
	err = add_wall(run, tree_member(root, "time"), runs);
	for (size_t i = 0; !err && i < events->n; i++)
		err = add_event(run, &events->items[i], runs, varies);
	return err;
}

static int parse_json(struct runfile *run, const char *text, struct diag *diag)
{
	struct tree *root = NULL;
	int err = tree_parse(text, &root, diag);

	if (err == PAPI_EINVAL && diag)
		diag->file = run->path;
	if (!err)
		err = from_json(run, root, diag);
	tree_free(root);
	return err;
}

/* Performance files. */

struct loading {
	struct runfile *run;
	enum runfile_rows rows;
	bool exact;
	struct map taken; /* what sections before are called */
	char **names;     /* its keys */
	size_t n_names;
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
	if (array_grow(&loading->names, loading->n_names, sizeof(name)) ||
	    map_set(&loading->taken, name, 0)) {
		free(name);
		return PAPI_ENOMEM;
	}
	loading->names[loading->n_names++] = name;
	*out = name;
	return 0;
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

	/* of a metric's spread nothing is known */
	if (loading->exact ? is_time(datum->name) : datum->formula[0] != 0)
		return 0;
	return add(loading->run, place, datum->name, &value);
}

static int take_section(void *context, const struct task_section *section)
{
	struct loading *loading = context;
	char *name = section_name(loading, section);
	struct place place = { .section = name,
			       .file = section->file,
			       .line = section->line_start };
	double count = 1;
	int err =
		name ? match_name(loading, section, &place.match) : PAPI_ENOMEM;

	for (size_t i = 0; i < section->n && !err; i++) {
		const struct task_datum *datum = &section->data[i];

		if (strcmp(datum->name, "Count") == 0) {
			count = (double)datum->value;
			err = add_counts(loading, &place, datum);
		} else {
			err = add_datum(loading, &place, datum, count);
		}
	}
	free(name);
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
	struct loading loading = { .run = run, .rows = rows };
	struct taskfile_sink sink = { .context = &loading,
				      .head = take_head,
				      .section = take_section };
	int err = rows == RUNFILE_TOTALS
			  ? load_totals(from, run->path, &sink, diag)
			  : taskfile_read(from, run->path, &sink, diag);

	map_fini(&loading.taken);
	while (loading.n_names > 0)
		free(loading.names[--loading.n_names]);
	free(loading.names);
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
