/* SPDX-License-Identifier: BSD-3-Clause */
/* assay metrics list and groups: what there is, shipped and given. */

#include <papi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "console/console.h"
#include "metricfile/metricfile.h"
#include "write/document.h"
#include "write/style.h"

static const char *field(const struct metric *metric, enum def_key key)
{
	const char *text = def_field(metric->def, key);

	return text ? text : "";
}

#define NAME_COLUMNS 28

/* What it is, and what is good and poor: on one line if they fit. */
static void put_meaning(const struct report_style *style, const char *text,
			const char *bounds, FILE *to)
{
	size_t used = NAME_COLUMNS + style_columns(text);
	bool fits = used + 2 + style_columns(bounds) <= style->width;

	if (*bounds && fits)
		fputs(text, to);
	else
		style_wrap(style, text, NAME_COLUMNS, NAME_COLUMNS, to);
	if (*bounds)
		fprintf(to, "%*s%s%s%s\n", fits ? 2 : NAME_COLUMNS, "",
			style_on(style, INK_DIM), bounds, style_off(style));
}

static void put_metric(const struct report_style *style,
		       const struct metric *metric, FILE *to)
{
	const struct def *def = metric->def;
	const char *unit = field(metric, KEY_UNIT);
	OWNED char *bounds = metrics_threshold(def);
	STRBUF(text);

	strbuf_addf(&text, "%s%s%s%s", field(metric, KEY_SDESC),
		    *unit ? " [" : "", unit, *unit ? "]" : "");
	fprintf(to, "  %-*s ", NAME_COLUMNS - 3, def->name);
	put_meaning(style, strbuf_text(&text), bounds ? bounds : "", to);
	if (style->verbose && def->formula)
		fprintf(to, "    %s= %s%s\n", style_on(style, INK_DIM),
			def->formula, style_off(style));
}

static int list_text(const void *what, const struct report_style *style,
		     FILE *to)
{
	const struct metrics *m = what;

	for (size_t f = 0; f < m->n; f++) {
		const struct metric_file *file = &m->files[f];

		if (file->set->n == 0)
			continue;
		style_heading(style, file->name, to);
		for (size_t i = 0; i < file->set->n; i++)
			put_metric(style, &file->set->metrics[i], to);
	}
	return ferror(to) ? PAPI_ESYS : 0;
}

static void put_optional(struct json *j, const char *name, const char *text)
{
	json_string(j, name, text && *text ? text : NULL);
}

static void put_json_metric(struct json *j, const struct metric_file *file,
			    const struct metric *metric)
{
	const struct def *def = metric->def;

	json_row(j, NULL);
	json_string(j, "name", def->name);
	json_string(j, "file", file->name);
	put_optional(j, "category", def_field(def, KEY_CATEGORY));
	put_optional(j, "description", def_field(def, KEY_SDESC));
	json_string(j, "unit", field(metric, KEY_UNIT));
	put_optional(j, "good", def_field(def, KEY_GOOD));
	put_optional(j, "bad", def_field(def, KEY_BAD));
	json_string(j, "formula", def->formula);
	json_list(j, "needs");
	for (size_t k = 0; k < metric->n_slots; k++)
		json_string(j, NULL, file->set->names.names[metric->slots[k]]);
	json_end_array(j);
	json_end_object(j);
}

static int list_describe(const void *what, struct json *j)
{
	const struct metrics *m = what;

	json_table(j, "metrics");
	for (size_t f = 0; f < m->n; f++)
		for (size_t i = 0; i < m->files[f].set->n; i++)
			put_json_metric(j, &m->files[f],
					&m->files[f].set->metrics[i]);
	json_end_array(j);
	return 0;
}

/* How many metrics a group has. */
static size_t size_of(const struct metrics *m, const char *group)
{
	size_t n = 0;

	for (size_t f = 0; f < m->n; f++)
		for (size_t i = 0; i < m->files[f].set->n; i++)
			n += metrics_in_group(&m->files[f], i, group);
	return n;
}

typedef void (*group_fn)(void *context, const char *group, size_t metrics);

static int each_group(const struct metrics *m, group_fn give, void *context)
{
	OWNED char *names = metrics_group_names(m);
	char *rest = names, *name;

	if (!names)
		return PAPI_ENOMEM;
	while ((name = strsep(&rest, ",")) != NULL) {
		name += strspn(name, " ");
		if (size_of(m, name) > 0)
			give(context, name, size_of(m, name));
	}
	return 0;
}

static void put_group_text(void *context, const char *group, size_t metrics)
{
	fprintf(context, "  %-20s %4zu metric%s\n", group, metrics,
		metrics == 1 ? "" : "s");
}

static int groups_text(const void *what, const struct report_style *style,
		       FILE *to)
{
	int err = each_group(what, put_group_text, to);

	(void)style;
	return err ? err : ferror(to) ? PAPI_ESYS : 0;
}

static void put_group_json(void *context, const char *group, size_t metrics)
{
	struct json *j = context;

	json_row_of(j, NULL, "name %s, metrics %zu", group, metrics);
}

static int groups_describe(const void *what, struct json *j)
{
	int err;

	json_table(j, "groups");
	err = each_group(what, put_group_json, j);
	json_end_array(j);
	return err;
}

/* What is shipped, after the files in @argv. */
static int open_all(const struct metrics_call *call, int argc, char **argv,
		    struct metrics *m)
{
	struct diag diag = { .text = "" };
	char pmu[64];
	int status = metrics_pmu_name(call, pmu, sizeof(pmu));
	int err = 0;

	for (int i = 0; !status && !err && i < argc; i++)
		err = metrics_load(m, argv[i], pmu, &diag);
	if (!status && !err)
		err = metrics_init(m, pmu, &diag);
	return err ? metrics_say_fault(call->console, err, NULL, &diag)
		   : status;
}

static int show(const struct metrics_call *call, int argc, char **argv,
		const struct format *formats)
{
	const struct format *format = output_format(&call->output, formats);
	struct metrics m = { 0 };
	int status;

	if (!format)
		return CMD_USAGE;
	status = open_all(call, argc, argv, &m);
	if (!status)
		status = output_write_as(&call->output, format, &m, stdout,
					 CMD_OK);
	metrics_fini(&m);
	return status;
}

int metrics_list(const struct metrics_call *call, int argc, char **argv)
{
	static const struct format formats[] = {
		FORMAT("text", ".txt", list_text),
		DATA_FORMATS(list_describe),
		{ 0 },
	};

	return show(call, argc, argv, formats);
}

int metrics_groups(const struct metrics_call *call, int argc, char **argv)
{
	static const struct format formats[] = {
		FORMAT("text", ".txt", groups_text),
		DATA_FORMATS(groups_describe),
		{ 0 },
	};

	return show(call, argc, argv, formats);
}
