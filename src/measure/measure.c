/* SPDX-License-Identifier: BSD-3-Clause */
/* Counting a child through PAPI's calls, as any program could. */

#include "measure/measure.h"

#include <math.h>
#include <papi.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "measure/pmu.h"
#include "process/process.h"

static int set_string(char **field, const char *text)
{
	char *copy = strdup(text);

	if (!copy)
		return PAPI_ENOMEM;
	free(*field);
	*field = copy;
	return 0;
}

/* From "2.3e-10 Joules", what one count is, its unit. */
static int take_unit(struct event_row *e, const char *units)
{
	char *end;
	double scale = strtod(units, &end);

	e->scale = 1;
	if (end > units && *end == ' ' && scale > 0) {
		e->scale = scale;
		units = end + 1;
	}
	return set_string(&e->unit, units);
}

/* Meaning, unit and source of an event, as far as they are known. */
static int describe(struct event_row *e)
{
	const PAPI_component_info_t *component;
	PAPI_event_info_t info;
	int err;

	memset(&info, 0, sizeof(info));
	if (PAPI_get_event_info(e->code, &info) != PAPI_OK)
		memset(&info, 0, sizeof(info));
	component = PAPI_get_component_info(PAPI_get_event_component(e->code));
	err = set_string(&e->text, *info.short_descr ? info.short_descr
						     : info.long_descr);
	if (!err)
		err = take_unit(e, info.units);
	if (!err)
		err = set_string(&e->source,
				 component ? component->short_name : "");
	return err;
}

/* A preset that the PMU lacks has no kind, but is a PMU's. */
static void take_kind(struct event_row *e)
{
	struct assay_event_kind kind = { .hardware = IS_PRESET(e->code) };

	assay_get_event_kind(e->code, &kind);
	e->machine = kind.scope == ASSAY_SCOPE_MACHINE;
	e->hardware = kind.hardware;
	e->level = kind.level;
}

static int look_up(struct event_row *e, const char *name, size_t runs)
{
	int err = PAPI_event_name_to_code(name, &e->code);

	e->name = name;
	e->error = NAN;
	e->quality = ASSAY_NO_VALUE;
	if (err)
		return err;
	e->values = calloc(runs, sizeof(*e->values));
	if (!e->values)
		return PAPI_ENOMEM;
	take_kind(e);
	return describe(e);
}

int measure_init(struct event_list *m, const struct selection *selection,
		 size_t runs, size_t *bad)
{
	m->events = calloc(selection->n + 1, sizeof(*m->events));
	if (!m->events)
		return PAPI_ENOMEM;
	for (size_t i = 0; i < selection->n; i++) {
		struct event_row *e = &m->events[m->n++];
		int err = look_up(e, selection->names[i], runs);

		e->wanted = selection->chosen;
		if (err && (i < selection->named || err == PAPI_ENOMEM)) {
			*bad = i;
			return err;
		}
		if (err) { /* a metric's event that this machine cannot name */
			set_string(&e->reason, session_error(err));
			e->code = PAPI_NULL;
		}
	}
	return 0;
}

/*
 * Whether events of this one's component can follow another process. Those
 * that cannot would count this command instead.
 */
static bool can_attach(const struct event_row *e)
{
	int index = PAPI_get_event_component(e->code);
	const PAPI_component_info_t *info = PAPI_get_component_info(index);

	return !info || info->attach;
}

static bool does_not_fit(int err)
{
	return err == PAPI_ECNFLCT || err == PAPI_ENOCNTR || err == PAPI_ECOUNT;
}

/* Why adding failed: the event itself, or that it came to others. */
static int keep_reason(struct event_row *e, int err)
{
	const char *reason = session_error(err);

	e->no_room = does_not_fit(err);
	if (!e->no_room)
		assay_event_available(e->code, &reason);
	return set_string(&e->reason, session_reason(reason));
}

/* Two names of one event are counted once. */
static bool is_in_set(const struct event_list *m, const struct event_row *e)
{
	for (const struct event_row *k = m->events; k < e; k++)
		if (k->code == e->code && k->state == EVENT_NOW)
			return true;
	return false;
}

/* Reasons that need no attempt; NULL: try. */
static const char *refusal(const struct event_list *m,
			   const struct event_row *e)
{
	if (m->no_hardware && e->hardware)
		return "hardware events were turned off by --pmu none";
	if (!e->machine && !can_attach(e))
		return "a process can count it only for itself, not from "
		       "outside; the program must do so through PAPI";
	return NULL;
}

static int add_to_machine(struct event_list *m, const struct event_row *e)
{
	const struct thread_set_options how = { .tid = THREAD_SET_MACHINE };
	int err = m->machine.is_open ? 0 : thread_set_open(&m->machine, &how);

	return err ? err : PAPI_add_event(m->machine.set, e->code);
}

/* Add to the set, if need be one whose events take turns. */
static int try_event(struct event_list *m, const struct event_row *e)
{
	int set = m->threads[0].set;
	int err;

	if (e->machine)
		return add_to_machine(m, e);
	err = PAPI_add_event(set, e->code);
	if (does_not_fit(err) && e->wanted && m->sharing == SHARE_TIME &&
	    !m->multiplexed && PAPI_set_multiplex(set) == PAPI_OK) {
		m->multiplexed = true;
		err = PAPI_add_event(set, e->code);
	}
	return err;
}

static int add_event(struct event_list *m, struct event_row *e)
{
	const char *reason = refusal(m, e);
	int err;

	if (reason)
		return set_string(&e->reason, reason);
	err = is_in_set(m, e) ? 0 : try_event(m, e);
	if (!err) {
		e->state = EVENT_NOW;
		return 0;
	}
	if (does_not_fit(err) && e->wanted && m->sharing == SHARE_PASSES &&
	    PAPI_num_events(m->threads[0].set) > 0)
		return 0; /* it waits for the next pass */
	return keep_reason(e, err);
}

static int add_events(struct event_list *m)
{
	int err = 0;

	for (size_t i = 0; !err && i < m->n; i++)
		if (!m->events[i].reason && m->events[i].state == EVENT_NOT_YET)
			err = add_event(m, &m->events[i]);
	return err;
}

void measure_begin(struct event_list *m)
{
	for (size_t i = 0; i < m->n; i++)
		m->events[i].state = EVENT_NOT_YET;
	m->passes = 0;
}

/* One more thread to count; the set has no events yet. */
static int add_thread(struct event_list *m,
		      const struct thread_set_options *how)
{
	int err = array_grow(&m->threads, m->n_threads, sizeof(*m->threads));

	if (!err)
		err = thread_set_open(&m->threads[m->n_threads], how);
	if (!err)
		m->n_threads++;
	return err;
}

/* Open the first set and, with it, choose what can be counted together. */
static int start_first(struct event_list *m,
		       const struct thread_set_options *how)
{
	int err;

	measure_cancel(m); /* what was kept of the run before */
	err = add_thread(m, how);
	if (!err)
		err = add_events(m);
	if (!err)
		err = thread_set_start(&m->threads[0]);
	if (!err && m->machine.is_open)
		err = thread_set_start(&m->machine);
	return err;
}

int measure_start(struct event_list *m, pid_t pid)
{
	const struct thread_set_options how = {
		.tid = pid,
		.on_exec = true,
		.multiplexed = m->multiplexed,
		.per_thread = m->per_thread,
	};
	int err = start_first(m, &how);

	if (err)
		measure_cancel(m);
	return err;
}

/* Count a further thread as the first is counted. */
static int start_another(struct event_list *m, pid_t tid)
{
	const struct thread_set_options how = {
		.tid = tid,
		.multiplexed = m->multiplexed,
	};
	int err = add_thread(m, &how);
	struct thread_set *a;

	if (err)
		return err;
	a = &m->threads[m->n_threads - 1];
	for (size_t i = 0; !err && i < m->n; i++) {
		const struct event_row *e = &m->events[i];

		/* the simulated PMU counts all threads with the first */
		if (e->hardware && m->is_simulated)
			continue;
		if (e->state == EVENT_NOW && !e->machine && !is_in_set(m, e))
			err = PAPI_add_event(a->set, e->code);
	}
	if (!err)
		err = thread_set_start(a);
	if (err) {
		thread_set_close(a);
		m->n_threads--;
	}
	return err;
}

static bool is_counted(const struct event_list *m, pid_t tid)
{
	for (size_t i = 0; i < m->n_threads; i++)
		if (m->threads[i].tid == tid)
			return true;
	return false;
}

/* Threads that are not counted yet; *@added says whether there were any. */
static int start_missing(struct event_list *m, pid_t pid, bool *added)
{
	struct threads t;
	int err = threads_list(pid, &t);

	*added = false;
	if (err)
		return err;
	for (size_t i = 0; !err && i < t.n; i++) {
		if (is_counted(m, t.ids[i]))
			continue;
		err = start_another(m, t.ids[i]);
		if (err && threads_is_ending(pid, t.ids[i]))
			err = 0; /* it was there when they were listed */
		else
			*added = true;
	}
	threads_fini(&t);
	return err;
}

static void name_threads(struct event_list *m, pid_t pid)
{
	for (size_t i = 0; i < m->n_threads; i++)
		threads_name(pid, m->threads[i].tid, m->threads[i].name,
			     sizeof(m->threads[i].name));
}

int measure_attach(struct event_list *m, pid_t pid)
{
	const struct thread_set_options how = {
		.tid = pid,
		.multiplexed = m->multiplexed,
	};
	bool added = true;
	struct assay_pmu pmu = { .kind = ASSAY_PMU_NONE };
	int err = start_first(m, &how);

	m->is_attached = true;
	m->is_simulated = assay_get_pmu(&pmu) == PAPI_OK &&
			  pmu.kind == ASSAY_PMU_SIMULATED;
	/* One that is made meanwhile is inherited by a set or listed next. */
	while (!err && added && PAPI_num_events(m->threads[0].set) > 0)
		err = start_missing(m, pid, &added);
	if (!err)
		name_threads(m, pid);
	else
		measure_cancel(m);
	return err;
}

void measure_cancel(struct event_list *m)
{
	while (m->n_threads > 0)
		thread_set_close(&m->threads[--m->n_threads]);
	thread_set_close(&m->machine);
}

/* Sum over threads; it is as good as the worst of its parts. */
static void add_value(struct assay_value *sum, const struct assay_value *v)
{
	sum->value += v->value;
	if (__builtin_add_overflow(sum->count, v->count, &sum->count)) {
		sum->quality = ASSAY_NO_VALUE;
		sum->reason = "the sum over threads does not fit in 64 bits";
	}
	sum->error = hypot(sum->error, v->error);
	sum->enabled_ns += v->enabled_ns;
	sum->running_ns += v->running_ns;
	if (v->quality > sum->quality)
		sum->quality = v->quality;
	if (v->reason)
		sum->reason = v->reason;
}

static void sum_event(const struct event_list *m, struct event_row *e)
{
	const struct thread_set *first = e->machine ? &m->machine : m->threads;
	size_t n = e->machine ? 1 : m->n_threads;
	const struct assay_value *v = thread_set_find(first, e->code);

	if (!v)
		return;
	e->now = *v;
	for (size_t i = 1; i < n; i++) {
		v = thread_set_find(&first[i], e->code);
		if (v)
			add_value(&e->now, v);
	}
	e->total = thread_set_number(&e->now) * (long double)e->scale;
	e->now.value *= e->scale;
	e->now.error *= e->scale;
}

int measure_read(struct event_list *m)
{
	int err = m->machine.is_open ? thread_set_read(&m->machine) : 0;

	for (size_t i = 0; !err && i < m->n_threads; i++)
		err = thread_set_read(&m->threads[i]);
	for (size_t i = 0; !err && i < m->n; i++)
		if (m->events[i].state == EVENT_NOW)
			sum_event(m, &m->events[i]);
	return err;
}

static int keep_value(struct event_row *e, size_t run)
{
	const struct assay_value *v = &e->now;
	int err = 0;

	e->state = EVENT_DONE;
	e->values[run] = e->total;
	e->error = v->error;
	e->enabled_ns = v->enabled_ns;
	e->running_ns = v->running_ns;
	e->quality = v->quality;
	if (v->source && *v->source)
		err = set_string(&e->source, v->source);
	if (!err && v->quality == ASSAY_NO_VALUE)
		err = set_string(&e->reason,
				 v->reason ? v->reason : "no value was read");
	return err;
}

int measure_finish(struct event_list *m)
{
	int err = measure_read(m);

	for (size_t i = 0; !err && i < m->n; i++)
		if (m->events[i].state == EVENT_NOW)
			err = keep_value(&m->events[i], m->runs);
	m->passes++;
	if (!err && m->per_thread)
		err = measure_keep_rows(m);
	measure_cancel(m);
	return err;
}

bool measure_waits(const struct event_list *m)
{
	for (size_t i = 0; i < m->n; i++)
		if (!m->events[i].reason && m->events[i].state == EVENT_NOT_YET)
			return true;
	return false;
}

void measure_end(struct event_list *m)
{
	for (size_t i = 0; i < m->n; i++)
		if (m->events[i].values && m->events[i].state != EVENT_DONE)
			m->events[i].values[m->runs] = NAN;
	m->runs++;
}

void measure_fini(struct event_list *m)
{
	measure_cancel(m);
	for (size_t i = 0; i < m->n; i++) {
		free(m->events[i].text);
		free(m->events[i].unit);
		free(m->events[i].source);
		free(m->events[i].reason);
		free(m->events[i].values);
	}
	measure_forget_rows(m);
	free(m->rows);
	free(m->events);
	free(m->threads);
	memset(m, 0, sizeof(*m));
}
