/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/runfile.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/strbuf.h"
#include "base/tree.h"
#include "report/taskfile.h"

void runfile_fini(struct runfile *run)
{
	while (run->n > 0) {
		struct run_value *value = &run->values[--run->n];

		free(value->section);
		free(value->name);
	}
	free(run->values);
	free(run->path);
	*run = (struct runfile){ 0 };
}

/* Takes @section and keeps it, or frees it. */
static int add(struct runfile *run, char *section, const char *name,
	       const struct run_value *numbers)
{
	struct run_value value = *numbers;

	value.section = section;
	value.name = strdup(name);
	if (!section || !value.name ||
	    array_grow(&run->values, run->n, sizeof(value))) {
		free(section);
		free(value.name);
		return PAPI_ENOMEM;
	}
	run->values[run->n++] = value;
	return 0;
}

/* The JSON of `assay count`. */

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

static int add_event(struct runfile *run, const struct tree *event, double runs)
{
	struct run_value value = {
		.value = number_of(event, "value", NAN),
		.stddev = number_of(event, "stddev", 0),
		.n = runs,
		.exact = strcmp(text_of(event, "source"), "sim") == 0 &&
			 strcmp(text_of(event, "quality"), "counted") == 0,
	};

	return add(run, strdup(""), text_of(event, "name"), &value);
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
	return add(run, strdup(""), "wall_s", &value);
}

/* Not of assay count, but PAPI's regions: to be read again as sections. */
#define LOAD_REGIONS 1

static int from_json(struct runfile *run, const struct tree *root,
		     struct diag *diag)
{
	const struct tree *events = tree_member(root, "events");
	double runs = number_of(root, "runs", 1);
	int err;

	if (tree_is(tree_member(root, "threads"), TREE_OBJECT))
		return LOAD_REGIONS;
	if (number_of(root, "assay", 0) != 1 || !tree_is(events, TREE_ARRAY))
		return diag_fail(diag, PAPI_EINVAL,
				 "%s is JSON, but not of assay count",
				 run->path);
	err = add_wall(run, tree_member(root, "time"), runs);
	for (size_t i = 0; !err && i < events->n; i++)
		err = add_event(run, &events->items[i], runs);
	return err;
}

static int load_json(struct runfile *run, FILE *from, struct diag *diag)
{
	struct strbuf text = { 0 };
	struct tree *root = NULL;
	char chunk[8192];
	size_t n;
	int err;

	while ((n = fread(chunk, 1, sizeof(chunk), from)) > 0)
		strbuf_addn(&text, chunk, n);
	err = tree_parse(strbuf_text(&text), &root, diag);
	if (err && diag)
		diag->file = run->path;
	if (!err)
		err = from_json(run, root, diag);
	tree_free(root);
	strbuf_fini(&text);
	return err;
}

/* Performance files. */

struct loading {
	struct runfile *run;
	bool exact;
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

static char *section_name(const struct task_section *section)
{
	if (!section->file[0])
		return strdup(section->label);
	return str_format("%s (%s:%ld)", section->label, section->file,
			  section->line_start);
}

static int take_section(void *context, const struct task_section *section)
{
	struct loading *loading = context;
	double count = 1;

	for (size_t i = 0; i < section->n; i++) {
		const struct task_datum *datum = &section->data[i];
		struct run_value value = {
			.value = datum->value,
			.exact = loading->exact,
			.n = count,
			/* a sum of n activations varies by sqrt(n) of one */
			.stddev = isnan(datum->stddev)
					  ? 0
					  : datum->stddev * sqrt(count),
		};
		char *where = section_name(section);
		int err;

		if (strcmp(datum->name, "Count") == 0)
			count = datum->value;
		/* of a metric's spread nothing is known */
		if (loading->exact ? is_time(datum->name)
				   : datum->formula[0] != 0) {
			free(where);
			continue;
		}
		err = add(loading->run, where, datum->name, &value);
		if (err)
			return err;
	}
	return 0;
}

static int load_sections(struct runfile *run, FILE *from, struct diag *diag)
{
	struct loading loading = { .run = run };
	struct taskfile_sink sink = { .context = &loading,
				      .head = take_head,
				      .section = take_section };

	return taskfile_read(from, run->path, &sink, diag);
}

int runfile_load(const char *path, struct runfile *out, struct diag *diag)
{
	struct runfile run = { .path = strdup(path) };
	FILE *from;
	int first, err;

	if (!run.path)
		return diag_fail(diag, PAPI_ENOMEM, "out of memory");
	from = fopen(path, "re");
	if (!from) {
		err = diag_fail(diag, PAPI_ESYS, "cannot read %s: %s", path,
				strerror(errno));
		runfile_fini(&run);
		return err;
	}
	do
		first = getc(from);
	while (first == ' ' || first == '\n' || first == '\t');
	rewind(from);
	err = first == '<' ? load_sections(&run, from, diag)
			   : load_json(&run, from, diag);
	if (err == LOAD_REGIONS) {
		rewind(from);
		err = load_sections(&run, from, diag);
	}
	fclose(from);
	if (err) {
		if (diag && diag->file == run.path)
			diag->file = path;
		runfile_fini(&run);
		return err;
	}
	*out = run;
	return 0;
}

const struct run_value *runfile_find(const struct runfile *run,
				     const char *section, const char *name)
{
	for (size_t i = 0; i < run->n; i++)
		if (strcmp(run->values[i].name, name) == 0 &&
		    strcmp(run->values[i].section, section) == 0)
			return &run->values[i];
	return NULL;
}
