/* SPDX-License-Identifier: BSD-3-Clause */
/* Widths found, then lines written; colours are style.c's. */
#include "write/columns.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/err.h"

#define MOST_COLUMNS 16

void columns_init(struct columns *columns, const char *align)
{
	memset(columns, 0, sizeof(*columns));
	columns->align = align;
}

void columns_fini(struct columns *columns)
{
	for (size_t i = 0; i < columns->n; i++)
		free(columns->cells[i].text);
	free(columns->cells);
	columns_init(columns, columns->align);
}

void columns_add(struct columns *columns, enum ink ink, const char *format, ...)
{
	struct columns_cell cell = { .ink = ink };
	va_list args;
	int length;

	va_start(args, format);
	length = vasprintf(&cell.text, format, args);
	va_end(args);
	if (length < 0 || array_add(columns->cells, columns->n, cell)) {
		if (length >= 0)
			free(cell.text);
		columns->failed = true;
		return;
	}
}

struct layout {
	size_t n;
	size_t gap; /* between two columns */
	size_t widths[MOST_COLUMNS];
};

/*
 * Two blanks between columns, else one; else the first column gives way to the
 * others.
 */
static void lay_out(const struct columns *c, size_t columns, struct layout *l)
{
	size_t others = 0;

	memset(l, 0, sizeof(*l));
	l->n = strnlen(c->align, MOST_COLUMNS);
	for (size_t i = 0; i < c->n; i++) {
		size_t width = style_columns(c->cells[i].text);

		if (width > l->widths[i % l->n])
			l->widths[i % l->n] = width;
	}
	for (size_t i = 1; i < l->n; i++)
		others += 1 + l->widths[i];
	l->gap = l->widths[0] + others + l->n - 1 <= columns ? 2 : 1;
	if (l->widths[0] + others > columns)
		l->widths[0] = columns > others + 2 ? columns - others : 2;
}

static void put_cell(const struct columns *c, const struct layout *l, size_t i,
		     const struct report_style *style, FILE *to)
{
	const struct columns_cell *cell = &c->cells[i];
	size_t column = i % l->n;
	size_t used = style_columns(cell->text);
	int pad =
		used < l->widths[column] ? (int)(l->widths[column] - used) : 0;
	bool is_left = c->align[column] == 'l';
	bool is_last = column + 1 == l->n;

	fprintf(to, "%*s%s", is_left ? 0 : pad, "", style_on(style, cell->ink));
	style_put(cell->text, SIZE_MAX, to);
	fprintf(to, "%s%*s", cell->ink == INK_PLAIN ? "" : style_off(style),
		is_left && !is_last ? pad : 0, "");
	if (used > l->widths[column])
		fprintf(to, "\n%*s", (int)l->widths[column], "");
	if (is_last)
		putc('\n', to);
	else
		fprintf(to, "%*s", (int)l->gap, "");
}

int columns_write(const struct columns *columns,
		  const struct report_style *style, FILE *to)
{
	struct layout layout;

	if (columns->failed)
		return PAPI_ENOMEM;
	lay_out(columns, style->width, &layout);
	for (size_t i = 0; i < columns->n; i++)
		put_cell(columns, &layout, i, style, to);
	return ferror(to) ? PAPI_ESYS : 0;
}
