/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The table is held until all of it is known: a row may bring a column that
 * those before it lack. A value inside a nested object has the names of both,
 * "pmu.kind"; the values of a list stand in one field, separated by "; ". Other
 * tables, inside a row or beside it, have no place in this one.
 */
#include "write/csv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/err.h"
#include "base/strbuf.h"
#include "write/document.h"
#include "write/number.h"

void csv_put_field(const char *text, FILE *to)
{
	if (!text)
		return;
	if (!strpbrk(text, ",\"\r\n")) {
		fputs(text, to);
		return;
	}
	putc('"', to);
	for (; *text; text++) {
		if (*text == '"')
			putc('"', to);
		putc(*text, to);
	}
	putc('"', to);
}

void csv_put_next(const char *text, FILE *to)
{
	putc(',', to);
	csv_put_field(text, to);
}

void csv_put_number(long double value, FILE *to)
{
	char text[NUMBER_ROOM];

	csv_put_next(isfinite(value) ? number_exact(text, value) : NULL, to);
}

struct cell {
	size_t row, column;
	char *text;
};

struct csv {
	char **columns;
	size_t n_columns;
	struct cell *cells;
	size_t n_cells;
	size_t rows;
	struct strbuf name;        /* of the level, as "pmu." */
	size_t before[JSON_DEPTH]; /* its length outside each level */
	size_t depth;
	size_t row_depth; /* the depth of a row's values */
	size_t other;     /* the depth at which another table's row began */
	bool has_table;   /* so values elsewhere are no part of it */
	bool failed;      /* there was no memory */
};

static void forget(struct csv *csv)
{
	for (size_t i = 0; i < csv->n_cells; i++)
		free(csv->cells[i].text);
	for (size_t i = 0; i < csv->n_columns; i++)
		free(csv->columns[i]);
	csv->n_cells = csv->n_columns = csv->rows = 0;
}

static bool is_inside(const struct csv *csv)
{
	return csv->row_depth > 0 && csv->depth >= csv->row_depth &&
	       csv->other == 0;
}

static void begin_level(void *context, const char *name, bool is_table)
{
	struct csv *csv = context;

	csv->before[csv->depth++] = csv->name.len;
	if (is_table) {
		forget(csv);
		csv->has_table = true;
		csv->row_depth = csv->depth + 1;
	} else if (csv->row_depth == 0 && !csv->has_table) {
		csv->row_depth = csv->depth; /* the document is the row */
		csv->rows = 1;
	} else if (csv->has_table && csv->depth == csv->row_depth) {
		csv->rows++;
	} else if (is_inside(csv) && !name) {
		csv->other = csv->depth;
	} else if (is_inside(csv)) {
		strbuf_addf(&csv->name, "%s.", name);
	}
}

static void end_level(void *context)
{
	struct csv *csv = context;

	if (csv->other == csv->depth)
		csv->other = 0;
	csv->depth--;
	strbuf_cut(&csv->name, csv->before[csv->depth]);
	if (csv->has_table && csv->depth + 1 < csv->row_depth)
		csv->row_depth = 0; /* the table is over */
}

/* The place of the column that @csv->name and @name stand for. */
static size_t column_of(struct csv *csv, const char *name)
{
	size_t outer = csv->name.len;
	char *full =
		name ? str_format("%s%s", strbuf_text(&csv->name), name)
		     : strndup(strbuf_text(&csv->name), outer ? outer - 1 : 0);

	for (size_t i = 0; full && i < csv->n_columns; i++)
		if (strcmp(csv->columns[i], full) == 0) {
			free(full);
			return i;
		}
	if (!full || array_grow(&csv->columns, csv->n_columns, sizeof(full))) {
		free(full);
		csv->failed = true;
		return 0;
	}
	csv->columns[csv->n_columns] = full;
	return csv->n_columns++;
}

/* The field of the same row and column, if it came last: a list's. */
static struct cell *same_field(struct csv *csv, size_t column)
{
	struct cell *last = csv->n_cells ? &csv->cells[csv->n_cells - 1] : NULL;

	return last && last->row == csv->rows && last->column == column ? last
									: NULL;
}

static void add_value(void *context, const char *name, const char *text)
{
	struct csv *csv = context;
	struct cell cell = { .row = csv->rows }, *same;

	if (!is_inside(csv) || csv->failed)
		return;
	cell.column = column_of(csv, name);
	if (csv->failed || !text)
		return;
	same = same_field(csv, cell.column);
	cell.text =
		same ? str_format("%s; %s", same->text, text) : strdup(text);
	if (!cell.text ||
	    (!same && array_grow(&csv->cells, csv->n_cells, sizeof(cell)))) {
		free(cell.text);
		csv->failed = true;
		return;
	}
	if (same)
		free(same->text);
	else
		same = &csv->cells[csv->n_cells++];
	*same = cell;
}

/* @cells are those of one row. */
static void put_row(const struct csv *csv, const struct cell *cells, size_t n,
		    FILE *to)
{
	for (size_t c = 0; c < csv->n_columns; c++) {
		const char *text = NULL;

		for (size_t i = 0; i < n; i++)
			if (cells[i].column == c)
				text = cells[i].text;
		if (c)
			putc(',', to);
		csv_put_field(text, to);
	}
	fputs("\r\n", to);
}

static void put_table(const struct csv *csv, FILE *to)
{
	size_t at = 0;

	for (size_t c = 0; c < csv->n_columns; c++) {
		if (c)
			putc(',', to);
		csv_put_field(csv->columns[c], to);
	}
	fputs("\r\n", to);
	for (size_t row = 1; row <= csv->rows; row++) {
		size_t n = 0;

		while (at + n < csv->n_cells && csv->cells[at + n].row == row)
			n++;
		put_row(csv, csv->cells + at, n, to);
		at += n;
	}
}

int document_write_csv(describe_fn describe, const void *what, FILE *to)
{
	static const struct json_listener listener = { begin_level, end_level,
						       add_value };
	struct csv csv = { 0 };
	struct json j;
	int err;

	json_listen(&j, &listener, &csv);
	json_object(&j, NULL);
	err = describe(what, &j);
	json_end_object(&j);
	if (!err && csv.failed)
		err = PAPI_ENOMEM;
	if (!err)
		put_table(&csv, to);
	forget(&csv);
	free(csv.columns);
	free(csv.cells);
	strbuf_fini(&csv.name);
	if (err)
		return err;
	return fflush(to) || ferror(to) ? PAPI_ESYS : 0;
}
