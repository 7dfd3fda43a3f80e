/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A page of any result: what is not in its table as facts, and the table, which
 * can be sorted and searched. A verb with more to show has a page of its own.
 */
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "write/document.h"
#include "write/html.h"
#include "write/rows.h"

/* Whether all of a column's values are numbers, so that it sorts as such. */
static bool is_numeric(const struct rows *rows, size_t column)
{
	bool any = false;

	for (size_t i = 0; i < rows->n_cells; i++) {
		const char *text = rows->cells[i].text;
		char *end;

		if (rows->cells[i].column != column)
			continue;
		strtold(text, &end);
		/* neither "nan" nor a code in hexadecimal is one here */
		if (*end || end == text || text[strcspn(text, "xXnN")])
			return false;
		any = true;
	}
	return any;
}

static void put_facts(struct html_report *r, const struct rows *head)
{
	json_array(&r->json, "facts");
	for (size_t i = 0; i < head->n_cells; i++)
		html_report_fact(r, head->columns[head->cells[i].column],
				 head->cells[i].text);
	json_end_array(&r->json);
}

static void put_cells(struct json *j, const struct rows *rows,
		      const bool *numeric)
{
	size_t at = 0;

	for (size_t row = 1; row <= rows->n; row++) {
		json_list(j, NULL);
		for (size_t c = 0; c < rows->n_columns; c++) {
			const char *text = rows_text(rows, row, c, &at);

			if (text && numeric[c])
				json_count(j, NULL, strtold(text, NULL));
			else
				json_string(j, NULL, text);
		}
		json_end_array(j);
	}
}

static void put_table(struct html_report *r, const struct rows_document *d,
		      const bool *numeric)
{
	html_report_part(r, "table", d->table_name);
	html_report_columns(r, NULL);
	for (size_t c = 0; c < d->table.n_columns; c++)
		html_report_column(r, d->table.columns[c],
				   numeric[c] ? "number" : NULL);
	html_report_rows(r);
	put_cells(&r->json, &d->table, numeric);
	html_report_end(r);
}

static int put_page(const struct rows_document *d, const bool *numeric,
		    FILE *to)
{
	struct html_report r;
	int err = html_report_open(&r, "assay", NULL);

	if (err)
		return err;
	put_facts(&r, &d->head);
	json_array(&r.json, "parts");
	if (d->table_name)
		put_table(&r, d, numeric);
	json_end_array(&r.json);
	return html_report_close(&r, to);
}

int document_write_html(describe_fn describe, const void *what, FILE *to)
{
	struct rows_document d = { 0 };
	int err = rows_collect(describe, what, &d);
	OWNED bool *numeric = NULL;

	if (err)
		return err;
	numeric = calloc(d.table.n_columns + 1, sizeof(*numeric));
	for (size_t c = 0; numeric && c < d.table.n_columns; c++)
		numeric[c] = is_numeric(&d.table, c);
	err = numeric ? put_page(&d, numeric, to) : PAPI_ENOMEM;
	rows_fini(&d);
	return err;
}
