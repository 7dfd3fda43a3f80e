/* SPDX-License-Identifier: BSD-3-Clause */
/* Comparisons for terminals, programs and CI; the page is page.c's. */
#include "diff/write.h"

#include <math.h>
#include <string.h>

#include "base/strbuf.h"
#include "write/json.h"
#include "write/number.h"
#include "write/style.h"
#include "write/xml.h"

static const char *const result_names[] = {
	[COMPARE_SAME] = "same",
	[COMPARE_DIFFERENT] = "different",
	[COMPARE_UNRESOLVED] = "unresolved",
	[COMPARE_ONE_SIDED] = "one-sided",
};

/* Text. */

static bool is_seconds(const char *name)
{
	return strcmp(name, "IncSec") == 0 || strcmp(name, "ExcSec") == 0 ||
	       strcmp(name, "wall_s") == 0 || strcmp(name, "user_s") == 0 ||
	       strcmp(name, "system_s") == 0;
}

static void put_value(const char *name, long double exact, FILE *to)
{
	double value = (double)exact;
	char text[NUMBER_CAPACITY];

	if (isnan(value))
		fprintf(to, " %15s", "-");
	else if (is_seconds(name))
		fprintf(to, " %15s", number_seconds(text, value));
	else if (exact == floorl(exact))
		fprintf(to, " %15s", number_count(text, exact));
	else
		fprintf(to, " %15s", number_short(text, value));
}

/* Which of the values lacks something; "": neither. */
static const char *incomplete_text(const struct compare_row *row)
{
	return row->part_a && row->part_b ? "  incomplete in both"
	       : row->part_a              ? "  incomplete in A"
	       : row->part_b              ? "  incomplete in B"
					  : "";
}

static void add_change(const struct compare_row *row,
		       const struct report_style *style, struct strbuf *text)
{
	if (row->result == COMPARE_ONE_SIDED)
		strbuf_addf(text, "  only in %s", isnan(row->a) ? "B" : "A");
	else if (row->result == COMPARE_SAME)
		strbuf_add(text, "  same");
	else if (isnan(row->percent))
		strbuf_add(text, "  was 0");
	else
		strbuf_addf(text, "  %+.3f %%", row->percent);
	if (!isnan(row->low) && row->low != row->high)
		strbuf_addf(text, " %s%.3f", style_sign(style, SIGN_PLUS_MINUS),
			    (row->high - row->low) / 2);
	if (row->result == COMPARE_UNRESOLVED)
		strbuf_add(text, "  not resolvable from noise");
	strbuf_add(text, incomplete_text(row));
}

#define ROW_COLUMNS (2 + 24 + 2 * 16) /* name and both values */

/* A limit that the line has no room for stands below. */
static void put_limit(const struct compare_row *row, size_t used,
		      const struct report_style *style, FILE *to)
{
	static const char over[] = "over the limit ";
	size_t more = 2 + strlen(over) + style_columns(row->limit);

	fprintf(to, "%s%s%s%s%s", used + more > style->width ? "\n    " : "  ",
		style_on(style, INK_POOR), over, row->limit, style_off(style));
}

static void put_change(const struct compare_row *row,
		       const struct report_style *style, FILE *to)
{
	STRBUF(text);

	add_change(row, style, &text);
	fputs(strbuf_text(&text), to);
	if (row->limit)
		put_limit(row, ROW_COLUMNS + style_columns(strbuf_text(&text)),
			  style, to);
	putc('\n', to);
}

bool compare_is_shown(const struct compare_view *view,
		      const struct compare_row *row)
{
	return view->all || row->result != COMPARE_SAME || row->limit;
}

static void put_row(const struct compare_row *row,
		    const struct report_style *style, FILE *to)
{
	fprintf(to, "  %-24s", row->name);
	put_value(row->name, row->a, to);
	put_value(row->name, row->b, to);
	put_change(row, style, to);
}

/*
 * How many rows from @i on make a section that one run does not have, of which
 * nothing more is to be said; 0 if they do not.
 */
static size_t lone_section(const struct compare_view *view, size_t i)
{
	const struct comparison *c = view->comparison;
	const struct compare_row *first = &c->rows[i];
	size_t n = 0;

	if (view->all || !first->section[0])
		return 0;
	for (; i < c->n && strcmp(c->rows[i].section, first->section) == 0;
	     i++, n++)
		if (c->rows[i].result != COMPARE_ONE_SIDED ||
		    c->rows[i].limit || isnan(c->rows[i].a) != isnan(first->a))
			return 0;
	return n;
}

/* What is missing in counts that were compared. */
static void put_missing(const char *run, const char *missing,
			const struct report_style *style, FILE *to)
{
	OWNED char *text = NULL;

	if (!missing)
		return;
	text = str_format("Not in the counts of %s: %s.", run, missing);
	if (text)
		style_wrap(style, text, 0, 0, to);
}

int compare_write_text(const void *what, const struct report_style *style,
		       FILE *to)
{
	const struct compare_view *view = what;
	const struct comparison *c = view->comparison;
	const char *section = "";
	size_t shown = 0, headed = 0;

	for (size_t i = 0; i < c->n; i++) {
		const struct compare_row *row = &c->rows[i];
		size_t lone;

		if (!compare_is_shown(view, row))
			continue;
		lone = strcmp(section, row->section) == 0
			       ? 0
			       : lone_section(view, i);
		if (lone > 1) {
			fprintf(to, "%s\n  only in %s: %zu values\n",
				row->section, isnan(row->a) ? "B" : "A", lone);
			section = row->section;
			shown++;
			i += lone - 1;
			continue;
		}
		if (!headed++)
			fprintf(to, "  %-24s %15s %15s  change\n", "", "A",
				"B");
		shown++;
		if (strcmp(section, row->section) != 0)
			fprintf(to, "%s\n", row->section);
		section = row->section;
		put_row(row, style, to);
	}
	if (shown == 0)
		fprintf(to, "no difference in %zu values\n", c->n);
	put_missing("A", view->missing_a, style, to);
	put_missing("B", view->missing_b, style, to);
	return ferror(to) ? PAPI_ESYS : 0;
}

/* JSON, CSV. */

int compare_describe(const void *what, struct json *j)
{
	const struct compare_view *view = what;
	const struct comparison *c = view->comparison;

	json_string(j, "a", view->a);
	json_string(j, "b", view->b);
	json_string(j, "missing_a", view->missing_a);
	json_string(j, "missing_b", view->missing_b);
	json_unsigned(j, "broken", c->broken);
	json_table(j, "rows");
	for (size_t i = 0; i < c->n; i++) {
		const struct compare_row *row = &c->rows[i];

		json_row(j, NULL);
		json_string(j, "section", row->section);
		json_string(j, "name", row->name);
		json_number(j, "a", row->a);
		json_number(j, "b", row->b);
		json_number(j, "percent", row->percent);
		json_number(j, "low", row->low);
		json_number(j, "high", row->high);
		json_string(j, "result", result_names[row->result]);
		json_string(j, "limit", row->limit);
		json_end_object(j);
	}
	json_end_array(j);
	return 0;
}

/* For continuous integration. */

/* "name in section: 100 -> 101 (+1.000 %)". */
static void put_sentence(const struct compare_row *row,
			 void (*put)(const char *, FILE *), FILE *to)
{
	char a[NUMBER_CAPACITY], b[NUMBER_CAPACITY], change[64];

	put(row->name, to);
	if (row->section[0]) {
		put(" in ", to);
		put(row->section, to);
	}
	put(": ", to);
	put(isnan(row->a) ? "none" : number_exact(a, row->a), to);
	put(" -> ", to);
	put(isnan(row->b) ? "none" : number_exact(b, row->b), to);
	snprintf(change, sizeof(change), " (%+.3f %%), limit ", row->percent);
	put(change, to);
	put(row->limit, to);
	put(incomplete_text(row), to);
}

/* One test case for each value that a limit names. */
int compare_write_junit(const void *what, const struct report_style *style,
			FILE *to)
{
	const struct compare_view *view = what;
	const struct comparison *c = view->comparison;

	(void)style;
	fputs("<testsuite name=\"assay diff\">\n", to);
	for (size_t i = 0; i < c->n; i++) {
		const struct compare_row *row = &c->rows[i];
		bool guarded = false;

		for (size_t k = 0; k < view->n_limits; k++)
			guarded |= !strcmp(view->limits[k].name, row->name);
		if (!guarded)
			continue;
		fputs("  <testcase classname=\"", to);
		xml_put_attribute(row->section[0] ? row->section : "program",
				  to);
		fputs("\" name=\"", to);
		xml_put_attribute(row->name, to);
		fputs("\">", to);
		if (row->limit) {
			fputs("<failure message=\"", to);
			put_sentence(row, xml_put_attribute, to);
			fputs("\"/>", to);
		}
		fputs("</testcase>\n", to);
	}
	fputs("</testsuite>\n", to);
	return ferror(to) ? PAPI_ESYS : 0;
}

/* Workflow commands end at a newline and take % as an escape. */
static void put_escaped(const char *text, const char *escaped, FILE *to)
{
	for (; *text; text++) {
		if (strchr(escaped, *text))
			fprintf(to, "%%%02X", (unsigned)*text);
		else
			putc(*text, to);
	}
}

static void put_annotation(const char *text, FILE *to)
{
	put_escaped(text, "%\n\r", to);
}

int compare_write_github(const void *what, const struct report_style *style,
			 FILE *to)
{
	const struct compare_view *view = what;
	const struct comparison *c = view->comparison;

	(void)style;
	for (size_t i = 0; i < c->n; i++) {
		const struct compare_row *row = &c->rows[i];

		if (!row->limit)
			continue;
		fputs("::error ", to);
		if (row->file && row->file[0]) { /* shown beside the line */
			fputs("file=", to);
			put_escaped(row->file, "%\n\r:,", to);
			fprintf(to, ",line=%ld,", row->line);
		}
		fputs("title=assay diff::", to);
		put_sentence(row, put_annotation, to);
		putc('\n', to);
	}
	return ferror(to) ? PAPI_ESYS : 0;
}
