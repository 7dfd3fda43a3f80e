/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A classification as a page: the table of events, what each counts in each
 * bench as a matrix, and for the event that is chosen its slopes and curves.
 */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/strbuf.h"
#include "classify/inside.h"
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
static char *list_equals(const struct classification *c, size_t event)
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
static char *describe(const struct classification *c,
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

static bool is_counted(double slope)
{
	return !isnan(slope) && fabs(slope) >= 5e-4;
}

static void put_slopes(const struct classification *c, size_t event,
		       struct html_report *page)
{
	const struct classify_event *e = &c->events[event];
	size_t benches = c->plan->n_benches;
	const double *expect =
		e->kind == CLASSIFY_TERM
			? c->terms.value + e->formula.term[0] * benches
			: NULL;
	struct json *j = &page->json;

	html_report_part(page, "table", "Where it counts");
	json_array(j, "columns");
	html_report_column(page, "kernel", "text", NULL);
	html_report_column(page, "counts each time", "number", NULL);
	if (expect)
		html_report_column(page, "by its class", "number", NULL);
	json_end_array(j);
	json_array(j, "rows");
	for (size_t b = 0; b < benches; b++) {
		double slope = c->slope[event * benches + b];

		if (!is_counted(slope))
			continue;
		json_list(j, NULL);
		json_string(j, NULL, c->plan->benches[b].name);
		json_number(j, NULL, slope);
		if (expect)
			json_number(j, NULL, expect[b]);
		json_end_array(j);
	}
	json_end_array(j);
	json_end_object(j);
}

/* "+00": it jumps where a kernel leaves L1D. */
static void put_steps(const struct classification *c, size_t event,
		      struct html_report *page)
{
	struct classify_steps steps[CLASSIFY_SWEEPS];
	size_t n = classify_steps_find(c, event, steps, CLASSIFY_SWEEPS);
	static const char *const levels[] = { "in L1D", "in L2", "in L3" };
	struct json *j = &page->json;

	if (n == 0)
		return;
	html_report_part(page, "table", "By the level that holds the data");
	json_array(j, "columns");
	html_report_column(page, "kernel", "text", NULL);
	for (size_t i = 0; i + 1 < steps[0].n; i++)
		html_report_column(page, levels[i], "number", NULL);
	html_report_column(page, "in memory", "number", NULL);
	html_report_column(page, "steps", "code", NULL);
	json_end_array(j);
	json_array(j, "rows");
	for (size_t k = 0; k < n; k++) {
		json_list(j, NULL);
		json_string(j, NULL, steps[k].kernel);
		for (size_t i = 0; i < steps[k].n; i++)
			json_number(j, NULL, steps[k].level[i]);
		json_string(j, NULL, steps[k].sign);
		json_end_array(j);
	}
	json_end_array(j);
	json_end_object(j);
}

static void put_event(const struct classification *c,
		      const struct classify_event *e, struct json *j)
{
	char *equals = list_equals(c, (size_t)(e - c->events));
	char *counts = describe(c, e);

	json_list(j, NULL);
	json_string(j, NULL, e->name);
	json_string(j, NULL, classify_class(e));
	json_string(j, NULL, classify_is_known(e) ? classify_certainty(e) : "");
	json_string(j, NULL, counts ? counts : "");
	json_string(j, NULL, equals ? equals : "");
	json_end_array(j);
	free(equals);
	free(counts);
}

static void put_events(const struct classification *c, struct html_report *page)
{
	struct json *j = &page->json;

	html_report_part(page, "table", "Events");
	json_array(j, "columns");
	html_report_column(page, "event", "code", NULL);
	html_report_column(page, "class", "text", NULL);
	html_report_column(page, "certainty", "text", NULL);
	html_report_column(page, "counts", "text", NULL);
	html_report_column(page, "same as", "code", NULL);
	json_end_array(j);
	json_array(j, "rows");
	for (size_t i = 0; i < c->n; i++)
		put_event(c, &c->events[i], j);
	json_end_array(j);
	json_end_object(j);
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
	char title[64] = "Counts each time";

	for (size_t i = 0; i < c->n; i++)
		known += classify_is_known(&c->events[i]);
	if (known > MATRIX_ROWS)
		snprintf(title, sizeof(title),
			 "Counts each time, the first %d of %zu events",
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
	json_end_array(j);
	json_end_object(j);
}

/* "BR_INST_RETIRED:COND - BR_INST_RETIRED:COND_NTAKEN" */
static char *recipe_of(const struct classification *c,
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

	html_report_part(page, "table", "PAPI's presets, made of these events");
	json_array(j, "columns");
	html_report_column(page, "preset", "code", NULL);
	html_report_column(page, "is", "text", NULL);
	html_report_column(page, "made of", "code", NULL);
	html_report_column(page, "backward error", "number", NULL);
	html_report_column(page, "error on kernels left out", "number", NULL);
	html_report_column(page, "fits the counters", "text", NULL);
	json_end_array(j);
	json_array(j, "rows");
	for (size_t i = 0; i < d->presets->n; i++) {
		const struct classify_preset *p = &d->presets->items[i];
		char *recipe;

		if (!p->is_preset)
			continue;
		recipe = p->made ? recipe_of(d->c, p) : NULL;
		json_list(j, NULL);
		json_string(j, NULL, p->name);
		json_string(j, NULL, classify_term_text(p->term));
		json_string(j, NULL, recipe ? recipe : "");
		json_number(j, NULL, p->backward_error);
		json_number(j, NULL, p->made ? p->held_out : NAN);
		json_string(j, NULL,
			    !p->made   ? "cannot be made"
			    : p->rival ? "no kernel tells it from another"
			    : p->fits  ? "yes"
				       : "no");
		json_end_array(j);
		free(recipe);
	}
	json_end_array(j);
	json_end_object(j);
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
	json_array(j, "columns");
	html_report_column(page, "class", "code", NULL);
	html_report_column(page, "is", "text", NULL);
	html_report_column(page, "share out of reach", "number", NULL);
	json_end_array(j);
	json_array(j, "rows");
	for (size_t i = 0; i < d->presets->n; i++) {
		const struct classify_preset *p = &d->presets->items[i];

		if (!classify_is_unavailable(p))
			continue;
		json_list(j, NULL);
		json_string(j, NULL, p->name);
		json_string(j, NULL, classify_term_text(p->term));
		json_number(j, NULL, p->residual);
		json_end_array(j);
	}
	json_end_array(j);
	json_end_object(j);
}

static void put_fact(struct json *j, const char *what, const char *text)
{
	if (!text || !*text)
		return;
	json_list(j, NULL);
	json_string(j, NULL, what);
	json_string(j, NULL, text);
	json_end_array(j);
}

/* "CE 0.607, CR 1": those of which something is left; to be freed. */
static char *list_goodness(const struct classify_event *e)
{
	struct strbuf sb = { 0 };

	for (size_t i = 0; i < CLASSIFY_PAPER; i++)
		if (e->goodness[i] >= 5e-4)
			strbuf_addf(&sb, "%s%s %.3g", sb.len ? ", " : "",
				    concepts[classify_paper[i]].symbol,
				    e->goodness[i]);
	strbuf_add(&sb, "");
	return strbuf_take(&sb);
}

/* Class, confidence and relatives of one event. */
static void put_what_it_is(const struct classification *c, size_t event,
			   struct html_report *page)
{
	const struct classify_event *e = &c->events[event];
	char *counts = describe(c, e), *equals = list_equals(c, event);
	char *goodness = list_goodness(e);
	struct json *j = &page->json;
	char noise[NUMBER_ROOM] = "";

	if (e->noise > 1e-3)
		snprintf(noise, sizeof(noise), "%.1f %%", 100 * e->noise);
	html_report_part(page, "table", "What it is");
	json_array(j, "columns");
	html_report_column(page, "", "text", NULL);
	html_report_column(page, c->events[event].name, "text", NULL);
	json_end_array(j);
	json_array(j, "rows");
	put_fact(j, "class", classify_class(e));
	put_fact(j, "counts", counts);
	put_fact(j, "certainty", classify_certainty(e));
	put_fact(j, "decided by", classify_by_name(e->by));
	put_fact(j, "repeats differ by", noise);
	put_fact(j, "same as", equals);
	put_fact(j, "the paper's goodness", goodness);
	json_end_array(j);
	json_end_object(j);
	free(goodness);
	free(counts);
	free(equals);
}

/* What is known of the event that is chosen. */
static void put_details(const struct classification *c,
			struct html_report *page)
{
	struct json *j = &page->json;

	html_report_part(page, "choice", "One event");
	json_string(j, "label", "event");
	json_array(j, "items");
	for (size_t i = 0; i < c->n; i++) {
		if (c->events[i].kind < CLASSIFY_NOISY)
			continue;
		json_object(j, NULL);
		json_string(j, "name", c->events[i].name);
		json_array(j, "parts");
		put_what_it_is(c, i, page);
		classify_put_curves(c, i, page);
		put_steps(c, i, page);
		put_slopes(c, i, page);
		json_end_array(j);
		json_end_object(j);
	}
	json_end_array(j);
	json_end_object(j);
}

static void put_facts(const struct classified *d, struct html_report *page)
{
	const struct classification *c = d->c;
	char text[NUMBER_ROOM];

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
	int err = html_report_open(&page, "What events count",
				   *d->model ? d->model : d->pmu);

	(void)style;
	if (!err) {
		put_facts(d, &page);
		json_array(&page.json, "parts");
		put_events(d->c, &page);
		put_details(d->c, &page);
		put_presets(d, &page);
		put_unavailable(d, &page);
		put_matrix(d->c, &page);
		json_end_array(&page.json);
		err = html_report_close(&page, to);
	}
	return err;
}
