/* SPDX-License-Identifier: BSD-3-Clause */
/* Writing performance files. What has no value has no attribute. */
#include <math.h>

#include "taskfile/taskfile.h"
#include "write/xml.h"

static void put_text(FILE *to, const char *name, const char *value)
{
	fprintf(to, " %s=\"", name);
	xml_put_attribute(value, to);
	putc('"', to);
}

static void put_real(FILE *to, const char *name, double value)
{
	if (!isnan(value))
		fprintf(to, " %s=\"%.17g\"", name, value);
}

/* A count: all its digits. */
static void put_count(FILE *to, const char *name, long double value)
{
	if (value == rintl(value) && fabsl(value) < 1.9e19L)
		fprintf(to, " %s=\"%.0Lf\"", name, value);
	else
		put_real(to, name, (double)value);
}

static void put_integer(FILE *to, const char *name, long long value)
{
	fprintf(to, " %s=\"%lld\"", name, value);
}

static int write_head(void *to, const struct task_head *head)
{
	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<hpm", to);
	put_text(to, "version", "1");
	put_text(to, "program", head->program);
	if (head->task >= 0)
		put_integer(to, "task", head->task);
	put_integer(to, "tasks", head->tasks);
	if (head->pid)
		put_integer(to, "pid", head->pid);
	put_integer(to, "started", head->started);
	put_real(to, "seconds", head->seconds);
	put_text(to, "pmu", head->pmu);
	if (head->model[0])
		put_text(to, "model", head->model);
	put_text(to, "complete", head->complete ? "true" : "false");
	fputs(">\n", to);
	return 0;
}

static int write_event(void *to, const struct task_event *event)
{
	fputs("  <Event", to);
	put_text(to, "name", event->name);
	put_text(to, "counted", event->counted ? "true" : "false");
	if (!event->counted)
		put_text(to, "reason", event->reason);
	fputs("/>\n", to);
	return 0;
}

static int write_overhead(void *to, const struct task_overhead *overhead)
{
	fputs("  <Overhead", to);
	put_text(to, "kind", overhead->kind);
	put_text(to, "name", overhead->name);
	put_real(to, "inside", overhead->inside);
	put_real(to, "full", overhead->full);
	put_real(to, "uncertainty", overhead->uncertainty);
	fputs("/>\n", to);
	return 0;
}

static int write_problem(void *to, const struct task_problem *problem)
{
	fputs("  <Problem", to);
	put_text(to, "what", problem->what);
	put_integer(to, "id", problem->id);
	put_text(to, "file", problem->file);
	put_integer(to, "line", problem->line);
	put_real(to, "count", problem->count);
	fputs("/>\n", to);
	return 0;
}

static void write_metric(FILE *to, const struct task_datum *datum)
{
	if (datum->unit[0])
		put_text(to, "unit", datum->unit);
	put_text(to, "formula", datum->formula);
	put_real(to, "sbad", datum->sbad);
	put_real(to, "sgood", datum->sgood);
	put_real(to, "dbad", datum->dbad);
	put_real(to, "dgood", datum->dgood);
	if (datum->verdict[0])
		put_text(to, "verdict", datum->verdict);
}

static void write_datum(FILE *to, const struct task_datum *datum)
{
	fputs("    <data", to);
	put_text(to, "name", datum->name);
	put_count(to, "value", datum->value);
	put_count(to, "raw", datum->raw);
	put_count(to, "correction", datum->correction);
	put_count(to, "uncertainty", datum->uncertainty);
	put_count(to, "exclusive", datum->exclusive);
	put_real(to, "mean", datum->mean);
	put_real(to, "stddev", datum->stddev);
	put_count(to, "min", datum->min);
	put_count(to, "max", datum->max);
	put_real(to, "taskn", datum->task_n);
	put_real(to, "taskmean", datum->task_mean);
	put_real(to, "taskstddev", datum->task_stddev);
	put_count(to, "taskmin", datum->task_min);
	put_count(to, "taskmax", datum->task_max);
	if (datum->min_task >= 0)
		put_integer(to, "mintask", datum->min_task);
	if (datum->max_task >= 0)
		put_integer(to, "maxtask", datum->max_task);
	if (datum->task_mean > 0) /* how much more the most has than the mean */
		put_real(to, "imbalance",
			 (double)(datum->task_max / datum->task_mean - 1));
	if (!datum->shown)
		put_text(to, "disp", "false");
	if (datum->reason && datum->reason[0])
		put_text(to, "reason", datum->reason);
	if (datum->formula && datum->formula[0])
		write_metric(to, datum);
	fputs("/>\n", to);
}

static int write_section(void *to, const struct task_section *section)
{
	fputs("  <InstrumentationPt", to);
	put_text(to, "lid", section->lid);
	put_text(to, "disp", "true");
	put_text(to, "label", section->label);
	put_text(to, "file", section->file);
	put_integer(to, "linestart", section->line_start);
	put_integer(to, "lineend", section->line_end);
	if (section->tid >= 0)
		put_integer(to, "tid", section->tid);
	if (section->task >= 0)
		put_integer(to, "task", section->task);
	put_integer(to, "id", section->id);
	put_text(to, "kind", section->kind);
	if (section->parent >= 0)
		put_integer(to, "parent", section->parent);
	if (section->is_short)
		put_text(to, "short", "true");
	fputs(">\n", to);
	for (size_t i = 0; i < section->n; i++)
		write_datum(to, &section->data[i]);
	fputs("  </InstrumentationPt>\n", to);
	return 0;
}

void taskfile_write_end(FILE *to)
{
	fputs("</hpm>\n", to);
}

struct taskfile_sink taskfile_writer(FILE *to)
{
	return (struct taskfile_sink){ to,
				       write_head,
				       write_event,
				       write_overhead,
				       write_problem,
				       write_section,
				       NULL };
}
