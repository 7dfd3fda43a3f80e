/* SPDX-License-Identifier: BSD-3-Clause */
/* Sections of runs matched by name; the tests are those of diff/compare.h. */
#include "view/view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/strbuf.h"
#include "diff/compare.h"

/* A name that no other section of the run has taken. */
static char *unused_name(const struct map *taken,
			 const struct task_section *section)
{
	const char *slash = strrchr(section->file, '/');
	char *name = NULL;

	for (int k = 1; !name || map_find(taken, name, NULL); k++) {
		free(name);
		name = str_format("%s|%s|%d", section->label,
				  slash ? slash + 1 : section->file, k);
		if (!name)
			return NULL;
	}
	return name;
}

struct naming {
	struct view_run *run;
	struct map taken;
	size_t section;
};

static int name_section(void *context, const struct task_section *section)
{
	struct naming *n = context;
	struct view_section *s = &n->run->sections[n->section++];

	s->match = texts_take(&n->run->texts, unused_name(&n->taken, section));
	return n->run->texts.failed ? PAPI_ENOMEM
				    : map_set(&n->taken, s->match, 0);
}

int view_match_sections(struct view *v)
{
	int err = 0;

	for (size_t i = 0; !err && i < v->n_runs; i++) {
		struct naming n = { .run = v->runs[i] };
		struct taskfile_sink sink = { .context = &n,
					      .section = name_section };

		err = taskfile_merge_give(v->runs[i]->merge, &sink);
		map_fini(&n.taken);
	}
	return err;
}

/* A run as what compare_runs() takes. */
struct collecting {
	const struct view_run *run;
	struct runfile *to;
	bool exact;
	size_t section;
};

static int take_head(void *context, const struct task_head *head)
{
	((struct collecting *)context)->exact = strcmp(head->pmu, "sim") == 0;
	return 0;
}

static bool is_time(const char *name)
{
	return strcmp(name, "IncSec") == 0 || strcmp(name, "ExcSec") == 0;
}

/*
 * A sum of n parts varies by sqrt(n) of one, and is taken for a mean of n: of
 * such as are n times what one is. The parts are tasks and threads
 * if there are several, else the activations of the only one; of a metric
 * nothing is known. Of a whole program the value is a mean of runs already,
 * and how they vary is known of its metrics too.
 */
static void add_spread(struct run_value *value, const struct task_datum *datum,
		       double count, bool is_mean)
{
	value->n = 1;
	if (is_mean && !(datum->task_n > 1)) {
		value->n = count;
		value->stddev = isnan(datum->stddev) ? 0 : datum->stddev;
		return;
	}
	if (datum->formula[0])
		return;
	if (datum->task_n > 1) {
		value->n = datum->task_n;
		value->stddev = datum->task_stddev * datum->task_n;
	} else if (!isnan(datum->stddev) && count > 1) {
		value->n = count;
		value->stddev = datum->stddev * count;
	}
}

static int add_value(struct collecting *c, const struct task_section *section,
		     const struct task_datum *datum, double count)
{
	struct runfile *to = c->to;
	struct run_value value = {
		.section = c->run->sections[c->section].match,
		.name = texts_copy(&to->texts, datum->name),
		.value = datum->value,
		.exact = c->exact,
	};

	add_spread(&value, datum, count,
		   strcmp(section->kind, TASKFILE_PROGRAM) == 0);
	return array_add(to->values, to->n, value) ? PAPI_ENOMEM
						   : texts_error(&to->texts);
}

static int take_section(void *context, const struct task_section *section)
{
	struct collecting *c = context;
	double count = 1;
	int err = 0;

	for (size_t i = 0; !err && i < section->n; i++) {
		if (strcmp(section->data[i].name, "Count") == 0)
			count = (double)section->data[i].value;
		/* a simulator's time says nothing about the program */
		if (c->exact && is_time(section->data[i].name))
			continue;
		err = add_value(c, section, &section->data[i], count);
	}
	c->section++;
	return err;
}

static int collect(const struct view_run *run, struct runfile *to)
{
	struct collecting c = { .run = run, .to = to };
	struct taskfile_sink sink = { .context = &c,
				      .head = take_head,
				      .section = take_section };
	int err = taskfile_merge_give(run->merge, &sink);

	if (err)
		runfile_fini(to);
	return err;
}

static const char *const result_names[] = {
	[COMPARE_SAME] = "same",
	[COMPARE_DIFFERENT] = "different",
	[COMPARE_UNRESOLVED] = "unresolved",
	[COMPARE_ONE_SIDED] = "one-sided",
};

static void put_comparison(const struct comparison *c, size_t b, struct json *j)
{
	json_object(j, NULL);
	json_unsigned(j, "run", b);
	json_array(j, "rows");
	for (size_t i = 0; i < c->n; i++) {
		const struct compare_row *row = &c->rows[i];

		json_cells(j, "%s %s %s %g %g %g", row->section, row->name,
			   result_names[row->result], row->percent, row->low,
			   row->high);
	}
	json_end_array(j);
	json_end_object(j);
}

static int compare_with_first(const struct view *v, const struct runfile *first,
			      size_t b, struct json *j)
{
	struct runfile other = { 0 };
	struct comparison c;
	int err = collect(v->runs[b], &other);

	if (err)
		return err;
	err = compare_runs(first, &other, NULL, 0, &c);
	if (!err) {
		put_comparison(&c, b, j);
		comparison_fini(&c);
	}
	runfile_fini(&other);
	return err;
}

int view_compare_json(const struct view *v, struct json *j)
{
	struct runfile first = { 0 };
	int err;

	if (v->n_runs < 2)
		return 0;
	err = collect(v->runs[0], &first);
	if (err)
		return err;
	json_array(j, "compare");
	for (size_t i = 1; !err && i < v->n_runs; i++)
		err = compare_with_first(v, &first, i, j);
	json_end_array(j);
	runfile_fini(&first);
	return err;
}
