/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Metrics from counts. A metric is computed for every run by itself, so that
 * its spread is its own and not guessed from those of its events.
 */

#include "measure/counting.h"

#include <math.h>
#include <papi.h>
#include <stdlib.h>
#include <string.h>

#include "host/cpu.h"

/* One metric being computed. */
struct work {
	const struct metric_file *file;
	const struct metric *metric;
	const struct run_result *c;
	double clock_hz; /* NaN: not known, or not this machine's */
	double *counts;  /* one for each name of the file's set */
};

static const struct event_row *find_event(const struct event_list *m,
					  const char *name)
{
	for (size_t i = 0; i < m->n; i++)
		if (strcmp(m->events[i].name, name) == 0)
			return &m->events[i];
	return NULL;
}

static const char *name_of(const struct work *w, size_t k)
{
	return w->file->set->names.names[w->metric->slots[k]];
}

/* Whether every event of the metric was counted or at least asked for. */
static bool is_asked_for(const struct work *w)
{
	for (size_t k = 0; k < w->metric->n_slots; k++) {
		const char *name = name_of(w, k);
		const struct event_row *e;

		if (metrics_is_input(name))
			continue;
		e = find_event(w->c->measure, name);
		if (!e || (e->reason && !e->wanted))
			return false;
	}
	return true;
}

static bool is_native(const struct work *w)
{
	return w->c->pmu->kind != PMU_SIMULATED;
}

/* Time is only worth deriving from where it is the machine's own. */
static double input_value(const struct work *w, const char *name, size_t run)
{
	if (!is_native(w))
		return NAN;
	if (strcmp(name, "wall_s") == 0)
		return (double)w->c->results[run].wall_ns / 1e9;
	return w->clock_hz;
}

static void take_counts(const struct work *w, size_t run)
{
	for (size_t k = 0; k < w->metric->n_slots; k++) {
		const char *name = name_of(w, k);
		const struct event_row *e = find_event(w->c->measure, name);
		double value = NAN;

		if (metrics_is_input(name))
			value = input_value(w, name, run);
		else if (e->values && !e->reason)
			value = (double)e->values[run];
		w->counts[w->metric->slots[k]] = value;
	}
}

static double value_in_run(const struct work *w, size_t run)
{
	take_counts(w, run);
	return metric_eval(w->metric, w->counts);
}

/*
 * The standard error that estimated counts leave in the last run's value: what
 * the metric changes by when each is off by its own, all independent. A count
 * near 0 can be off upwards only.
 */
static double error_of(const struct work *w)
{
	double value = value_in_run(w, w->c->runs - 1), sum = 0;

	for (size_t k = 0; k < w->metric->n_slots; k++) {
		const struct event_row *e =
			find_event(w->c->measure, name_of(w, k));
		double *count = &w->counts[w->metric->slots[k]];
		double before = *count, up, down;

		if (!e || e->quality != ASSAY_SCALED)
			continue;
		*count = before + e->error;
		up = metric_eval(w->metric, w->counts) - value;
		*count = before - e->error;
		down = *count > 0 ? metric_eval(w->metric, w->counts) - value
				  : 0;
		*count = before;
		sum += fmax(up * up, down * down);
	}
	return sqrt(sum);
}

static int all_runs(const struct work *w, struct report_number *out)
{
	long double *values = calloc(w->c->runs, sizeof(*values));

	if (!values)
		return PAPI_ENOMEM;
	for (size_t i = 0; i < w->c->runs; i++)
		values[i] = value_in_run(w, i);
	*out = report_number_of(values, w->c->runs);
	free(values);
	return 0;
}

/* Why a metric has no value: the first of its names that has none. */
static const char *reason_for(const struct work *w, struct report *r)
{
	for (size_t k = 0; k < w->metric->n_slots; k++) {
		const char *name = name_of(w, k);
		const struct event_row *e = find_event(w->c->measure, name);

		if (metrics_is_input(name) && !is_native(w))
			return "simulated times are not this machine's";
		if (strcmp(name, "#") == 0 && isnan(w->clock_hz))
			return "the clock rate is not known";
		if (e && e->reason)
			return report_text(r, "%s has no value: %s", name,
					   e->reason);
	}
	if (def_field(w->metric->def, KEY_VALID))
		return report_text(
			r,
			"the formula gives no value that is %s for these "
			"counts; string instructions access memory many times",
			def_field(w->metric->def, KEY_VALID));
	return "the formula has no value for these counts";
}

static enum report_verdict verdict_on(const struct def *def, double value)
{
	switch (def_verdict(def, value)) {
	case 1:
		return REPORT_GOOD;
	case 0:
		return REPORT_FAIR;
	case -1:
		return REPORT_POOR;
	default:
		return REPORT_NO_VERDICT;
	}
}

static const char *text_of(const struct def *def, enum def_key key)
{
	const char *text = def_field(def, key);

	return text ? text : "";
}

/* What kind of counts a metric is made of. */
static void take_sources(const struct work *w, struct report_metric *row)
{
	for (size_t k = 0; k < w->metric->n_slots; k++) {
		const struct event_row *e =
			find_event(w->c->measure, name_of(w, k));

		row->simulated |=
			e && e->source && strcmp(e->source, "sim") == 0;
		row->scaled |= e && e->quality == ASSAY_SCALED;
	}
}

/* @text, which is freed, as a string of the report's; NULL stays NULL. */
static const char *kept(struct report *r, char *text)
{
	const char *copy = text ? report_text(r, "%s", text) : NULL;

	free(text);
	return copy;
}

/* A threshold as one number: negative if values below it are meant. */
static double bound_of(const struct def *def, enum def_key key)
{
	const char *text = def_field(def, key);
	double limit;
	char op[3];

	if (!text || !def_parse_threshold(text, op, &limit))
		return NAN;
	return op[0] == '<' ? -limit : limit;
}

static int add_metric(const struct work *w, struct report *r)
{
	const struct def *def = w->metric->def;

	struct report_metric row = {
		.name = report_text(r, "%s", def->name),
		.text = report_text(r, "%s", def_title(def)),
		.unit = report_text(r, "%s", text_of(def, KEY_UNIT)),
		.formula =
			report_text(r, "%s", def->formula ? def->formula : ""),
	};
	int err = all_runs(w, &row.number);

	row.good = bound_of(def, KEY_GOOD);
	row.bad = bound_of(def, KEY_BAD);
	row.threshold = kept(r, metrics_threshold(def));
	row.goal = kept(r, metrics_goal(def));
	if (err)
		return err;
	row.verdict = verdict_on(def, (double)row.number.value);
	if (isnan(row.number.value))
		row.reason = reason_for(w, r);
	take_sources(w, &row);
	row.error = row.scaled && !row.reason ? error_of(w) : NAN;
	return report_add_metric(r, &row);
}

/*
 * Shipped files have some metrics under several names: one is enough. The
 * user's are all wanted, but once.
 */
static bool is_there(const struct work *w, const struct report *r)
{
	const struct def *def = w->metric->def;

	for (size_t i = 0; i < r->n_metrics; i++)
		if (def->formula &&
		    strcmp(r->metrics[i].formula, def->formula) == 0 &&
		    (w->file->shipped ||
		     strcmp(r->metrics[i].name, def->name) == 0))
			return true;
	return false;
}

static int derive_file(struct work *w, const char *group, struct report *r)
{
	const struct metric_set *set = w->file->set;
	int err = 0;

	w->counts = calloc(set->names.n + 1, sizeof(*w->counts));
	if (!w->counts)
		return PAPI_ENOMEM;
	for (size_t i = 0; !err && i < set->n; i++) {
		w->metric = &set->metrics[i];
		if (metrics_in_group(w->file, i, group) && is_asked_for(w) &&
		    !is_there(w, r))
			err = add_metric(w, r);
	}
	free(w->counts);
	return err;
}

double derive_clock_rate(void)
{
	struct fs fs = { .root = "" };
	struct host_cpu cpu;

	if (cpu_read(&fs, &cpu) || cpu.max_mhz <= 0)
		return NAN;
	return cpu.max_mhz * 1e6;
}

int derive_metrics(const struct metrics *m, const char *group,
		   const struct run_result *c, struct report *r)
{
	struct work w = { .c = c, .clock_hz = derive_clock_rate() };
	int err = 0;

	for (size_t i = 0; !err && i < m->n; i++) {
		w.file = &m->files[i];
		err = derive_file(&w, group, r);
	}
	return err;
}
