/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A report as a page: the verdicts first (page_answer.h), then what
 * write_text() says, to be sorted and searched.
 */

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/strbuf.h"
#include "report/page_answer.h"
#include "report/writer.h"
#include "write/html.h"
#include "write/number.h"

/* The command, less the directories before the program's name. */
static char *command_of(const struct report *r)
{
	struct strbuf words = { 0 };

	for (const char *const *w = r->command; w && *w; w++) {
		const char *slash = words.len ? NULL : strrchr(*w, '/');

		strbuf_addf(&words, "%s%s", words.len ? " " : "",
			    slash ? slash + 1 : *w);
	}
	return strbuf_take(&words);
}

static const char *pmu_of(const struct report *r, char *text, size_t capacity)
{
	if (strcmp(r->pmu.kind, "sim") == 0)
		snprintf(text, capacity, "simulated: %s",
			 report_model_name(r->pmu.model));
	else if (strcmp(r->pmu.kind, "hw") == 0)
		snprintf(text, capacity, "hardware: %s",
			 r->pmu.model ? r->pmu.model : "");
	else
		snprintf(text, capacity, "no PMU");
	return text;
}

static void put_time(struct html_report *page, const char *name,
		     const struct report_number *n)
{
	char text[NUMBER_CAPACITY];

	if (!isnan(n->value))
		html_report_fact(page, name,
				 number_seconds(text, (double)n->value));
}

static void put_facts(const struct report *r, struct html_report *page)
{
	char text[NUMBER_CAPACITY];

	json_array(&page->json, "facts");
	if (r->command && r->command[0])
		html_report_fact(page, "Program", r->command[0]);
	html_report_fact(page, "Processor", r->machine.cpu);
	html_report_fact(page, "Exit status", number_count(text, r->exit));
	if (r->runs > 1)
		html_report_fact(page, "Runs", number_count(text, r->runs));
	put_time(page, r->time.native ? "Wall clock" : "Simulator ran",
		 &r->time.wall_s);
	put_time(page, "User", &r->time.user_s);
	put_time(page, "System", &r->time.system_s);
	if (!r->attached)
		html_report_fact(
			page,
			r->resources.rss_is_bound ? "Peak memory, at most"
						  : "Peak memory",
			number_kilobytes(text, r->resources.max_rss_kb));
	json_end_array(&page->json);
}

/* Whether there is a column of what numbers are sure to: the spread of runs, or
 * the standard error of what was scaled. */
static bool has_spread(const struct report *r)
{
	bool any = r->runs > 1;

	for (size_t i = 0; i < r->n_events; i++)
		any |= r->events[i].quality == REPORT_SCALED;
	return any;
}

static void put_sigma(double stddev, bool scaled, double error, struct json *j)
{
	json_number(j, NULL, isnan(stddev) && scaled ? error : stddev);
}

/* A row without a value: what it is called, and why. */
struct lacking {
	const char *name;
	const char *reason;
};

/* {"reason", "names": [..]} for each reason of the @n rows. */
static void put_lacking(const struct lacking *rows, size_t n, struct json *j)
{
	json_array(j, "folded");
	for (size_t i = 0; i < n; i++) {
		size_t first = 0;

		while (strcmp(rows[first].reason, rows[i].reason) != 0)
			first++;
		if (first < i)
			continue; /* named with that one */
		json_row(j, NULL);
		json_string(j, "reason", rows[i].reason);
		json_list(j, "names");
		for (size_t k = i; k < n; k++)
			if (strcmp(rows[k].reason, rows[i].reason) == 0)
				json_string(j, NULL, rows[k].name);
		json_end_array(j);
		json_end_object(j);
	}
	json_end_array(j);
}

static const char *reason_of(const char *reason)
{
	return reason && *reason ? reason : "not counted";
}

static void put_metric(const struct report_metric *m, bool spread,
		       struct json *j)
{
	json_list(j, NULL);
	json_string(j, NULL, page_metric_name(m));
	json_number(j, NULL, m->number.value);
	if (spread)
		put_sigma(m->number.stddev, m->scaled, m->error, j);
	json_string(j, NULL, *m->unit ? m->unit : "");
	json_string(j, NULL, report_verdict_name(m->verdict));
	json_string(j, NULL, m->threshold ? m->threshold : "");
	json_string(j, NULL, m->name);
	json_string(j, NULL, m->formula);
	json_end_array(j);
}

static void put_metrics(const struct report *r, struct html_report *page)
{
	OWNED struct lacking *lacking = calloc(r->n_metrics, sizeof(*lacking));
	bool spread = has_spread(r);
	size_t n = 0;

	html_report_part(page, "table", "Metrics");
	json_string(&page->json, "more", "names and formulas");
	html_report_columns(page, "Metric", "text", "Value", "number", NULL);
	if (spread)
		html_report_column(page, "± σ", "number");
	html_report_column(page, "Unit", "text");
	html_report_column(page, "Verdict", "verdict");
	html_report_column(page, "Threshold", "text");
	html_report_more(page, "Name", "code");
	html_report_more(page, "Formula", "code");
	html_report_rows(page);
	for (size_t i = 0; i < r->n_metrics; i++) {
		const struct report_metric *m = &r->metrics[i];

		if (isnan(m->number.value) && lacking)
			lacking[n++] = (struct lacking){ page_metric_name(m),
							 reason_of(m->reason) };
		else
			put_metric(m, spread, &page->json);
	}
	json_end_array(&page->json);
	put_lacking(lacking, n, &page->json);
	json_end_object(&page->json);
}

/* What an event is called by people: what it means, in a line. */
static const char *event_text(const struct report_event *e)
{
	return *e->text ? e->text : e->name;
}

static void put_event(const struct report_event *e, bool spread, struct json *j)
{
	json_list(j, NULL);
	json_string(j, NULL, event_text(e));
	json_count(j, NULL, e->number.value);
	if (spread)
		put_sigma(e->number.stddev, e->quality == REPORT_SCALED,
			  e->error, j);
	json_string(j, NULL, *e->unit ? e->unit : "");
	json_string(j, NULL, e->name);
	json_string(j, NULL, e->source);
	json_string(j, NULL,
		    e->quality == REPORT_SCALED ? "estimated" : "counted");
	json_string(j, NULL, e->reason ? e->reason : "");
	json_end_array(j);
}

static void put_events(const struct report *r, struct html_report *page)
{
	OWNED struct lacking *lacking = calloc(r->n_events, sizeof(*lacking));
	bool spread = has_spread(r);
	size_t n = 0;

	html_report_part(page, "table", "Counters");
	html_report_columns(page, "Counts", "text", "Value", "count", NULL);
	if (spread)
		html_report_column(page, "± σ", "number");
	html_report_column(page, "Unit", "text");
	html_report_column(page, "Event", "code");
	html_report_more(page, "Source", "text");
	html_report_column(page, "Quality", "text");
	html_report_more(page, "Remark", "text");
	html_report_rows(page);
	for (size_t i = 0; i < r->n_events; i++) {
		const struct report_event *e = &r->events[i];

		if (isnan(e->number.value) && lacking)
			lacking[n++] = (struct lacking){ e->name,
							 reason_of(e->reason) };
		else
			put_event(e, spread, &page->json);
	}
	json_end_array(&page->json);
	put_lacking(lacking, n, &page->json);
	json_end_object(&page->json);
}

/* A note with a capital letter, unless it begins with a name ("sim::X"). */
static void put_sentence(const char *note, struct json *j)
{
	size_t word = strspn(note, "abcdefghijklmnopqrstuvwxyz");
	OWNED char *text = strdup(note);

	if (text && word > 0 && text[word] == ' ')
		text[0] = (char)toupper((unsigned char)text[0]);
	json_string(j, NULL, text ? text : note);
}

static void put_notes(const struct report *r, struct html_report *page)
{
	if (r->n_notes == 0)
		return;
	html_report_part(page, "list", "What to do next");
	json_list(&page->json, "items");
	for (size_t i = 0; i < r->n_notes; i++)
		put_sentence(r->notes[i], &page->json);
	html_report_end(page);
}

/* An event over threads, where that was asked for. */
static void put_fold(const struct report *r, const struct report_fold *f,
		     struct html_report *page)
{
	struct json *j = &page->json;

	html_report_part(page, "chart", f->event);
	json_row_of(j, "x", "label %s", "thread");
	json_row_of(j, "y", "label %s, unit %s", f->event,
		    *f->unit ? f->unit : NULL);
	json_array(j, "series");
	json_row(j, NULL);
	json_string(j, "name", f->event);
	json_string(j, "style", "bars");
	json_list(j, "x");
	for (size_t i = 0; i < r->threads.n; i++)
		json_unsigned(j, NULL, i);
	json_end_array(j);
	json_list(j, "y");
	for (size_t i = 0; i < r->threads.n; i++)
		json_number(j, NULL, (double)f->values[i]);
	html_report_end(page);
	html_report_end(page);
}

int write_html(const void *report, const struct report_style *style, FILE *to)
{
	const struct report *r = report;
	struct html_report page;
	OWNED char *command = command_of(r);
	char pmu[128];
	int err = html_report_open(&page, command ? command : "assay",
				   pmu_of(r, pmu, sizeof(pmu)));

	(void)style;
	if (err)
		return err;
	page_put_lead(r, &page);
	put_facts(r, &page);
	json_array(&page.json, "parts");
	page_put_cards(r, &page);
	put_notes(r, &page);
	page_put_cycles(r, &page);
	if (r->n_metrics > 0)
		put_metrics(r, &page);
	put_events(r, &page);
	for (size_t i = 0; i < r->threads.n_folds; i++)
		put_fold(r, &r->threads.folds[i], &page);
	json_end_array(&page.json);
	return html_report_close(&page, to);
}
