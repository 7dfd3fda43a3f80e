/* SPDX-License-Identifier: BSD-3-Clause */
/* A validation as text, JSON and CSV. */

#include <math.h>
#include <papi.h>
#include <string.h>

#include "cli/validate.h"
#include "report/json.h"
#include "report/number.h"
#include "report/style.h"

static const enum ink inks[] = {
	[VERDICT_PASS] = INK_GOOD,
	[VERDICT_FAIL] = INK_POOR,
	[VERDICT_NONE] = INK_DIM,
};

static bool is_asked(const struct validate_row *row)
{
	return row->predicted > 0 || row->allowed > 0;
}

/* Events that gave the same in every repeat. */
static size_t count_alike(const struct validation *v)
{
	size_t n = 0;

	for (size_t e = 0; e < v->n; e++) {
		bool alike = v->events[e].verdict != VERDICT_NONE;

		for (size_t i = 0; i < VALIDATE_SIZES; i++)
			if (is_asked(&v->events[e].rows[i]))
				alike &= v->events[e].rows[i].max <=
					 v->events[e].rows[i].min;
		n += alike;
	}
	return n;
}

/* Text. */

/* "0", "-0.3", "1.6e+03": a difference in few columns. */
static const char *difference(char *text, size_t room, double pct)
{
	if (isnan(pct))
		return "-";
	if (fabs(pct) < 5e-7)
		return "0";
	snprintf(text, room, fabs(pct) < 1000 ? "%.3g" : "%.1e", pct);
	return text;
}

static void put_summary(const struct validate_event *event,
			const struct report_style *style, FILE *to)
{
	char text[32], number[NUMBER_ROOM];

	fprintf(to, "%-20s", event->name);
	for (size_t i = 0; i < VALIDATE_SIZES; i++)
		fprintf(to, " %7s",
			is_asked(&event->rows[i])
				? difference(text, sizeof(text),
					     event->rows[i].corrected_pct)
				: "");
	fprintf(to, " %8s  %s%-4s%s %s\n",
		isnan(event->rows[0].overhead)
			? "-"
			: number_short(number, event->rows[0].overhead),
		style_on(style, inks[event->verdict]),
		validate_verdicts[event->verdict], style_off(style),
		validate_classes[event->class]);
}

static void put_rows(const struct validate_event *event, FILE *to)
{
	fprintf(to, "\n%s by %s\n%10s %14s %14s %10s %12s %12s %10s %10s\n",
		event->name, event->check->kernel, "asked", "predicted", "mean",
		"stddev", "min", "max", "diff %", "corr. %");
	for (size_t i = 0; i < VALIDATE_SIZES; i++) {
		const struct validate_row *r = &event->rows[i];
		char a[32], b[32];

		if (!is_asked(r))
			continue;
		fprintf(to,
			"%10.0f %14.0f %14.1f %10.3g %12.0f %12.0f %10s %10s\n",
			validate_size(i), r->predicted, r->mean, r->stddev,
			r->min, r->max, difference(a, sizeof(a), r->error_pct),
			difference(b, sizeof(b), r->corrected_pct));
	}
}

static void put_patterns(const struct validation *v, FILE *to)
{
	fprintf(to, "\noverhead by way of reading\n%-20s", "event");
	for (int p = 0; p < PATTERN_COUNT; p++)
		fprintf(to, " %12s", validate_patterns[p]);
	putc('\n', to);
	for (size_t e = 0; e < v->n; e++) {
		if (v->events[e].verdict == VERDICT_NONE)
			continue;
		fprintf(to, "%-20s", v->events[e].name);
		for (int p = 0; p < PATTERN_COUNT; p++)
			fprintf(to, " %12.6g",
				v->events[e].patterns[p].overhead);
		putc('\n', to);
	}
}

static void put_reasons(const struct validation *v,
			const struct report_style *style, FILE *to)
{
	for (size_t e = 0; e < v->n; e++) {
		const struct validate_event *event = &v->events[e];
		const char *text = event->cause ? event->cause : event->reason;

		if (!text)
			continue;
		fprintf(to, "%s: ", event->name);
		style_wrap(style, text, strlen(event->name) + 2, 2, to);
	}
}

static bool has_patterns(const struct validation *v)
{
	for (size_t e = 0; e < v->n; e++)
		if (is_asked(&v->events[e].patterns[PATTERN_READ_READ]) &&
		    !isnan(v->events[e].patterns[PATTERN_READ_READ].overhead))
			return true;
	return false;
}

int validate_write_text(const void *what, const struct report_style *style,
			FILE *to)
{
	const struct validation *v = what;
	size_t passed = validate_count(v, VERDICT_PASS);

	style_heading(style, v->platform, to);
	fprintf(to, "%% difference after overhead, for so many occurrences\n");
	fprintf(to, "%-20s %7s %7s %7s %7s %7s %7s %7s %8s  %s\n", "event", "1",
		"10", "100", "1e3", "1e4", "1e5", "1e6", "overhead", "verdict");
	for (size_t e = 0; e < v->n; e++)
		put_summary(&v->events[e], style, to);
	for (size_t e = 0; style->verbose && e < v->n; e++)
		put_rows(&v->events[e], to);
	if (has_patterns(v))
		put_patterns(v, to);
	putc('\n', to);
	put_reasons(v, style, to);
	fprintf(to,
		"%u repeats, in which %zu of %zu events gave the same each "
		"time%s\n",
		v->repeats, count_alike(v), v->n,
		v->proven ? ": this PMU is deterministic, and more repeats "
			    "would say the same"
			  : "");
	fprintf(to, "%zu event%s as predicted, %zu not, %zu not counted\n",
		passed, passed == 1 ? "" : "s", validate_count(v, VERDICT_FAIL),
		validate_count(v, VERDICT_NONE));
	return ferror(to) ? PAPI_ESYS : 0;
}

/* JSON. */

static void put_json_row(struct json *j, const struct validation *v,
			 const struct validate_event *event, double asked,
			 enum experiment_pattern pattern,
			 const struct validate_row *row)
{
	const char *reason = event->cause ? event->cause : event->reason;

	json_row(j, NULL);
	json_string(j, "event", event->name);
	json_string(j, "checked_as", event->check->event);
	json_string(j, "kernel", event->check->kernel);
	json_string(j, "pattern", validate_patterns[pattern]);
	json_number(j, "granularity", asked);
	json_unsigned(j, "repeats", v->repeats);
	json_number(j, "predicted", row->predicted);
	json_number(j, "mean", row->mean);
	json_number(j, "stddev", row->stddev);
	json_number(j, "variance", row->variance);
	json_number(j, "min", isfinite(row->min) ? row->min : NAN);
	json_number(j, "max", isfinite(row->max) ? row->max : NAN);
	json_number(j, "error_pct", row->error_pct);
	json_number(j, "overhead", row->overhead);
	json_number(j, "corrected_error_pct", row->corrected_pct);
	json_string(j, "verdict", validate_verdicts[row->verdict]);
	json_string(j, "determinism", validate_classes[event->class]);
	json_string(j, "reason", row->verdict == VERDICT_PASS ? NULL : reason);
	json_end_object(j);
}

int validate_write_json(const void *what, const struct report_style *style,
			FILE *to)
{
	const struct validation *v = what;
	struct json j;

	(void)style;
	json_init(&j, to);
	json_object(&j, NULL);
	json_unsigned(&j, "assay", 1);
	json_string(&j, "platform", v->platform);
	json_string(&j, "where", v->where);
	json_unsigned(&j, "repeats", v->repeats);
	json_bool(&j, "deterministic", v->proven);
	json_array(&j, "rows");
	for (size_t e = 0; e < v->n; e++) {
		const struct validate_event *event = &v->events[e];

		for (size_t i = 0; i < VALIDATE_SIZES; i++)
			if (is_asked(&event->rows[i]))
				put_json_row(&j, v, event, validate_size(i),
					     PATTERN_START_STOP,
					     &event->rows[i]);
		for (int p = PATTERN_START_READ; p < PATTERN_COUNT; p++)
			if (has_patterns(v))
				put_json_row(&j, v, event, 1000,
					     (enum experiment_pattern)p,
					     &event->patterns[p]);
	}
	json_end_array(&j);
	json_end_object(&j);
	return json_finish(&j);
}

/* CSV; what there is none of is an empty field. */

static void put_csv_number(double value, FILE *to)
{
	char text[NUMBER_ROOM];

	fprintf(to, ",%s", isfinite(value) ? number_exact(text, value) : "");
}

int validate_write_csv(const void *what, const struct report_style *style,
		       FILE *to)
{
	const struct validation *v = what;

	(void)style;
	fputs("event,kernel,granularity,repeats,predicted,mean,stddev,variance,"
	      "min,max,error_pct,overhead,corrected_error_pct,verdict,"
	      "determinism\r\n",
	      to);
	for (size_t e = 0; e < v->n; e++)
		for (size_t i = 0; i < VALIDATE_SIZES; i++) {
			const struct validate_event *event = &v->events[e];
			const struct validate_row *r = &event->rows[i];

			if (!is_asked(r))
				continue;
			fprintf(to, "%s,%s,%.0f,%u", event->name,
				event->check->kernel, validate_size(i),
				v->repeats);
			put_csv_number(r->predicted, to);
			put_csv_number(r->mean, to);
			put_csv_number(r->stddev, to);
			put_csv_number(r->variance, to);
			put_csv_number(r->min, to);
			put_csv_number(r->max, to);
			put_csv_number(r->error_pct, to);
			put_csv_number(r->overhead, to);
			put_csv_number(r->corrected_pct, to);
			fprintf(to, ",%s,%s\r\n", validate_verdicts[r->verdict],
				validate_classes[event->class]);
		}
	return ferror(to) ? PAPI_ESYS : 0;
}
