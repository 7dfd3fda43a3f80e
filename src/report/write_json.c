/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A report as one JSON document. Numbers are numbers; what was not measured is
 * null with a reason. Members are only ever added, so readers of version 1
 * stay right.
 */

#include <math.h>

#include "report/writer.h"
#include "write/json.h"

/* Mean first; the spread only where there were several runs. */
static void put_number(struct json *j, const char *name,
		       const struct report_number *n)
{
	json_number(j, name, n->value);
}

static void put_spread(struct json *j, const struct report_number *n)
{
	if (isnan(n->stddev))
		return;
	json_number(j, "stddev", n->stddev);
	json_number(j, "min", n->min);
	json_number(j, "max", n->max);
}

/* Null where no launcher of parallel programs said. */
static void put_task(struct json *j, const struct report_task *t)
{
	json_number(j, "task", t->rank < 0 ? NAN : (double)t->rank);
	json_number(j, "tasks", t->size > 0 ? (double)t->size : NAN);
	json_number(j, "pid", (double)t->pid);
}

static void put_machine(struct json *j, const struct report_machine *m)
{
	json_row_of(j, "machine",
		    "cpu %s, vendor %s, kernel %s, "
		    "virtual %d, hypervisor %s, cpus %u",
		    m->cpu, m->vendor, m->kernel, m->hypervisor != NULL,
		    m->hypervisor, m->cpus);
}

static void put_pmu(struct json *j, const struct report_pmu *p)
{
	json_row_of(j, "pmu",
		    "kind %s, model %s, counters %Lg, engine %s, reason %s",
		    p->kind, p->model ? report_model_name(p->model) : NULL,
		    p->counters ? (long double)p->counters : (long double)NAN,
		    p->engine, p->reason);
}

static void put_spread_of(struct json *j, const char *name,
			  const struct report_number *n)
{
	if (isnan(n->stddev))
		return;
	json_row(j, name);
	put_spread(j, n);
	json_end_object(j);
}

static void put_time(struct json *j, const struct report_time *t)
{
	json_row(j, "time");
	put_number(j, "wall_s", &t->wall_s);
	put_number(j, "user_s", &t->user_s);
	put_number(j, "system_s", &t->system_s);
	json_bool(j, "native", t->native);
	put_spread_of(j, "wall_spread", &t->wall_s);
	put_spread_of(j, "user_spread", &t->user_s);
	put_spread_of(j, "system_spread", &t->system_s);
	json_end_object(j);
}

static void put_resources(struct json *j, const struct report_resources *r)
{
	if (!r) {
		json_number(j, "resources", NAN);
		return;
	}
	json_row(j, "resources");
	if (r->rss_is_bound) {
		json_number(j, "max_rss_kb", NAN);
		json_unsigned(j, "max_rss_at_most_kb", r->max_rss_kb);
	} else {
		json_unsigned(j, "max_rss_kb", r->max_rss_kb);
	}
	json_unsigned(j, "minor_faults", r->minor_faults);
	json_unsigned(j, "major_faults", r->major_faults);
	json_unsigned(j, "voluntary_switches", r->voluntary_switches);
	json_unsigned(j, "involuntary_switches", r->involuntary_switches);
	json_end_object(j);
}

static void put_event(struct json *j, const struct report_event *e)
{
	bool none = e->quality == REPORT_NONE;

	json_row(j, NULL);
	json_string(j, "name", e->name);
	json_number(j, "value", none ? NAN : e->number.value);
	json_string(j, "unit", e->unit);
	json_string(j, "source", e->source);
	json_string(j, "quality", report_quality_name(e->quality));
	json_unsigned(j, "enabled_ns", e->enabled_ns);
	json_unsigned(j, "running_ns", e->running_ns);
	json_number(j, "stderr", e->quality == REPORT_SCALED ? e->error : NAN);
	put_spread(j, &e->number);
	json_string(j, "reason", e->reason);
	json_end_object(j);
}

static void put_metric(struct json *j, const struct report_metric *m)
{
	json_row(j, NULL);
	json_string(j, "name", m->name);
	if (*m->text)
		json_string(j, "title", m->text);
	json_number(j, "value", m->number.value);
	json_string(j, "unit", m->unit);
	json_string(j, "verdict", report_verdict_name(m->verdict));
	json_string(j, "threshold", m->threshold);
	json_string(j, "formula", m->formula);
	json_number(j, "stderr", m->scaled ? m->error : NAN);
	put_spread(j, &m->number);
	json_string(j, "reason", m->reason);
	json_end_object(j);
}

static void put_fold(struct json *j, const struct report_threads *t,
		     const struct report_fold *f)
{
	json_row(j, NULL);
	json_string(j, "event", f->event);
	json_number(j, "min", f->values[f->least]);
	json_number(j, "mean", f->mean);
	json_number(j, "max", f->values[f->most]);
	json_number(j, "min_tid", (double)t->list[f->least].tid);
	json_number(j, "max_tid", (double)t->list[f->most].tid);
	json_list(j, "outliers");
	for (size_t i = 0; i < t->n; i++)
		if (f->is_outlier[i])
			json_number(j, NULL, (double)t->list[i].tid);
	json_end_array(j);
	json_list(j, "values");
	for (size_t i = 0; i < t->n; i++)
		json_number(j, NULL, f->values[i]);
	json_end_array(j);
	json_end_object(j);
}

static void put_threads(struct json *j, const struct report_threads *t)
{
	if (!t->asked)
		return;
	json_object(j, "per_thread");
	json_string(j, "reason", t->reason);
	if (t->run)
		json_unsigned(j, "run", t->run);
	json_array(j, "threads");
	for (size_t i = 0; i < t->n; i++)
		json_row_of(j, NULL, "tid %g, name %s", (double)t->list[i].tid,
			    t->list[i].name);
	json_end_array(j);
	json_array(j, "events");
	for (size_t i = 0; i < t->n_folds; i++)
		put_fold(j, t, &t->folds[i]);
	json_end_array(j);
	json_end_object(j);
}

static size_t count_words(const char *const *command)
{
	size_t n = 0;

	while (command && command[n])
		n++;
	return n;
}

int report_describe(const void *report, struct json *j)
{
	const struct report *r = report;

	json_strings(j, "command", r->command, count_words(r->command));
	json_number(j, "exit", r->exit);
	json_unsigned(j, "runs", r->runs);
	json_unsigned(j, "passes", r->passes ? r->passes : 1);
	put_task(j, &r->task);
	put_machine(j, &r->machine);
	put_pmu(j, &r->pmu);
	put_time(j, &r->time);
	put_resources(j, r->attached ? NULL : &r->resources);
	json_array(j, "events");
	for (size_t i = 0; i < r->n_events; i++)
		put_event(j, &r->events[i]);
	json_end_array(j);
	json_array(j, "metrics");
	for (size_t i = 0; i < r->n_metrics; i++)
		put_metric(j, &r->metrics[i]);
	json_end_array(j);
	put_threads(j, &r->threads);
	if (r->varies)
		json_string(j, "varies", r->varies);
	json_strings(j, "notes", r->notes, r->n_notes);
	return 0;
}
