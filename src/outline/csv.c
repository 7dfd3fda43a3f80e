/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sections as CSV: one row a number of a section. A section is named by its
 * path, the labels around it with slashes between. Empty means no value. With
 * --per-thread, rows of single ranks and threads follow each section's own.
 */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/strbuf.h"
#include "outline/outline.h"
#include "write/csv.h"
#include "write/document.h"

static void add_path(const struct outline *o, const struct outline_node *node,
		     struct strbuf *path)
{
	const struct outline_node *around[64];
	size_t n = 0;

	for (; n < ARRAY_SIZE(around); node = &o->nodes[node->parent]) {
		around[n++] = node;
		if (node->parent < 0)
			break;
	}
	while (n > 0) {
		strbuf_add(path, around[--n]->section.label);
		if (n > 0)
			strbuf_add(path, "/");
	}
}

/* What every row of a section begins with. */
static void put_place(const struct outline *o, const struct outline_node *node,
		      const char *path, FILE *to)
{
	const struct task_section *s = &node->section;

	csv_put_field(o->run->name, to);
	csv_put_next(path, to);
	csv_put_next(s->kind, to);
	csv_put_next(s->file, to);
	csv_put_number(s->file[0] ? (double)s->line_start : NAN, to);
}

static void put_datum(const struct outline *o, const struct outline_node *node,
		      const char *path, const struct task_datum *d, FILE *to)
{
	put_place(o, node, path, to);
	fputs(",,", to);
	csv_put_next(d->name, to);
	csv_put_next(taskfile_kind(d), to);
	csv_put_number(d->value, to);
	csv_put_number(d->exclusive, to);
	csv_put_next(d->unit, to);
	csv_put_next(d->verdict, to);
	csv_put_number(d->task_mean, to);
	csv_put_number(d->task_stddev, to);
	csv_put_number(d->task_min, to);
	csv_put_number(d->task_max, to);
	csv_put_next(d->reason, to);
	fputs("\r\n", to);
}

static void put_row(const struct outline *o, const struct outline_node *node,
		    const char *path, const struct view_row *row, FILE *to)
{
	for (size_t i = 0; i < row->n && i < o->run->n_columns; i++) {
		if (isnan(row->values[i]))
			continue;
		put_place(o, node, path, to);
		csv_put_number(row->task < 0 ? NAN : (double)row->task, to);
		csv_put_number(row->thread < 0 ? NAN : (double)row->thread, to);
		csv_put_next(o->run->columns[i], to);
		putc(',', to);
		csv_put_number(row->values[i], to);
		fputs(",,,,,,,,\r\n", to);
	}
}

static int put_node(const struct outline *o, const struct outline_node *node,
		    FILE *to)
{
	struct strbuf sb = { 0 };
	OWNED char *path = NULL;

	add_path(o, node, &sb);
	path = strbuf_take(&sb);
	if (!path)
		return PAPI_ENOMEM;
	for (size_t i = 0; i < node->section.n; i++)
		put_datum(o, node, path, &node->section.data[i], to);
	for (size_t i = 0; o->options->per_thread && i < node->rows->n; i++)
		put_row(o, node, path, &node->rows->rows[i], to);
	return 0;
}

int outline_write_csv(const void *report, const struct report_style *style,
		      FILE *to)
{
	const struct outline_report *r = report;
	int err = 0;

	(void)style;
	fputs("run,section,kind,file,line,rank,thread,name,what,inclusive,"
	      "exclusive,unit,verdict,mean,stddev,min,max,reason\r\n",
	      to);
	for (size_t i = 0; i < r->n; i++)
		for (size_t k = 0; k < r->outlines[i].n && !err; k++)
			if (!r->outlines[i].nodes[k].hidden)
				err = put_node(&r->outlines[i],
					       &r->outlines[i].nodes[k], to);
	if (!err && ferror(to))
		err = PAPI_ESYS;
	return err;
}

const struct format outline_formats[] = {
	FORMAT("text", ".txt", outline_write_text),
	DATA_FORMATS(outline_describe),
	FORMAT("csv", ".csv", outline_write_csv),
	{ 0 },
};
