/* SPDX-License-Identifier: BSD-3-Clause */
/* A comparison as a page: the largest differences first. */
#include "diff/write.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "write/html.h"
#include "write/number.h"

#define SMALL 0.5 /* percent: less is no headline */

enum {
	CARDS = 8,  /* the largest effects */
	NEAREST = 8 /* sections without a partner that get an offer */
};

/* What stands in the column of results, as the viewer colours it. */
static const char *word_for(const struct compare_row *row)
{
	if (row->limit)
		return "fail";
	if (row->result == COMPARE_SAME)
		return "same";
	if (row->result == COMPARE_UNRESOLVED)
		return "noise";
	if (row->better == 0)
		return row->b > row->a ? "more" : "less";
	return (row->b > row->a) == (row->better > 0) ? "better" : "worse";
}

/* What a row's value is called: a metric by its text, the rest by its key. */
static const char *name_of(const struct compare_view *view,
			   const struct compare_row *row)
{
	const char *text = *row->title
				   ? row->title
				   : view->text_of(view->metrics, row->name);

	return *text ? text : row->name;
}

/* "loop (file.c:3)" for "loop (/somewhere/file.c:3)"; to be freed. */
static char *section_of(const struct compare_row *row)
{
	const char *open = strrchr(row->section, '(');
	const char *slash = strrchr(row->section, '/');

	if (!row->section[0])
		return strdup("program");
	if (!open || !slash || slash < open)
		return strdup(row->section);
	return str_format("%.*s%s", (int)(open + 1 - row->section),
			  row->section, slash + 1);
}

static void put_section(const struct compare_row *row, struct json *j)
{
	OWNED char *section = section_of(row);

	json_string(j, NULL, section ? section : row->section);
}

/* Broken limits first, then what is resolved, by its size. */
static double effect_of(const struct compare_row *row)
{
	double size = isnan(row->percent) ? 1e6 : fabs(row->percent);

	if (row->limit)
		return 2e9 + size;
	return row->result == COMPARE_DIFFERENT    ? 1e9 + size
	       : row->result == COMPARE_UNRESOLVED ? size
						   : -1;
}

static int by_effect(const void *a, const void *b)
{
	const struct compare_row *x = *(const struct compare_row *const *)a;
	const struct compare_row *y = *(const struct compare_row *const *)b;
	double difference = effect_of(y) - effect_of(x);

	if (difference != 0)
		return difference > 0 ? 1 : -1;
	return (x > y) - (x < y); /* as they were */
}

/* Rows that both runs have, the largest effect first; to be freed. */
struct ranking {
	const struct compare_row **rows;
	size_t n;
	size_t one_sided;
	size_t better, worse, other, noise;
};

static void count_row(struct ranking *r, const struct compare_row *row)
{
	const char *word = word_for(row);
	bool up = row->b > row->a;

	if (row->result == COMPARE_UNRESOLVED)
		r->noise++;
	else if (strcmp(word, "fail") == 0 && row->better)
		++*(up == (row->better > 0) ? &r->better : &r->worse);
	else if (strcmp(word, "better") == 0)
		r->better++;
	else if (strcmp(word, "worse") == 0)
		r->worse++;
	else if (row->result == COMPARE_DIFFERENT)
		r->other++;
}

static int rank(const struct compare_view *view, struct ranking *r)
{
	const struct comparison *c = view->comparison;

	*r = (struct ranking){ 0 };
	r->rows = calloc(c->n ? c->n : 1, sizeof(*r->rows));
	if (!r->rows)
		return PAPI_ENOMEM;
	for (size_t i = 0; i < c->n; i++) {
		const struct compare_row *row = &c->rows[i];

		r->one_sided += row->result == COMPARE_ONE_SIDED;
		if (row->result == COMPARE_ONE_SIDED && !row->limit)
			continue;
		if (!compare_is_shown(view, row))
			continue;
		count_row(r, row);
		r->rows[r->n++] = row;
	}
	qsort(r->rows, r->n, sizeof(*r->rows), by_effect);
	return 0;
}

/* The answer in a sentence. */

static const struct compare_row *find(const struct ranking *r, const char *name)
{
	for (size_t i = 0; i < r->n; i++)
		if (strcmp(r->rows[i]->name, name) == 0 &&
		    !r->rows[i]->section[0])
			return r->rows[i];
	return NULL;
}

static void add_main(const struct ranking *r, struct strbuf *lead)
{
	static const char *const names[][3] = {
		{ "wall_s", "less time", "more time" },
		{ "PAPI_TOT_CYC", "fewer cycles", "more cycles" },
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		const struct compare_row *row = find(r, names[i][0]);

		if (!row || row->result != COMPARE_DIFFERENT ||
		    isnan(row->percent))
			continue;
		strbuf_addf(lead, "B takes %.3g %% %s than A. ",
			    fabs(row->percent),
			    names[i][row->percent < 0 ? 1 : 2]);
		return;
	}
}

static void add_lead(const struct compare_view *view, const struct ranking *r,
		     struct strbuf *lead)
{
	size_t resolved = r->better + r->worse + r->other;
	size_t n = view->comparison->n;

	if (n > 0 && r->one_sided == n) {
		strbuf_add(lead, "Nothing can be compared: no value of A has "
				 "the same name and the same section in B.");
		return;
	}
	if (view->comparison->broken)
		strbuf_addf(lead, "%zu value%s over the limit. ",
			    view->comparison->broken,
			    view->comparison->broken == 1 ? " is" : "s are");
	add_main(r, lead);
	strbuf_addf(lead, "%zu of %zu values differ beyond noise", resolved, n);
	if (r->better + r->worse)
		strbuf_addf(lead, ": %zu better, %zu worse", r->better,
			    r->worse);
	strbuf_add(lead, ".");
}

static void put_lead(const struct compare_view *view, const struct ranking *r,
		     struct html_report *page)
{
	struct strbuf lead = { 0 };

	add_lead(view, r, &lead);
	html_report_lead(page, &lead);
}

/* The largest effects as cards. */

/* A count in full, anything else with four digits. */
static const char *number_of(char *text, long double value)
{
	return value == floorl(value) ? number_count(text, value)
				      : number_short(text, (double)value);
}

static void put_card(const struct compare_view *view,
		     const struct compare_row *row, struct json *j)
{
	char a[NUMBER_CAPACITY], b[NUMBER_CAPACITY];
	OWNED char *section = section_of(row);
	OWNED char *from =
		str_format("%s \u2192 %s%s%s", number_of(a, row->a),
			   number_of(b, row->b), row->section[0] ? " in " : "",
			   row->section[0] && section ? section : "");

	json_row_of(j, NULL, "name %s, change %g, verdict %s, goal %s",
		    name_of(view, row), row->percent, word_for(row), from);
}

/* Whether it says how well the program does, or is over a limit. */
static bool is_telling(const struct compare_row *row)
{
	return row->limit || (row->result == COMPARE_DIFFERENT && row->better &&
			      !(fabs(row->percent) < SMALL));
}

static void put_cards(const struct compare_view *view, const struct ranking *r,
		      struct html_report *page)
{
	size_t n = 0;

	html_report_part(page, "cards", NULL);
	json_array(&page->json, "items");
	for (size_t i = 0; i < r->n && n < CARDS; i++)
		if (is_telling(r->rows[i]) && ++n)
			put_card(view, r->rows[i], &page->json);
	html_report_end(page);
}

/* Whether rows are of several sections, not only of the whole program. */
static bool has_sections(const struct ranking *r)
{
	for (size_t i = 0; i < r->n; i++)
		if (r->rows[i]->section[0])
			return true;
	return false;
}

static void put_row(const struct compare_view *view,
		    const struct compare_row *row, bool sections,
		    struct json *j)
{
	json_list(j, NULL);
	if (sections)
		put_section(row, j);
	json_string(j, NULL, name_of(view, row));
	json_count(j, NULL, row->a);
	json_count(j, NULL, row->b);
	json_number(j, NULL, row->percent);
	json_string(j, NULL, word_for(row));
	if (view->n_limits)
		json_string(j, NULL, row->limit ? row->limit : "");
	json_number(j, NULL, row->low);
	json_number(j, NULL, row->high);
	json_string(j, NULL, row->name);
	json_end_array(j);
}

static void put_table(const struct compare_view *view, const struct ranking *r,
		      struct html_report *page)
{
	struct json *j = &page->json;
	bool sections = has_sections(r);

	html_report_part(page, "table", "Differences, largest first");
	json_string(
		j, "text",
		"A difference is resolved if it exceeds the variation "
		"between runs and the errors of estimates (95\u00a0%), or if "
		"both were simulated and counted exactly; possible noise "
		"is grey and listed last.");
	json_string(j, "more", "95 % intervals, names for --limit");
	json_unsigned(j, "mark", sections ? 5 : 4);
	html_report_columns(page, NULL);
	if (sections)
		html_report_column(page, "Section", "text");
	html_report_column(page, "Value", "text");
	html_report_column(page, "A", "number");
	html_report_column(page, "B", "number");
	html_report_column(page, "Change", "change");
	html_report_column(page, "Result", "verdict");
	if (view->n_limits)
		html_report_column(page, "Limit", "text");
	html_report_more(page, "At least", "change");
	html_report_more(page, "At most", "change");
	html_report_more(page, "Name for --limit", "text");
	html_report_rows(page);
	for (size_t i = 0; i < r->n; i++)
		put_row(view, r->rows[i], sections, j);
	html_report_end(page);
}

/* What only one run has, and what is nearest in the other. */

/* How many pairs of letters two names share, of all: 0 to 1. */
static double likeness(const char *a, const char *b)
{
	size_t n = strlen(a), m = strlen(b), shared = 0;

	if (n < 2 || m < 2)
		return 0;
	for (size_t i = 0; i + 1 < n; i++)
		for (size_t k = 0; k + 1 < m; k++)
			if (tolower((unsigned char)a[i]) ==
				    tolower((unsigned char)b[k]) &&
			    tolower((unsigned char)a[i + 1]) ==
				    tolower((unsigned char)b[k + 1])) {
				shared++;
				break;
			}
	return (double)shared / (double)(n > m ? n - 1 : m - 1);
}

static bool is_lone(const struct compare_row *row, bool in_a)
{
	return row->result == COMPARE_ONE_SIDED &&
	       isnan((double)row->a) != in_a && row->section[0];
}

/* Whether row @i is the first of its section. */
static bool begins(const struct comparison *c, size_t i)
{
	return i == 0 || strcmp(c->rows[i - 1].section, c->rows[i].section);
}

static const char *nearest(const struct comparison *c, const char *section)
{
	const char *best = NULL;
	double most = 0.4;

	for (size_t i = 0; i < c->n; i++) {
		double like = likeness(section, c->rows[i].section);

		if (is_lone(&c->rows[i], false) && like > most) {
			most = like;
			best = c->rows[i].section;
		}
	}
	return best;
}

static void put_nearest(const struct comparison *c, struct html_report *page)
{
	struct json *j = &page->json;
	size_t n = 0;

	html_report_part(page, "list", "Sections only in A");
	json_string(j, "text",
		    "Sections are matched by label and file. If two sections "
		    "do the same work, give them the same label.");
	json_array(j, "items");
	for (size_t i = 0; i < c->n && n < NEAREST; i++) {
		const char *section = c->rows[i].section, *other;
		char *text;

		if (!is_lone(&c->rows[i], true) || !begins(c, i))
			continue;
		n++;
		other = nearest(c, section);
		text = str_format(other ? "%s: the nearest in B is %s"
					: "%s: B has nothing similar%s",
				  section, other ? other : "");
		json_string(j, NULL, text ? text : section);
		free(text);
	}
	html_report_end(page);
}

static bool has_lone_sections(const struct comparison *c)
{
	for (size_t i = 0; i < c->n; i++)
		if (is_lone(&c->rows[i], true))
			return true;
	return false;
}

/* Folded: what cannot be compared is seldom the answer. */
static void put_lone(const struct compare_view *view, size_t n,
		     struct html_report *page)
{
	const struct comparison *c = view->comparison;
	struct json *j = &page->json;
	OWNED char *summary = str_format("%zu values in only one run", n);

	html_report_part(page, "fold", NULL);
	json_string(j, "summary", summary);
	json_array(j, "parts");
	html_report_part(page, "table", NULL);
	html_report_columns(page, "Section", "text", "Value", "text", "A",
			    "number", "B", "number", NULL);
	html_report_rows(page);
	for (size_t i = 0; i < c->n; i++) {
		const struct compare_row *row = &c->rows[i];

		if (row->result != COMPARE_ONE_SIDED)
			continue;
		json_list(j, NULL);
		put_section(row, j);
		json_string(j, NULL, name_of(view, row));
		json_count(j, NULL, row->a);
		json_count(j, NULL, row->b);
		json_end_array(j);
	}
	html_report_end(page);
	html_report_end(page);
}

static void put_facts(const struct compare_view *view, struct html_report *page)
{
	const struct comparison *c = view->comparison;
	char text[NUMBER_CAPACITY];

	json_array(&page->json, "facts");
	html_report_fact(page, "A", view->a);
	html_report_fact(page, "B", view->b);
	if (view->missing_a)
		html_report_fact(page, "Not in A", view->missing_a);
	if (view->missing_b)
		html_report_fact(page, "Not in B", view->missing_b);
	html_report_fact(page, "Limits",
			 view->n_limits == 0 ? "none"
			 : c->broken         ? "fail"
					     : "pass");
	html_report_fact(page, "Values", number_count(text, (double)c->n));
	json_end_array(&page->json);
}

int compare_write_page(const void *what, const struct report_style *style,
		       FILE *to)
{
	const struct compare_view *view = what;
	struct html_report page;
	struct ranking r;
	int err = rank(view, &r);

	(void)style;
	if (err)
		return err;
	err = html_report_open(&page, "Two runs compared", NULL);
	if (err) {
		free(r.rows);
		return err;
	}
	put_lead(view, &r, &page);
	put_facts(view, &page);
	json_array(&page.json, "parts");
	if (r.better + r.worse + view->comparison->broken > 0)
		put_cards(view, &r, &page);
	if (r.n > 0)
		put_table(view, &r, &page);
	if (has_lone_sections(view->comparison))
		put_nearest(view->comparison, &page);
	if (r.one_sided > 0)
		put_lone(view, r.one_sided, &page);
	json_end_array(&page.json);
	free(r.rows);
	return html_report_close(&page, to);
}
