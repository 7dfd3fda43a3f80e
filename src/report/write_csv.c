/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A report as CSV: one row a number, the same columns for all, so that the
 * file is one table. The first row names the columns. An empty field means no
 * value.
 */

#include <inttypes.h>
#include <math.h>

#include "base/err.h"
#include "report/writer.h"
#include "write/csv.h"

/* One line of the table; what a row does not set is empty. */
struct csv_row {
	const char *section;
	const char *name;
	struct report_number number;
	const char *unit;
	const char *source;
	const char *quality;
	double error;
	bool timed;
	uint64_t enabled_ns;
	uint64_t running_ns;
	const char *verdict;
	const char *formula;
	const char *reason;
};

#define NO_NUMBER                                                              \
	(struct report_number)                                                 \
	{                                                                      \
		NAN, NAN, NAN, NAN                                             \
	}

static void put_row(const struct csv_row *row, FILE *to)
{
	csv_put_field(row->section, to);
	csv_put_next(row->name, to);
	csv_put_number(row->number.value, to);
	csv_put_next(row->unit, to);
	csv_put_next(row->source, to);
	csv_put_next(row->quality, to);
	csv_put_number(row->error, to);
	if (row->timed)
		fprintf(to, ",%" PRIu64 ",%" PRIu64, row->enabled_ns,
			row->running_ns);
	else
		fputs(",,", to);
	csv_put_number(row->number.stddev, to);
	csv_put_number(row->number.min, to);
	csv_put_number(row->number.max, to);
	csv_put_next(row->verdict, to);
	csv_put_next(row->formula, to);
	csv_put_next(row->reason, to);
	fputs("\r\n", to);
}

static void put_plain(const char *section, const char *name, double value,
		      const char *unit, FILE *to)
{
	struct csv_row row = {
		.section = section,
		.name = name,
		.number = NO_NUMBER,
		.unit = unit,
		.error = NAN,
	};

	row.number.value = value;
	put_row(&row, to);
}

static void put_seconds(const char *name, const struct report_number *number,
			FILE *to)
{
	struct csv_row row = {
		.section = "time",
		.name = name,
		.number = *number,
		.unit = "s",
		.error = NAN,
	};

	put_row(&row, to);
}

static void put_event(const struct report_event *e, FILE *to)
{
	struct csv_row row = {
		.section = "event",
		.name = e->name,
		.number = e->number,
		.unit = e->unit,
		.source = e->source,
		.quality = report_quality_name(e->quality),
		.error = e->quality == REPORT_SCALED ? e->error : NAN,
		.timed = true,
		.enabled_ns = e->enabled_ns,
		.running_ns = e->running_ns,
		.reason = e->reason,
	};

	if (e->quality == REPORT_NONE)
		row.number = NO_NUMBER;
	put_row(&row, to);
}

static void put_metric(const struct report_metric *m, FILE *to)
{
	struct csv_row row = {
		.section = "metric",
		.name = m->name,
		.number = m->number,
		.unit = m->unit,
		.error = m->scaled ? m->error : NAN,
		.verdict = report_verdict_name(m->verdict),
		.formula = m->formula,
		.reason = m->reason,
	};

	put_row(&row, to);
}

static void put_peak(const struct report_resources *r, FILE *to)
{
	char reason[100];
	struct csv_row row = {
		.section = "resource",
		.name = "max_rss",
		.number = NO_NUMBER,
		.unit = "kB",
		.error = NAN,
	};

	snprintf(reason, sizeof(reason),
		 "at most %" PRIu64 ": the process had that before the program",
		 r->max_rss_kb);
	if (r->rss_is_bound)
		row.reason = reason;
	else
		row.number.value = (double)r->max_rss_kb;
	put_row(&row, to);
}

static void put_resources(const struct report_resources *r, FILE *to)
{
	put_peak(r, to);
	put_plain("resource", "minor_faults", (double)r->minor_faults, "", to);
	put_plain("resource", "major_faults", (double)r->major_faults, "", to);
	put_plain("resource", "voluntary_switches",
		  (double)r->voluntary_switches, "", to);
	put_plain("resource", "involuntary_switches",
		  (double)r->involuntary_switches, "", to);
}

int write_csv(const void *report, const struct report_style *style, FILE *to)
{
	const struct report *r = report;
	(void)style;
	fputs("section,name,value,unit,source,quality,stderr,enabled_ns,"
	      "running_ns,stddev,min,max,verdict,formula,reason\r\n",
	      to);
	put_plain("run", "exit", r->exit, "", to);
	put_plain("run", "runs", r->runs, "", to);
	put_seconds("wall", &r->time.wall_s, to);
	put_seconds("user", &r->time.user_s, to);
	put_seconds("system", &r->time.system_s, to);
	put_plain("time", "native", r->time.native, "", to);
	if (!r->attached)
		put_resources(&r->resources, to);
	for (size_t i = 0; i < r->n_events; i++)
		put_event(&r->events[i], to);
	for (size_t i = 0; i < r->n_metrics; i++)
		put_metric(&r->metrics[i], to);
	return fflush(to) || ferror(to) ? PAPI_ESYS : 0;
}
