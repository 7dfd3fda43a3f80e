/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a result's description comes to as rows and columns: the values of the
 * document itself, and its table. Formats that are tables are made of this.
 */
#pragma once

#include <stddef.h>

#include "write/format.h"

struct rows_cell {
	size_t row; /* from 1 on, ascending */
	size_t column;
	char *text;
};

struct rows {
	char **columns; /* names */
	size_t n_columns;
	struct rows_cell *cells; /* those that have a value */
	size_t n_cells;
	size_t n;
};

struct rows_document {
	struct rows head;       /* one row: what is not in the table */
	struct rows table;      /* json_table() of the description */
	const char *table_name; /* NULL: it has none */
};

/* 0, PAPI_ENOMEM, or what @describe gave back; then there is nothing to free.
 * @out is zeroed by the caller. */
int rows_collect(describe_fn describe, const void *what,
		 struct rows_document *out);
void rows_fini(struct rows_document *d);

/*
 * The text at @row (from 1 on) and @column; NULL: no value. *@at, 0 at first,
 * remembers the place for rows that are asked for in order.
 */
const char *rows_text(const struct rows *rows, size_t row, size_t column,
		      size_t *at);
