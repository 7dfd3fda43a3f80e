/* SPDX-License-Identifier: BSD-3-Clause */
/* A validation as a page: every event and size, and how far each was off. */

#include <math.h>
#include <papi.h>

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
	char text[NUMBER_ROOM];

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
	char text[NUMBER_ROOM];

	html_report_part(page, "table",
			 "Difference from what was predicted, overhead "
			 "taken off (%)");
	json_array(j, "columns");
	html_report_column(page, "event", "code", NULL);
	for (size_t i = 0; i < VALIDATE_SIZES; i++)
		html_report_column(page, number_count(text, validate_size(i)),
				   "number", NULL);
	html_report_column(page, "overhead", "number", NULL);
	html_report_column(page, "verdict", "verdict", NULL);
	html_report_column(page, "behaviour", "text", NULL);
	html_report_column(page, "why", "text", NULL);
	json_end_array(j);
	json_array(j, "rows");
	for (size_t e = 0; e < v->n; e++) {
		const struct validate_event *event = &v->events[e];

		json_list(j, NULL);
		json_string(j, NULL, event->name);
		for (size_t i = 0; i < VALIDATE_SIZES; i++)
			json_number(j, NULL,
				    validate_is_asked(&event->rows[i])
					    ? event->rows[i].corrected_pct
					    : NAN);
		json_number(j, NULL, event->rows[0].overhead);
		json_string(j, NULL, validate_verdicts[event->verdict]);
		json_string(j, NULL, validate_classes[event->class]);
		json_string(j, NULL,
			    event->cause    ? event->cause
			    : event->reason ? event->reason
					    : "");
		json_end_array(j);
	}
	json_end_array(j);
	json_end_object(j);
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

	html_report_part(page, "chart", event->name);
	json_string(j, "text", event->check->kernel);
	put_axis(j, "x", "occurrences asked for");
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
	json_end_array(j);
	json_end_object(j);
}

static void put_charts(const struct validation *v, struct html_report *page)
{
	struct json *j = &page->json;

	html_report_part(page, "choice", "Counted and predicted");
	json_string(j, "label", "event");
	json_array(j, "items");
	for (size_t e = 0; e < v->n; e++) {
		if (v->events[e].verdict == VERDICT_NONE)
			continue;
		json_object(j, NULL);
		json_string(j, "name", v->events[e].name);
		json_array(j, "parts");
		put_chart(&v->events[e], page);
		json_end_array(j);
		json_end_object(j);
	}
	json_end_array(j);
	json_end_object(j);
}

int validate_write_page(const void *what, const struct report_style *style,
			FILE *to)
{
	const struct validation *v = what;
	struct html_report page;
	int err = html_report_open(&page, "Predicted and reported counts",
				   v->platform);

	(void)style;
	if (err)
		return err;
	put_facts(v, &page);
	json_array(&page.json, "parts");
	put_summary(v, &page);
	put_charts(v, &page);
	json_end_array(&page.json);
	return html_report_close(&page, to);
}
