/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A classification as a page: the table of events, each with a page of its own
 * (event_page.c), and what each counts in each bench as a matrix.
 */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/strbuf.h"
#include "classify/event_page.h"
#include "classify/inside.h"
#include "report/report.h"
#include "write/html.h"
#include "write/number.h"

enum {
	MATRIX_ROWS = 100
};

/* Names without "sim::" where all begin with that: how much to leave out. */
static size_t common_prefix(const struct classification *c)
{
	const char *end = strstr(c->events[0].name, "::");
	size_t n = end ? (size_t)(end - c->events[0].name) + 2 : 0;

	for (size_t i = 1; i < c->n; i++)
		if (strncmp(c->events[i].name, c->events[0].name, n) != 0)
			return 0;
	return n;
}

/* Events that are the same, by their short names; to be freed. */
char *classify_list_equals(const struct classification *c, size_t event)
{
	size_t prefix = common_prefix(c);
	struct strbuf sb = { 0 };

	for (size_t k = 0; k < c->n; k++)
		if (classify_are_equal(c, event, k))
			strbuf_addf(&sb, "%s%s", sb.len ? ", " : "",
				    c->events[k].name + prefix);
	strbuf_add(&sb, "");
	return strbuf_take(&sb);
}

/* "loads that hit L1D, or loads that hit the DTLB"; to be freed. */
char *classify_counts_text(const struct classification *c,
			   const struct classify_event *e)
{
	const char *words = classify_words(e);
	struct strbuf sb = { 0 };

	if (words)
		strbuf_add(&sb, words);
	else if (classify_is_known(e))
		classify_add_formula(&sb, c, &e->formula, e->of_events,
				     common_prefix(c));
	for (size_t i = 0; i < e->n_also; i++)
		strbuf_addf(&sb, "%s%s", e->of_events ? ": " : ", or ",
			    classify_term_text(e->also[i]));
	strbuf_add(&sb, "");
	return strbuf_take(&sb);
}

static void put_event(const struct classification *c,
		      const struct classify_event *e, struct json *j)
{
	OWNED char *equals = classify_list_equals(c, (size_t)(e - c->events));
	OWNED char *counts = classify_counts_text(c, e);

	json_cells(j, "%s %s %s %s %s", e->name,
		   classify_is_known(e) ? classify_certainty(e) : "",
		   counts ? counts : "", classify_class(e),
		   equals ? equals : "");
}

static void put_events(const struct classification *c, struct html_report *page)
{
	struct json *j = &page->json;

	html_report_part(page, "table", "Events");
	html_report_columns(page, "Event", "item", "Certainty", "verdict",
			    "Counts", "text", "Class", "text", "Same as",
			    "code", NULL);
	html_report_rows(page);
	for (size_t i = 0; i < c->n; i++)
		put_event(c, &c->events[i], j);
	html_report_end(page);
}

static void put_matrix_row(const struct classification *c, size_t event,
			   struct json *j)
{
	size_t benches = c->plan->n_benches;

	json_list(j, NULL);
	for (size_t b = 0; b < benches; b++)
		if (!classify_is_sweep(&c->plan->benches[b]))
			json_number(j, NULL, c->slope[event * benches + b]);
	json_end_array(j);
}

/* Signatures: events against benches; sweeps are curves instead. */
static void put_matrix(const struct classification *c, struct html_report *page)
{
	struct json *j = &page->json;
	size_t rows = 0, known = 0;
	char title[80] = "Counts per iteration";

	for (size_t i = 0; i < c->n; i++)
		known += classify_is_known(&c->events[i]);
	if (known > MATRIX_ROWS)
		snprintf(title, sizeof(title),
			 "Counts per iteration, the first %d of %zu events",
			 MATRIX_ROWS, known);
	html_report_part(page, "matrix", title);
	json_number(j, "min", 0);
	json_number(j, "max", 2);
	json_list(j, "columns");
	for (size_t b = 0; b < c->plan->n_benches; b++)
		if (!classify_is_sweep(&c->plan->benches[b]))
			json_string(j, NULL, c->plan->benches[b].name);
	json_end_array(j);
	json_list(j, "rows");
	for (size_t i = 0; i < c->n && rows < MATRIX_ROWS; i++)
		if (classify_is_known(&c->events[i]) && ++rows)
			json_string(j, NULL, c->events[i].name);
	json_end_array(j);
	json_array(j, "values");
	rows = 0;
	for (size_t i = 0; i < c->n && rows < MATRIX_ROWS; i++)
		if (classify_is_known(&c->events[i]) && ++rows)
			put_matrix_row(c, i, j);
	html_report_end(page);
}

/* "BR_INST_RETIRED:COND - BR_INST_RETIRED:COND_NTAKEN" */
char *classify_recipe(const struct classification *c,
		      const struct classify_preset *p)
{
	struct blend f = { .n = p->n };
	struct strbuf sb = { 0 };

	for (size_t i = 0; i < p->n; i++) {
		f.term[i] = p->event[i];
		f.factor[i] = p->factor[i];
	}
	classify_add_formula(&sb, c, &f, true, 0);
	return strbuf_take(&sb);
}

/* What PAPI has a name for, as formulas of these events. */
static void put_presets(const struct classified *d, struct html_report *page)
{
	struct json *j = &page->json;

	html_report_part(page, "table",
			 "PAPI's presets as formulas of these events");
	html_report_columns(page, "Preset", "code", "Counts", "text", "Formula",
			    "code", "Backward error", "number",
			    "Error on held-out kernels", "number",
			    "Fits the counters", "text", NULL);
	html_report_rows(page);
	for (size_t i = 0; i < d->presets->n; i++) {
		const struct classify_preset *p = &d->presets->items[i];
		char *recipe;

		if (!p->is_preset)
			continue;
		recipe = p->made ? classify_recipe(d->c, p) : NULL;
		json_cells(j, "%s %s %s %g %g %s", p->name,
			   classify_term_text(p->term), recipe ? recipe : "",
			   p->backward_error, p->made ? p->held_out : NAN,
			   !p->made ? "no formula found"
			   : p->rival
				   ? "no kernel can tell it apart from another"
			   : p->fits ? "yes"
				     : "no");
		free(recipe);
	}
	html_report_end(page);
}

static void put_unavailable(const struct classified *d,
			    struct html_report *page)
{
	struct json *j = &page->json;
	size_t n = 0;

	for (size_t i = 0; i < d->presets->n; i++)
		n += classify_is_unavailable(&d->presets->items[i]);
	if (n == 0)
		return;
	html_report_part(page, "table", "What no event counts");
	html_report_columns(page, "Class", "code", "Counts", "text",
			    "Share not expressible", "number", NULL);
	html_report_rows(page);
	for (size_t i = 0; i < d->presets->n; i++) {
		const struct classify_preset *p = &d->presets->items[i];

		if (!classify_is_unavailable(p))
			continue;
		json_cells(j, "%s %s %g", p->name, classify_term_text(p->term),
			   p->residual);
	}
	html_report_end(page);
}

/* "38 events: 35 certain, 2 likely, 1 not explained." */
static void put_lead(const struct classification *c, struct html_report *page)
{
	static const char *const words[] = { "certain", "likely", "guess" };
	size_t n[3] = { 0 }, rest = 0;
	struct strbuf lead = { 0 };

	for (size_t i = 0; i < c->n; i++) {
		const char *word = classify_is_known(&c->events[i])
					   ? classify_certainty(&c->events[i])
					   : "";
		size_t k = 0;

		while (k < 3 && strcmp(word, words[k]) != 0)
			k++;
		++*(k < 3 ? &n[k] : &rest);
	}
	strbuf_addf(&lead,
		    "What %zu event%s, found with kernels of known cost: %zu "
		    "certain, %zu likely, %zu guessed",
		    c->n, c->n == 1 ? " counts" : "s count", n[0], n[1], n[2]);
	if (rest)
		strbuf_addf(&lead, ", %zu without an explanation", rest);
	strbuf_add(&lead, ". Choose an event for the reasons.");
	html_report_lead(page, &lead);
}

static void put_facts(const struct classified *d, struct html_report *page)
{
	const struct classification *c = d->c;
	char text[NUMBER_CAPACITY];

	json_array(&page->json, "facts");
	html_report_fact(page, "Events", number_count(text, (double)c->n));
	if (c->rank)
		html_report_fact(page, "Independent",
				 number_count(text, (double)c->rank));
	html_report_fact(page, "Kernels with their parameters",
			 number_count(text, (double)c->plan->n_benches));
	html_report_fact(page, "Runs", number_count(text, (double)c->runs));
	json_end_array(&page->json);
}

int classify_write_html(const void *what, const struct report_style *style,
			FILE *to)
{
	const struct classified *d = what;
	struct html_report page;
	int err = html_report_open(
		&page, "What events count",
		report_model_name(*d->model ? d->model : d->pmu));

	(void)style;
	if (!err) {
		put_lead(d->c, &page);
		put_facts(d, &page);
		json_array(&page.json, "parts");
		put_events(d->c, &page);
		classify_put_pages(d, &page);
		put_presets(d, &page);
		put_unavailable(d, &page);
		put_matrix(d->c, &page);
		json_end_array(&page.json);
		err = html_report_close(&page, to);
	}
	return err;
}
