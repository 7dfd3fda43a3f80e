/* SPDX-License-Identifier: BSD-3-Clause */
/* CSV (RFC 4180): a result's table, or the result as a row if it has none. */
#include "write/csv.h"

#include <math.h>
#include <string.h>

#include "base/err.h"
#include "write/document.h"
#include "write/number.h"
#include "write/rows.h"

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
	char text[NUMBER_CAPACITY];

	csv_put_next(isfinite(value) ? number_exact(text, value) : NULL, to);
}

static void put_cells(const struct rows *rows, FILE *to)
{
	size_t at = 0;

	for (size_t c = 0; c < rows->n_columns; c++) {
		if (c)
			putc(',', to);
		csv_put_field(rows->columns[c], to);
	}
	fputs("\r\n", to);
	for (size_t row = 1; row <= rows->n; row++) {
		for (size_t c = 0; c < rows->n_columns; c++) {
			if (c)
				putc(',', to);
			csv_put_field(rows_text(rows, row, c, &at), to);
		}
		fputs("\r\n", to);
	}
}

int document_write_csv(describe_fn describe, const void *what, FILE *to)
{
	struct rows_document d = { 0 };
	int err = rows_collect(describe, what, &d);

	if (err)
		return err;
	put_cells(d.table_name ? &d.table : &d.head, to);
	rows_fini(&d);
	return fflush(to) || ferror(to) ? PAPI_ESYS : 0;
}
