/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A report as a performance file, with the whole program as its one section,
 * so that what was counted from outside is merged, compared and viewed like
 * sections that a program counts itself.
 */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "report/writer.h"
#include "taskfile/taskfile.h"

#define NO_DATUM                                                               \
	(struct task_datum)                                                    \
	{                                                                      \
		.name = "", .value = NAN, .raw = NAN, .correction = NAN,       \
		.uncertainty = NAN, .exclusive = NAN, .mean = NAN,             \
		.stddev = NAN, .min = NAN, .max = NAN, .task_mean = NAN,       \
		.task_stddev = NAN, .task_min = NAN, .task_max = NAN,          \
		.min_task = -1, .max_task = -1, .shown = true, .formula = "",  \
		.unit = "", .verdict = "", .sbad = NAN, .sgood = NAN,          \
		.dbad = NAN, .dgood = NAN,                                     \
	}

/* A sum that has lost digits is none. */
static void drop_too_large(struct task_datum *datum)
{
	if (!(fabsl(datum->value) >= 0x1p63L))
		return;
	datum->value = datum->raw = NAN;
	datum->reason = "the sum over the runs does not fit in 64 bits";
}

/* Runs are activations: the sum over them, and mean and spread of one. */
static struct task_datum
datum_of(const char *name, const struct report_number *number, unsigned runs)
{
	struct task_datum datum = NO_DATUM;

	datum.name = name;
	datum.value = number->value * (runs ? runs : 1);
	datum.raw = datum.value;
	datum.mean = (double)number->value;
	datum.stddev = runs > 1 ? number->stddev : 0;
	datum.min = runs > 1 ? number->min : number->value;
	datum.max = runs > 1 ? number->max : number->value;
	drop_too_large(&datum);
	return datum;
}

static struct task_datum count_of(unsigned runs)
{
	struct task_datum datum = NO_DATUM;

	datum.name = "Count";
	datum.value = runs ? runs : 1;
	return datum;
}

/* A rate or ratio: the same however often the program ran. */
static struct task_datum metric_of(const struct report_metric *m)
{
	const char *verdict = report_verdict_name(m->verdict);
	struct task_datum datum = NO_DATUM;

	datum.name = m->name;
	datum.value = m->number.value;
	datum.uncertainty = m->scaled ? m->error : NAN;
	datum.formula = m->formula;
	datum.unit = m->unit;
	datum.verdict = verdict ? verdict : "";
	datum.sgood = datum.dgood = m->good;
	datum.sbad = datum.dbad = m->bad;
	return datum;
}

static size_t add_data(const struct report *r, struct task_datum *data)
{
	size_t n = 0;

	data[n++] = count_of(r->runs);
	data[n++] = datum_of("ExcSec", &r->time.wall_s, r->runs);
	data[n++] = datum_of("IncSec", &r->time.wall_s, r->runs);
	for (size_t i = 0; i < r->n_events; i++) {
		const struct report_event *e = &r->events[i];

		if (e->quality == REPORT_NONE)
			continue;
		data[n] = datum_of(e->name, &e->number, r->runs);
		data[n].exclusive = data[n].value;
		if (e->reason)
			data[n].reason = e->reason;
		data[n++].uncertainty =
			e->quality == REPORT_SCALED ? e->error : 0;
	}
	for (size_t i = 0; i < r->n_metrics; i++)
		if (!isnan(r->metrics[i].number.value))
			data[n++] = metric_of(&r->metrics[i]);
	return n;
}

static void put_head(const struct report *r, FILE *to)
{
	struct task_head head = {
		.program = r->command && r->command[0] ? r->command[0] : "",
		.task = r->task.rank < 0 ? 0 : r->task.rank,
		.tasks = r->task.size > 0 ? r->task.size : 1,
		.pid = r->task.pid,
		.started = r->task.started,
		.seconds = (double)r->time.wall_s.value,
		.pmu = r->pmu.kind,
		.model = report_model_name(r->pmu.model),
		.complete = true,
	};

	taskfile_writer(to).head(to, &head);
}

static void put_events(const struct report *r, FILE *to)
{
	for (size_t i = 0; i < r->n_events; i++) {
		const struct report_event *e = &r->events[i];
		struct task_event event = {
			.name = e->name,
			.counted = e->quality != REPORT_NONE,
			.reason = e->reason ? e->reason : "",
		};

		taskfile_writer(to).event(to, &event);
	}
}

int write_xml(const void *report, const struct report_style *style, FILE *to)
{
	const struct report *r = report;
	OWNED struct task_datum *data =
		calloc(r->n_events + r->n_metrics + 3, sizeof(*data));
	struct task_section section = {
		.lid = "1",
		.label = "program",
		.file = "",
		.tid = -1,
		.task = r->task.rank < 0 ? 0 : r->task.rank,
		.id = 1,
		.parent = -1,
		.kind = "process",
		.data = data,
	};

	(void)style;
	if (!data)
		return PAPI_ENOMEM;
	section.n = add_data(r, data);
	put_head(r, to);
	put_events(r, to);
	taskfile_writer(to).section(to, &section);
	taskfile_write_end(to);
	return fflush(to) || ferror(to) ? PAPI_ESYS : 0;
}
