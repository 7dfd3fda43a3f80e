/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * All is held until the end: a row may bring a column that those before it
 * lack. A value inside a nested object has the names of both, "pmu.kind"; the
 * values of a list stand in one cell, separated by "; ". Other tables, inside
 * a row or beside it, have no place here.
 */
#include "write/rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/err.h"
#include "base/strbuf.h"
#include "write/json.h"

/* What is known while a description is listened to. */
struct listening {
	struct rows_document *out;
	struct rows *rows;         /* those that values are added to */
	struct strbuf name;        /* of the level, as "pmu." */
	size_t before[JSON_DEPTH]; /* its length outside each level */
	size_t depth;
	size_t table; /* the depth of the table's rows; 0: outside it */
	size_t other; /* the depth at which another table's row began */
	bool failed;  /* there was no memory */
};

static void free_rows(struct rows *rows)
{
	for (size_t i = 0; i < rows->n_cells; i++)
		free(rows->cells[i].text);
	for (size_t i = 0; i < rows->n_columns; i++)
		free(rows->columns[i]);
	free(rows->cells);
	free(rows->columns);
	*rows = (struct rows){ 0 };
}

static void begin_level(void *context, const char *name, bool is_table)
{
	struct listening *l = context;

	l->before[l->depth++] = l->name.len;
	if (is_table) {
		l->table = l->depth + 1;
		l->rows = &l->out->table;
		free_rows(l->rows); /* the last one is the result */
		l->out->table_name = name;
	} else if (l->depth == 1) {
		l->rows->n = 1; /* the document itself is a row */
	} else if (l->depth == l->table) {
		l->rows->n++;
	} else if (l->other == 0 && !name) {
		l->other = l->depth;
	} else if (l->other == 0) {
		strbuf_addf(&l->name, "%s.", name);
	}
}

static void end_level(void *context)
{
	struct listening *l = context;

	if (l->other == l->depth)
		l->other = 0;
	l->depth--;
	strbuf_cut(&l->name, l->before[l->depth]);
	if (l->table && l->depth + 1 < l->table) {
		l->table = 0; /* it is over */
		l->rows = &l->out->head;
	}
}

/* The place of the column that the level's name and @name stand for. */
static size_t column_of(struct listening *l, const char *name)
{
	struct rows *rows = l->rows;
	size_t outer = l->name.len;
	char *full =
		name ? str_format("%s%s", strbuf_text(&l->name), name)
		     : strndup(strbuf_text(&l->name), outer ? outer - 1 : 0);

	for (size_t i = 0; full && i < rows->n_columns; i++)
		if (strcmp(rows->columns[i], full) == 0) {
			free(full);
			return i;
		}
	if (!full ||
	    array_grow(&rows->columns, rows->n_columns, sizeof(full))) {
		free(full);
		l->failed = true;
		return 0;
	}
	rows->columns[rows->n_columns] = full;
	return rows->n_columns++;
}

/* The field of the same row and column, if it came last: a list's. */
static struct rows_cell *same_field(const struct rows *rows, size_t column)
{
	struct rows_cell *last =
		rows->n_cells ? &rows->cells[rows->n_cells - 1] : NULL;

	return last && last->row == rows->n && last->column == column ? last
								      : NULL;
}

static void add_value(void *context, const char *name, const char *text)
{
	struct listening *l = context;
	struct rows *rows = l->rows;
	struct rows_cell cell = { .row = rows->n }, *same;

	if (l->other || l->failed)
		return;
	cell.column = column_of(l, name);
	if (l->failed || !text)
		return;
	same = same_field(rows, cell.column);
	cell.text =
		same ? str_format("%s; %s", same->text, text) : strdup(text);
	if (!cell.text ||
	    (!same && array_grow(&rows->cells, rows->n_cells, sizeof(cell)))) {
		free(cell.text);
		l->failed = true;
		return;
	}
	if (same)
		free(same->text);
	else
		same = &rows->cells[rows->n_cells++];
	*same = cell;
}

int rows_collect(describe_fn describe, const void *what,
		 struct rows_document *out)
{
	static const struct json_listener listener = { begin_level, end_level,
						       add_value };
	struct listening l = { .out = out, .rows = &out->head };
	struct json j;
	int err;

	json_listen(&j, &listener, &l);
	json_object(&j, NULL);
	err = describe(what, &j);
	json_end_object(&j);
	strbuf_fini(&l.name);
	if (!err && l.failed)
		err = PAPI_ENOMEM;
	if (err)
		rows_fini(out);
	return err;
}

const char *rows_text(const struct rows *rows, size_t row, size_t column,
		      size_t *at)
{
	const char *text = NULL;

	while (*at < rows->n_cells && rows->cells[*at].row < row)
		++*at;
	for (size_t i = *at; i < rows->n_cells && rows->cells[i].row == row;
	     i++)
		if (rows->cells[i].column == column)
			text = rows->cells[i].text;
	return text;
}

void rows_fini(struct rows_document *d)
{
	free_rows(&d->head);
	free_rows(&d->table);
}
