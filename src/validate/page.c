/* SPDX-License-Identifier: BSD-3-Clause */
/* A validation as a page: every event and size, and how far each was off. */

#include <math.h>
#include <papi.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "report/report.h"
#include "validate/validate.h"
#include "write/html.h"
#include "write/number.h"

static void put_facts(const struct validation *v, struct html_report *page)
{
	static const struct {
		const char *name;
		enum validate_verdict verdict;
	} facts[] = {
		{ "As predicted", VERDICT_PASS },
		{ "Not as predicted", VERDICT_FAIL },
		{ "Cannot be counted here", VERDICT_NONE },
	};
	char text[NUMBER_CAPACITY];

	json_array(&page->json, "facts");
	for (size_t i = 0; i < sizeof(facts) / sizeof(*facts); i++)
		html_report_fact(
			page, facts[i].name,
			number_count(text, (double)validate_count(
						   v, facts[i].verdict)));
	html_report_fact(page, "Repeats", number_count(text, v->repeats));
	json_end_array(&page->json);
}

/* The differences of all sizes, one row an event. */
static void put_summary(const struct validation *v, struct html_report *page)
{
	struct json *j = &page->json;
	char text[NUMBER_CAPACITY];

	html_report_part(page, "table",
			 "Difference from the prediction, after subtracting "
			 "the overhead (%)");
	html_report_columns(page, "Event", "item", "Verdict", "verdict", NULL);
	for (size_t i = 0; i < VALIDATE_SIZES; i++)
		html_report_column(page, number_count(text, validate_size(i)),
				   "number");
	html_report_column(page, "Overhead", "number");
	html_report_column(page, "Behaviour", "text");
	html_report_column(page, "Why", "text");
	html_report_rows(page);
	for (size_t e = 0; e < v->n; e++) {
		const struct validate_event *event = &v->events[e];

		json_list(j, NULL);
		json_string(j, NULL, event->name);
		json_string(j, NULL, validate_verdicts[event->verdict]);
		for (size_t i = 0; i < VALIDATE_SIZES; i++)
			json_number(j, NULL,
				    validate_is_asked(&event->rows[i])
					    ? event->rows[i].corrected_pct
					    : NAN);
		json_number(j, NULL, event->rows[0].overhead);
		json_string(j, NULL, validate_classes[event->class]);
		json_string(j, NULL,
			    event->cause    ? event->cause
			    : event->reason ? event->reason
					    : "");
		json_end_array(j);
	}
	html_report_end(page);
}

static void put_numbers(const struct validate_event *event, const char *name,
			double (*get)(const struct validate_row *, size_t),
			struct json *j)
{
	json_list(j, name);
	for (size_t i = 0; i < VALIDATE_SIZES; i++)
		if (validate_is_asked(&event->rows[i]))
			json_number(j, NULL, get(&event->rows[i], i));
	json_end_array(j);
}

static double get_size(const struct validate_row *row, size_t i)
{
	(void)row;
	return validate_size(i);
}

static double get_mean(const struct validate_row *row, size_t i)
{
	(void)i;
	return row->mean > 0 ? row->mean : NAN;
}

static double get_predicted(const struct validate_row *row, size_t i)
{
	(void)i;
	return row->predicted;
}

static void put_axis(struct json *j, const char *name, const char *label)
{
	json_row(j, name);
	json_string(j, "label", label);
	json_bool(j, "log", true);
	json_end_object(j);
}

/* Counted against predicted, over the sizes, for the event that is chosen. */
static void put_chart(const struct validate_event *event,
		      struct html_report *page)
{
	struct json *j = &page->json;
	OWNED char *text = NULL;

	html_report_part(page, "chart", "Counted and predicted");
	text = str_format("Measured with the kernel %s.", event->check->kernel);
	json_string(j, "text", text);
	put_axis(j, "x", "occurrences requested");
	put_axis(j, "y", "counted");
	json_array(j, "series");
	json_object(j, NULL);
	json_string(j, "name", "predicted");
	put_numbers(event, "x", get_size, j);
	put_numbers(event, "y", get_predicted, j);
	json_end_object(j);
	json_object(j, NULL);
	json_string(j, "name", "counted");
	json_string(j, "style", "points");
	put_numbers(event, "x", get_size, j);
	put_numbers(event, "y", get_mean, j);
	json_end_object(j);
	html_report_end(page);
}

/* Predicted, counted and the difference, for each number of occurrences. */
static void put_sizes(const struct validate_event *event,
		      struct html_report *page)
{
	struct json *j = &page->json;

	html_report_part(page, "table", "By the number of occurrences");
	html_report_columns(page, "Requested", "count", "Predicted", "number",
			    "Mean", "number", "± σ", "number", "Difference",
			    "change", "Without overhead", "change", NULL);
	html_report_rows(page);
	for (size_t i = 0; i < VALIDATE_SIZES; i++) {
		const struct validate_row *row = &event->rows[i];

		if (!validate_is_asked(row))
			continue;
		json_cells(j, "%g %g %g %g %g %g", validate_size(i),
			   row->predicted, row->mean, row->stddev,
			   row->error_pct, row->corrected_pct);
	}
	html_report_end(page);
}

/* What the word for an event's behaviour means. */
static const char *behaviour_of(enum validate_class class)
{
	switch (class) {
	case CLASS_EXACT:
		return "exactly, with no overhead";
	case CLASS_CONSTANT:
		return "after a constant overhead is subtracted";
	case CLASS_CHANCE:
		return "within what chance allows";
	case CLASS_STABLE:
		return "within the tolerance, the same in every repeat";
	case CLASS_VARYING:
		return "within the tolerance, different in each repeat";
	default:
		return "";
	}
}

/* " (L1 data cache misses)" of a preset; nothing for other events. */
static void add_meaning(const char *event, struct strbuf *to)
{
	PAPI_event_info_t info;
	int code;

	if (PAPI_is_initialized() == PAPI_NOT_INITED)
		PAPI_library_init(PAPI_VER_CURRENT); /* a worker counted */
	if (PAPI_event_name_to_code(event, &code) == PAPI_OK &&
	    PAPI_get_event_info(code, &info) == PAPI_OK && *info.short_descr)
		strbuf_addf(to, " (%s)", info.short_descr);
}

/* "PAPI_L1_DCM counts as predicted, ...", or why not and what to do. */
static void put_event_lead(const struct validate_event *event, bool simulated,
			   struct html_report *page)
{
	const char *here = simulated ? "the simulated PMU" : "this machine";
	struct strbuf lead = { 0 };

	strbuf_add(&lead, event->name);
	add_meaning(event->check ? event->check->event : event->name, &lead);
	if (event->verdict == VERDICT_NONE)
		strbuf_addf(&lead, " cannot be counted here: %s",
			    event->reason ? event->reason
					  : "no counter has it");
	else if (event->verdict == VERDICT_PASS)
		strbuf_addf(&lead,
			    " counts as predicted, %s. It can be trusted on "
			    "%s.",
			    behaviour_of(event->class), here);
	else
		strbuf_addf(
			&lead,
			" does not count as predicted%s%s. Do not rely on it "
			"on %s: assay classify says what it does count.",
			event->cause ? ": " : "",
			event->cause ? event->cause : "", here);
	html_report_lead(page, &lead);
}

static void put_pages(const struct validation *v, struct html_report *page)
{
	struct json *j = &page->json;

	html_report_part(page, "choice", "One event");
	json_string(j, "label", "event");
	json_bool(j, "page", true);
	json_array(j, "items");
	for (size_t e = 0; e < v->n; e++) {
		json_object(j, NULL);
		json_string(j, "name", v->events[e].name);
		put_event_lead(&v->events[e],
			       strncmp(v->platform, "sim-", 4) == 0, page);
		json_array(j, "parts");
		if (v->events[e].verdict != VERDICT_NONE) {
			put_chart(&v->events[e], page);
			put_sizes(&v->events[e], page);
		}
		html_report_end(page);
	}
	html_report_end(page);
}

static void put_lead(const struct validation *v, struct html_report *page)
{
	size_t pass = validate_count(v, VERDICT_PASS);
	size_t fail = validate_count(v, VERDICT_FAIL);
	struct strbuf lead = { 0 };

	strbuf_addf(&lead, "%zu of %zu events count as predicted", pass, v->n);
	for (size_t e = 0, n = 0; fail && e < v->n; e++)
		if (v->events[e].verdict == VERDICT_FAIL)
			strbuf_addf(&lead, "%s%s",
				    n++ ? ", " : "; not to be trusted: ",
				    v->events[e].name);
	strbuf_add(&lead, ".");
	html_report_lead(page, &lead);
}

int validate_write_page(const void *what, const struct report_style *style,
			FILE *to)
{
	const struct validation *v = what;
	struct html_report page;
	int err = html_report_open(&page, "Predicted and reported counts",
				   report_model_name(v->platform));

	(void)style;
	if (err)
		return err;
	put_lead(v, &page);
	put_facts(v, &page);
	json_array(&page.json, "parts");
	put_summary(v, &page);
	put_pages(v, &page);
	json_end_array(&page.json);
	return html_report_close(&page, to);
}
