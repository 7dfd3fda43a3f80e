/* SPDX-License-Identifier: BSD-3-Clause */
/* From a measurement to a report. */

#include <math.h>
#include <papi.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "host/host.h"
#include "measure/counting.h"

static int add_machine(struct report *r)
{
	struct fs fs = { .root = "" };
	struct host host;
	int err = host_read(&fs, &host);

	if (err)
		return err;
	r->machine.cpu = report_text(r, "%s", host.cpu.name);
	r->machine.vendor = report_text(r, "%s", host.cpu.vendor_name);
	r->machine.kernel = report_text(r, "%s", host.kernel);
	r->machine.cpus = host.topology.cpus;
	if (host.virt.present)
		r->machine.hypervisor = report_text(
			r, "%s",
			*host.virt.hypervisor ? host.virt.hypervisor
					      : "unknown hypervisor");
	host_fini(&host);
	return 0;
}

static void add_pmu(const struct pmu *pmu, struct report *r)
{
	static const char *const kinds[] = {
		[PMU_AUTO] = "none",
		[PMU_HARDWARE] = "hw",
		[PMU_SIMULATED] = "sim",
		[PMU_NONE] = "none",
	};

	r->pmu.kind = kinds[pmu->kind];
	r->pmu.model = *pmu->model ? pmu->model : NULL;
	r->pmu.counters = pmu->counters;
	r->pmu.reason = *pmu->reason ? pmu->reason : NULL;
}

static double seconds(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

static double wall_of(const struct child_result *c)
{
	return (double)c->wall_ns / 1e9;
}

static double user_of(const struct child_result *c)
{
	return seconds(c->usage.ru_utime);
}

static double system_of(const struct child_result *c)
{
	return seconds(c->usage.ru_stime);
}

static int add_one_time(const struct run_result *c, struct report_number *to,
			double (*get)(const struct child_result *))
{
	long double *values = calloc(c->runs, sizeof(*values));

	if (!values)
		return PAPI_ENOMEM;
	for (size_t i = 0; i < c->runs; i++)
		values[i] = get(&c->results[i]);
	*to = report_number_of(values, c->runs);
	free(values);
	return 0;
}

static int add_times(const struct run_result *c, struct report *r)
{
	int err = add_one_time(c, &r->time.wall_s, wall_of);

	r->time.user_s = r->time.system_s = report_number_of(NULL, 0);
	if (!err && !c->attached)
		err = add_one_time(c, &r->time.user_s, user_of);
	if (!err && !c->attached)
		err = add_one_time(c, &r->time.system_s, system_of);
	r->time.native = c->pmu->kind != PMU_SIMULATED;
	return err;
}

/*
 * The kernel's peak includes that of the process which became the program, and
 * each CPU adds its pages late. Where the two are close, the program's own peak
 * is not known.
 */
static bool is_our_peak(const struct child_result *c)
{
	const long close_kb = 1024;

	return c->usage.ru_maxrss <= c->rss_before_kb + close_kb;
}

static void add_resources(const struct run_result *c, struct report *r)
{
	const struct child_result *last = &c->results[c->runs - 1];
	const struct rusage *u = &last->usage;

	r->resources = (struct report_resources){
		.max_rss_kb = (uint64_t)u->ru_maxrss,
		.rss_is_bound = !c->attached && is_our_peak(last),
		.minor_faults = (uint64_t)u->ru_minflt,
		.major_faults = (uint64_t)u->ru_majflt,
		.voluntary_switches = (uint64_t)u->ru_nvcsw,
		.involuntary_switches = (uint64_t)u->ru_nivcsw,
	};
}

static enum report_quality quality_of(const struct event_row *e)
{
	if (e->reason || e->quality == ASSAY_NO_VALUE)
		return REPORT_NONE;
	return e->quality == ASSAY_SCALED ? REPORT_SCALED : REPORT_COUNTED;
}

/* Nobody is to take the machine's traffic for the program's. */
static const char *source_of(const struct event_row *e, struct report *r)
{
	const char *source = e->source ? e->source : "";

	if (e->machine && !e->reason)
		return report_text(r, "%s (whole machine)", source);
	return source;
}

/* Why there is no value, or what is missing in it. */
static const char *reason_of(const struct run_result *c,
			     const struct event_row *e)
{
	bool simulated = e->source && strcmp(e->source, "sim") == 0;

	if (e->reason || !simulated || !c->simulation)
		return e->reason;
	return c->simulation->missing;
}

/* Runs that were counted before one that could not be show no spread either:
 * what a run without a value holds is no number. */
static struct report_number number_of(const struct run_result *c,
				      const struct event_row *e)
{
	bool is_known = e->values && quality_of(e) != REPORT_NONE;

	return report_number_of(e->values, is_known ? c->runs : 0);
}

static int add_event(const struct run_result *c, const struct event_row *e,
		     struct report *r)
{
	struct report_event row = {
		.name = e->name,
		.text = report_text(r, "%s%s",
				    e->machine ? "whole machine: " : "",
				    e->text ? e->text : ""),
		.unit = e->unit ? e->unit : "",
		.source = source_of(e, r),
		.number = number_of(c, e),
		.error = e->error,
		.enabled_ns = e->enabled_ns,
		.running_ns = e->running_ns,
		.quality = quality_of(e),
		.simulated = e->source && strcmp(e->source, "sim") == 0,
		.reason = reason_of(c, e),
	};

	return report_add_event(r, &row);
}

/*
 * Default events that this PMU lacks are left out. Those that were counted and
 * have no value all the same are shown, with the reason.
 */
static bool is_left_out(const struct run_result *c, const struct event_row *e)
{
	return !e->wanted && e->reason && !e->enabled_ns &&
	       c->pmu->kind != PMU_NONE;
}

static int add_events(const struct run_result *c, struct report *r)
{
	const struct event_list *m = c->measure;
	int err = 0;

	for (size_t i = 0; !err && i < m->n; i++) {
		const struct event_row *e = &m->events[i];

		if (!is_left_out(c, e))
			err = add_event(c, e, r);
	}
	return err;
}

int count_report(const struct run_result *c, struct report *r)
{
	int err;

	r->command = (const char *const *)c->argv;
	r->exit = c->results[c->runs - 1].status;
	r->runs = (unsigned)c->runs;
	r->passes = (unsigned)c->measure->passes;
	add_pmu(c->pmu, r);
	add_resources(c, r);
	err = add_machine(r);
	if (!err)
		err = add_times(c, r);
	if (!err)
		err = add_events(c, r);
	return err;
}

int count_note_simulation(const struct run_result *c, struct report *r)
{
	const struct simulation *s = c->simulation;

	if (!s)
		return 0;
	r->pmu.engine = s->engine;
	if (s->varies)
		r->varies = s->varies;
	if (c->attached)
		r->varies = "the time at which counting began";
	if (!s->missing)
		return 0;
	return report_add_note(
		r, report_text(r, "not in the counts: %s", s->missing));
}

int count_note_left_out(const struct run_result *c, struct report *r)
{
	STRBUF(names);
	int err = 0;

	for (size_t i = 0; i < c->measure->n; i++) {
		const struct event_row *e = &c->measure->events[i];

		if (!e->wanted && e->no_room)
			strbuf_addf(&names, "%s%s", names.len ? ", " : "",
				    e->name);
	}
	if (names.len)
		err = report_add_note(
			r,
			report_text(
				r,
				"not counted, because the %u counters are used "
				"by other events: %s; use -e to choose events",
				c->pmu->counters, strbuf_text(&names)));
	return err;
}

/* Of event @k; if a thread has no value, its name goes to @without. */
static int add_fold(const struct event_list *m, size_t k, struct report *r,
		    struct strbuf *without)
{
	const struct event_row *e = &m->events[k];
	const struct report_event event = { .name = e->name, .unit = e->unit };
	long double *values = calloc(m->n_rows + 1, sizeof(*values));
	bool all = true;
	int err;

	if (!values)
		return PAPI_ENOMEM;
	for (size_t i = 0; i < m->n_rows; i++) {
		values[i] = m->rows[i].values[k];
		all &= !isnan(values[i]);
	}
	err = all ? report_add_fold(r, &event, values) : 0;
	if (!all)
		strbuf_addf(without, "%s%s", without->len ? ", " : "", e->name);
	free(values);
	return err;
}

/* Events that were counted in another pass than the last, for one. */
static int add_folds(const struct event_list *m, struct report *r)
{
	struct strbuf without = { 0 };
	int err = 0;

	for (size_t k = 0; !err && k < m->n; k++)
		if (!m->events[k].reason && !m->events[k].machine)
			err = add_fold(m, k, r, &without);
	if (!err && without.len)
		err = report_add_note(
			r,
			report_text(r, "not known for each thread (%s): %s",
				    r->passes > 1
					    ? "the last pass did not count it"
					    : "the formula has no value "
					      "for some",
				    strbuf_text(&without)));
	strbuf_fini(&without);
	return err;
}

static int add_list(const struct event_list *m, struct report *r)
{
	int err = 0;

	for (size_t i = 0; !err && i < m->n_rows; i++) {
		struct report_thread thread = {
			.tid = m->rows[i].tid,
			.name = m->rows[i].name,
		};

		err = report_add_thread(r, &thread);
	}
	return err;
}

/* Threads of one run are not those of the next: nothing is summed up. */
static int say_which_run(const struct run_result *c, struct report *r)
{
	if (c->runs < 2)
		return 0;
	r->threads.run = c->runs;
	return report_add_note(
		r, report_text(r,
			       "counts of single threads are those of the last "
			       "of %zu runs",
			       c->runs));
}

int count_add_threads(const struct run_result *c, struct report *r)
{
	const struct event_list *m = c->measure;
	int err;

	r->threads.asked = true;
	r->threads.reason = m->rows_reason;
	if (!r->threads.reason && m->n_rows == 0)
		r->threads.reason = "nothing was counted for its threads";
	if (r->threads.reason)
		return 0;
	err = say_which_run(c, r);
	if (!err)
		err = add_list(m, r);
	return err ? err : add_folds(m, r);
}
