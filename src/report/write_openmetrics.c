/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A report as OpenMetrics text (openmetrics.io, 1.0), for a time series
 * database: one gauge family a kind of number, the name of the event or metric
 * as a label. What has no value is left out, as that standard asks; why is a
 * label of a family of its own.
 */

#include <inttypes.h>
#include <math.h>

#include "base/err.h"
#include "report/writer.h"
#include "write/number.h"

/* Label values escape backslash, quote and newline, and nothing else. */
static void put_label(const char *name, const char *value, FILE *to)
{
	fprintf(to, "%s=\"", name);
	for (; *value; value++) {
		if (*value == '\\' || *value == '"')
			putc('\\', to);
		if (*value == '\n')
			fputs("\\n", to);
		else
			putc(*value, to);
	}
	putc('"', to);
}

static void put_family(const char *name, const char *unit, const char *help,
		       FILE *to)
{
	fprintf(to, "# TYPE %s gauge\n", name);
	if (*unit)
		fprintf(to, "# UNIT %s %s\n", name, unit);
	fprintf(to, "# HELP %s %s\n", name, help);
}

static const char *program_of(const struct report *r)
{
	return r->command && r->command[0] ? r->command[0] : "";
}

/* "name{program="...",label="..."} value" */
static void put_sample(const struct report *r, const char *family,
		       const char *label, const char *label_value,
		       long double value, FILE *to)
{
	char text[NUMBER_CAPACITY];

	if (!isfinite(value))
		return;
	fprintf(to, "%s{", family);
	put_label("program", program_of(r), to);
	putc(',', to);
	put_label(label, label_value, to);
	fprintf(to, "} %s\n", number_exact(text, value));
}

static void put_times(const struct report *r, FILE *to)
{
	const struct report_time *t = &r->time;

	put_family("assay_time_seconds", "seconds",
		   t->native ? "Time taken by the program."
			     : "Time taken by the simulator.",
		   to);
	put_sample(r, "assay_time_seconds", "kind", "wall", t->wall_s.value,
		   to);
	put_sample(r, "assay_time_seconds", "kind", "user", t->user_s.value,
		   to);
	put_sample(r, "assay_time_seconds", "kind", "system", t->system_s.value,
		   to);
}

static void put_resources(const struct report *r, FILE *to)
{
	const struct report_resources *u = &r->resources;

	put_family("assay_max_rss_bytes", "bytes", "Peak resident memory.", to);
	if (!u->rss_is_bound)
		put_sample(r, "assay_max_rss_bytes", "kind", "peak",
			   1024.0 * (double)u->max_rss_kb, to);
	put_family("assay_page_faults", "", "Page faults.", to);
	put_sample(r, "assay_page_faults", "kind", "minor",
		   (double)u->minor_faults, to);
	put_sample(r, "assay_page_faults", "kind", "major",
		   (double)u->major_faults, to);
	put_family("assay_context_switches", "", "Context switches.", to);
	put_sample(r, "assay_context_switches", "kind", "voluntary",
		   (double)u->voluntary_switches, to);
	put_sample(r, "assay_context_switches", "kind", "involuntary",
		   (double)u->involuntary_switches, to);
}

static void put_events(const struct report *r, FILE *to)
{
	put_family("assay_event", "", "Events counted.", to);
	for (size_t i = 0; i < r->n_events; i++)
		if (r->events[i].quality != REPORT_NONE)
			put_sample(r, "assay_event", "event", r->events[i].name,
				   r->events[i].number.value, to);
}

/* Standard errors of what was estimated. */
static void put_errors(const struct report *r, FILE *to)
{
	put_family("assay_event_stderr", "",
		   "Standard errors of estimated counts.", to);
	for (size_t i = 0; i < r->n_events; i++)
		if (r->events[i].quality == REPORT_SCALED)
			put_sample(r, "assay_event_stderr", "event",
				   r->events[i].name, r->events[i].error, to);
	put_family("assay_metric_stderr", "",
		   "Standard errors of metrics of estimated counts.", to);
	for (size_t i = 0; i < r->n_metrics; i++)
		if (r->metrics[i].scaled)
			put_sample(r, "assay_metric_stderr", "metric",
				   r->metrics[i].name, r->metrics[i].error, to);
}

/* Why events have no value, or one that lacks something. */
static void put_reasons(const struct report *r, FILE *to)
{
	bool has_begun = false;

	for (size_t i = 0; i < r->n_events; i++) {
		if (!r->events[i].reason)
			continue;
		if (!has_begun)
			put_family("assay_event_reason", "",
				   "Why a count is missing or doubtful.", to);
		has_begun = true;
		fputs("assay_event_reason{", to);
		put_label("program", program_of(r), to);
		putc(',', to);
		put_label("event", r->events[i].name, to);
		putc(',', to);
		put_label("reason", r->events[i].reason, to);
		fputs("} 1\n", to);
	}
}

static void put_metrics(const struct report *r, FILE *to)
{
	put_family("assay_metric", "", "Metrics derived from events.", to);
	for (size_t i = 0; i < r->n_metrics; i++)
		put_sample(r, "assay_metric", "metric", r->metrics[i].name,
			   r->metrics[i].number.value, to);
}

int write_openmetrics(const void *report, const struct report_style *style,
		      FILE *to)
{
	const struct report *r = report;
	(void)style;
	put_family("assay_exit_status", "", "Exit status of the program.", to);
	put_sample(r, "assay_exit_status", "kind", "exit", r->exit, to);
	put_times(r, to);
	if (!r->attached)
		put_resources(r, to);
	put_events(r, to);
	put_reasons(r, to);
	put_metrics(r, to);
	put_errors(r, to);
	fputs("# EOF\n", to);
	return fflush(to) || ferror(to) ? PAPI_ESYS : 0;
}
