/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A profile for people: where the samples are, by function and by line, with
 * the line's text. Names come from files: what a terminal would act on is
 * shown as '?'.
 */

#include <inttypes.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "base/utf8.h"
#include "profile/inside.h"
#include "write/number.h"
#include "write/style.h"

#define MOST_ROWS    20
#define MOST_COLUMNS 4 /* events that fit beside each other */
#define LONGEST_LINE 4096
#define LEAST_NAME   24 /* columns that a function's name always has */
#define COLUMN       9  /* columns of a share */

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

static size_t columns_of(const struct profile *p)
{
	return p->n_events < MOST_COLUMNS ? p->n_events : MOST_COLUMNS;
}

/* " 74.6 %", or blank where there is nothing. */
static void put_share(uint64_t n, uint64_t all, FILE *to)
{
	if (n == 0 || all == 0)
		fputs("         ", to);
	else
		fprintf(to, " %6.2f %%", 100.0 * (double)n / (double)all);
}

static void put_shares(const struct profile *p, const uint64_t *counts,
		       FILE *to)
{
	for (size_t e = 0; e < columns_of(p); e++)
		put_share(counts[e], p->events[e].samples, to);
}

static void put_events(const struct profile *p,
		       const struct report_style *style, FILE *to)
{
	for (size_t e = 0; e < p->n_events; e++) {
		const struct profile_event *event = &p->events[e];
		char n[NUMBER_CAPACITY], period[NUMBER_CAPACITY];

		fprintf(to, "%s%zu%s  ", style_on(style, INK_BOLD), e + 1,
			style_off(style));
		style_put(event->name, SIZE_MAX, to);
		fprintf(to, ": %s sample%s, one every %s%s%s",
			number_count(n, (double)event->samples),
			event->samples == 1 ? "" : "s",
			number_count(period, (double)event->period),
			*event->unit ? " " : "", event->unit);
		fputs(event->exact ? ", exact\n" : "\n", to);
	}
	if (p->n_events > MOST_COLUMNS)
		fprintf(to,
			"(the first %d are shown; other formats have "
			"all)\n",
			MOST_COLUMNS);
}

static void put_head(const struct profile *p, bool totals, const char *what,
		     const struct report_style *style, FILE *to)
{
	fputs(style_on(style, INK_DIM), to);
	for (size_t e = 0; e < columns_of(p); e++)
		fprintf(to, "   own %zu ", e + 1);
	for (size_t e = 0; totals && e < columns_of(p); e++)
		fprintf(to, " total %zu ", e + 1);
	fprintf(to, "  %s%s\n", what, style_off(style));
}

/* Where a function is, in brackets; for one that has a name. */
static char *describe_place(const struct profile *p,
			    const struct profile_function *f)
{
	const char *inlined = f->inlined ? ", inlined" : "";

	if (f->name[0] == '[')
		return strdup("");
	if (f->file == PROFILE_NONE)
		return str_format("  (%s%s)",
				  base_name(p->objects[f->object].path),
				  inlined);
	if (!f->line)
		return str_format("  (%s%s)", base_name(p->files[f->file].path),
				  inlined);
	return str_format("  (%s:%ld%s)", base_name(p->files[f->file].path),
			  f->line, inlined);
}

/*
 * A C++ function's name without what is between its angle brackets and
 * parentheses, which is most of it: "std::sort<>()". To be freed.
 */
static char *without_arguments(const char *name)
{
	char *out = malloc(strlen(name) + 1), *to = out;
	int depth = 0;

	for (; out && *name; name++) {
		bool opens = *name == '<' || *name == '(';
		bool closes = *name == '>' || *name == ')';

		/* operator<, operator>>, operator() and operator-> stay */
		if (to - out >= 8 && depth == 0 && (opens || closes) &&
		    strncmp(to - 8, "operator", 8) == 0) {
			while (*name && strchr("<>()-=", *name))
				*to++ = *name++;
			name--;
			continue;
		}
		if (closes && depth > 0)
			depth--;
		if (depth == 0)
			*to++ = *name;
		if (opens)
			depth++;
	}
	if (out)
		*to = '\0';
	return out;
}

/* @name in at most @columns columns, its middle left out if it is longer. */
static void put_shortened(const char *name, size_t columns,
			  const struct report_style *style, FILE *to)
{
	size_t n = style_columns(name), half;
	OWNED char *start = NULL;

	/* what is no ASCII is not cut, since characters are of many bytes */
	if (n <= columns || n != strlen(name) || style->verbose) {
		style_put(name, SIZE_MAX, to);
		return;
	}
	half = (columns - 3) / 2;
	start = strndup(name, half);
	style_put(start ? start : "", SIZE_MAX, to);
	fputs(style_sign(style, SIGN_ELLIPSIS), to);
	style_put(name + n - half, SIZE_MAX, to);
}

static void put_function(const struct profile *p, size_t row, size_t at,
			 const struct report_style *style, FILE *to)
{
	const struct profile_function *f = &p->functions[row];
	char *place = describe_place(p, f), *plain = NULL;
	size_t taken = at + (place ? style_columns(place) : 0);
	size_t columns = style->width > taken + LEAST_NAME
				 ? style->width - taken
				 : LEAST_NAME;

	if (style_columns(f->name) > columns && !style->verbose)
		plain = without_arguments(f->name);
	put_shortened(plain ? plain : f->name, columns, style, to);
	style_put(place ? place : "", SIZE_MAX, to);
	free(plain);
	free(place);
}

static size_t rows_to_show(size_t n, const struct report_style *style)
{
	return style->verbose || n < MOST_ROWS ? n : MOST_ROWS;
}

static void put_rest(size_t n, const struct report_style *style, FILE *to)
{
	if (n > 0)
		fprintf(to, "%s%zu more; -v shows all%s\n",
			style_on(style, INK_DIM), n, style_off(style));
}

/* Rows that have samples of their own, of any event that is shown. */
static size_t rows_with_own(const struct profile *p, struct profile_sums *sums)
{
	size_t n = 0;

	for (size_t i = 0; i < sums->n; i++) {
		uint64_t own = 0;

		for (size_t e = 0; e < columns_of(p); e++)
			own += sums->rows[i].own[e];
		if (own > 0) { /* the others go behind */
			struct profile_sum row = sums->rows[i];

			sums->rows[i] = sums->rows[n];
			sums->rows[n++] = row;
		}
	}
	return n;
}

static int put_functions(const struct profile *p,
			 const struct report_style *style, FILE *to)
{
	bool totals = profile_has_stacks(p);
	struct profile_sums sums;
	size_t at, n, shown;
	int err = profile_sum_functions(p, &sums);

	if (err)
		return err;
	style_heading(style, "functions", to);
	put_head(p, totals, "function", style, to);
	at = columns_of(p) * COLUMN * (totals ? 2 : 1) + 2;
	n = totals ? sums.n : rows_with_own(p, &sums);
	shown = rows_to_show(n, style);
	for (size_t i = 0; i < shown; i++) {
		put_shares(p, sums.rows[i].own, to);
		if (totals)
			put_shares(p, sums.rows[i].total, to);
		fputs("  ", to);
		put_function(p, sums.rows[i].function, at, style, to);
		putc('\n', to);
	}
	put_rest(n - shown, style, to);
	profile_sums_fini(&sums);
	return 0;
}

/* Line @line of file @path, trimmed; NULL if it cannot be read. */
static char *source_line(const char *path, long line)
{
	char text[LONGEST_LINE], *start = text;
	FILE *from = fopen(path, "re");
	size_t n;

	if (!from)
		return NULL;
	text[0] = '\0';
	for (long at = 1; at <= line;) {
		if (!fgets(text, sizeof(text), from)) {
			fclose(from);
			return NULL;
		}
		n = strlen(text);
		/* a line beyond the room comes in several pieces */
		at += n > 0 && text[n - 1] == '\n';
		if (n + 1 < sizeof(text) && text[n - 1] != '\n')
			at++;
	}
	fclose(from);
	start += strspn(start, " \t");
	start[strcspn(start, "\r\n")] = '\0';
	return strdup(start);
}

static void put_line(const struct profile *p, const struct profile_sum *sum,
		     const struct report_style *style, FILE *to)
{
	const struct profile_file *file = &p->files[sum->file];
	OWNED char *text =
		file->found ? source_line(file->path, sum->line) : NULL;
	OWNED char *place =
		str_format("%s:%ld", base_name(file->path), sum->line);

	style_put(place ? place : "?", SIZE_MAX, to);
	if (text) {
		fprintf(to, "%*s%s",
			place && strlen(place) < 20 ? (int)(22 - strlen(place))
						    : 2,
			"", style_on(style, INK_DIM));
		style_put(text, SIZE_MAX, to);
		fputs(style_off(style), to);
	}
	putc('\n', to);
}

static int put_lines(const struct profile *p, const struct report_style *style,
		     FILE *to)
{
	struct profile_sums sums;
	size_t n;
	int err = profile_sum_lines(p, &sums);

	if (err)
		return err;
	/* callers' lines have totals only */
	n = rows_to_show(rows_with_own(p, &sums), style);
	if (n > 0) {
		style_heading(style, "lines", to);
		put_head(p, false, "line", style, to);
	}
	for (size_t i = 0; i < n; i++) {
		put_shares(p, sums.rows[i].own, to);
		fputs("  ", to);
		put_line(p, &sums.rows[i], style, to);
	}
	profile_sums_fini(&sums);
	return 0;
}

/* "0x1139  long_work+0x9, two.c:21" */
static void put_instruction(const struct profile *p, size_t location, FILE *to)
{
	const struct profile_location *l = &p->locations[location];
	const struct profile_frame *inner = &l->frames[0];
	const struct profile_function *f =
		&p->functions[l->frames[l->n - 1].function];

	fprintf(to, "0x%-10" PRIx64 " ", l->address);
	style_put(f->name, SIZE_MAX, to);
	if (l->address > f->address && f->name[0] != '[')
		fprintf(to, "+0x%" PRIx64, l->address - f->address);
	if (inner->file != PROFILE_NONE) {
		fputs(", ", to);
		style_put(base_name(p->files[inner->file].path), SIZE_MAX, to);
		fprintf(to, ":%ld", inner->line);
	}
	putc('\n', to);
}

/* For those who ask for more: which instructions, most samples first. */
static int put_instructions(const struct profile *p,
			    const struct report_style *style, FILE *to)
{
	struct profile_sums sums;
	int err = style->verbose ? profile_sum_instructions(p, &sums) : 0;

	if (err || !style->verbose)
		return err;
	style_heading(style, "instructions", to);
	put_head(p, false, "address in its file", style, to);
	for (size_t i = 0; i < sums.n && i < MOST_ROWS; i++) {
		put_shares(p, sums.rows[i].own, to);
		fputs("  ", to);
		put_instruction(p, sums.rows[i].location, to);
	}
	profile_sums_fini(&sums);
	return 0;
}

static void put_notes(const struct profile *p, const struct report_style *style,
		      FILE *to)
{
	char n[NUMBER_CAPACITY];

	if (p->lost)
		fprintf(to, "%s%s samples were lost%s\n",
			style_on(style, INK_POOR),
			number_count(n, (double)p->lost), style_off(style));
	if (p->throttled)
		fprintf(to,
			"%sthe kernel throttled sampling %s times because "
			"there were too many samples, and some are missing; "
			"use a longer period%s\n",
			style_on(style, INK_POOR),
			number_count(n, (double)p->throttled),
			style_off(style));
	for (size_t i = 0; i < p->n_notes; i++) {
		style_put(p->notes[i], SIZE_MAX, to);
		putc('\n', to);
	}
}

int profile_write_text(const void *profile, const struct report_style *style,
		       FILE *to)
{
	const struct profile *p = profile;
	int err = 0;

	style_heading(style, "samples", to);
	put_events(p, style, to);
	if (p->n_samples > 0) {
		err = put_functions(p, style, to);
		if (!err)
			err = put_lines(p, style, to);
		if (!err)
			err = put_instructions(p, style, to);
	}
	put_notes(p, style, to);
	if (err)
		return err;
	return ferror(to) ? PAPI_ESYS : 0;
}
