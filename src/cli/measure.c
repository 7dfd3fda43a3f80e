/* SPDX-License-Identifier: BSD-3-Clause */
/* Counting a child through PAPI's calls, as any program could. */

#include "cli/measure.h"

#include <math.h>
#include <papi.h>
#include <stdlib.h>
#include <string.h>

#include "cli/session.h"

static const char *why(int code)
{
	return *assay_error() ? assay_error() : PAPI_strerror(code);
}

static int set_string(char **field, const char *text)
{
	char *copy = strdup(text);

	if (!copy)
		return PAPI_ENOMEM;
	free(*field);
	*field = copy;
	return 0;
}

/* Meaning, unit and source of an event, as far as they are known. */
static int describe(struct measured *e)
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
		err = set_string(&e->unit, info.units);
	if (!err)
		err = set_string(&e->source,
				 component ? component->short_name : "");
	return err;
}

static int look_up(struct measured *e, const char *name, size_t runs)
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
	return describe(e);
}

int measure_init(struct measure *m, const struct selection *selection,
		 size_t runs, size_t *bad)
{
	m->attached = PAPI_NULL;
	m->events = calloc(selection->n + 1, sizeof(*m->events));
	if (!m->events)
		return PAPI_ENOMEM;
	for (size_t i = 0; i < selection->n; i++) {
		struct measured *e = &m->events[m->n++];
		int err = look_up(e, selection->names[i], runs);

		e->wanted = selection->chosen;
		if (err && (i < selection->named || err == PAPI_ENOMEM)) {
			*bad = i;
			return err;
		}
		if (err) { /* a metric's event that this machine cannot name */
			set_string(&e->reason, why(err));
			e->code = PAPI_NULL;
		}
	}
	return 0;
}

/* An EventSet for @pid, with no events yet. */
static int make_set(struct measure *m, pid_t pid)
{
	PAPI_option_t inherit;
	int err;

	err = PAPI_create_eventset(&m->attached);
	if (!err)
		err = PAPI_attach(m->attached, (unsigned long)pid);
	if (!err) {
		memset(&inherit, 0, sizeof(inherit));
		inherit.inherit.eventset = m->attached;
		inherit.inherit.inherit = PAPI_INHERIT_ALL;
		err = PAPI_set_opt(PAPI_INHERIT, &inherit);
	}
	if (!err && m->multiplexed)
		err = PAPI_set_multiplex(m->attached);
	if (!err)
		err = assay_set_start_on_exec(m->attached);
	return err;
}

/*
 * Whether events of this one's component can follow another process. Those
 * that cannot would count this command instead.
 */
static bool can_attach(const struct measured *e)
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
static int keep_reason(struct measured *e, int err)
{
	const char *reason = why(err);

	if (!does_not_fit(err))
		assay_event_available(e->code, &reason);
	return set_string(&e->reason, session_reason(reason));
}

/* Two names of one event are counted once. */
static bool is_in_set(const struct measure *m, const struct measured *e)
{
	for (const struct measured *k = m->events; k < e; k++)
		if (k->code == e->code && k->state == MEASURED_NOW)
			return true;
	return false;
}

/* Reasons that need no attempt; NULL: try. */
static const char *refusal(const struct measure *m, const struct measured *e)
{
	if (m->no_hardware && IS_PRESET(e->code))
		return "hardware events were turned off by --pmu none";
	if (!can_attach(e))
		return "it counts the calling process or the whole machine "
		       "and cannot follow a program";
	return NULL;
}

/* Add to the set, if need be one whose events take turns. */
static int try_event(struct measure *m, const struct measured *e)
{
	int err = PAPI_add_event(m->attached, e->code);

	if (does_not_fit(err) && e->wanted && m->sharing == SHARE_TIME &&
	    !m->multiplexed && PAPI_set_multiplex(m->attached) == PAPI_OK) {
		m->multiplexed = true;
		err = PAPI_add_event(m->attached, e->code);
	}
	return err;
}

static int add_event(struct measure *m, struct measured *e)
{
	const char *reason = refusal(m, e);
	int err;

	if (reason)
		return set_string(&e->reason, reason);
	err = is_in_set(m, e) ? 0 : try_event(m, e);
	if (!err) {
		e->state = MEASURED_NOW;
		return 0;
	}
	if (does_not_fit(err) && e->wanted && m->sharing == SHARE_PASSES &&
	    PAPI_num_events(m->attached) > 0)
		return 0; /* it waits for the next pass */
	return keep_reason(e, err);
}

static int add_events(struct measure *m)
{
	int err = 0;

	for (size_t i = 0; !err && i < m->n; i++)
		if (!m->events[i].reason &&
		    m->events[i].state == MEASURED_NOT_YET)
			err = add_event(m, &m->events[i]);
	return err;
}

void measure_begin(struct measure *m)
{
	for (size_t i = 0; i < m->n; i++)
		m->events[i].state = MEASURED_NOT_YET;
	m->passes = 0;
}

int measure_start(struct measure *m, pid_t pid)
{
	int err = make_set(m, pid);

	if (!err)
		err = add_events(m);
	if (!err && PAPI_num_events(m->attached) > 0)
		err = PAPI_start(m->attached);
	if (err)
		measure_cancel(m);
	return err;
}

void measure_cancel(struct measure *m)
{
	if (m->attached == PAPI_NULL)
		return;
	PAPI_stop(m->attached, NULL);
	PAPI_cleanup_eventset(m->attached);
	PAPI_destroy_eventset(&m->attached);
	m->attached = PAPI_NULL;
}

static int keep_value(struct measured *e, const struct assay_value *v,
		      size_t run)
{
	int err = 0;

	e->state = MEASURED_DONE;
	e->values[run] = v->quality == ASSAY_NO_VALUE ? NAN : v->value;
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

/* Values are in the order of the set: find each event's by its code. */
static int keep_values(struct measure *m, const struct assay_value *values,
		       const int *codes, int n)
{
	int err = 0;

	for (size_t i = 0; !err && i < m->n; i++) {
		struct measured *e = &m->events[i];

		for (int k = 0; e->state == MEASURED_NOW && k < n; k++)
			if (codes[k] == e->code)
				err = keep_value(e, &values[k], m->runs);
	}
	return err;
}

static int read_set(struct measure *m, int n)
{
	struct assay_value *values = calloc((size_t)n + 1, sizeof(*values));
	int *codes = calloc((size_t)n + 1, sizeof(*codes));
	int err = values && codes ? 0 : PAPI_ENOMEM;

	if (!err)
		err = PAPI_list_events(m->attached, codes, &n);
	if (!err)
		err = assay_read(m->attached, values, n);
	if (!err)
		err = keep_values(m, values, codes, n);
	free(values);
	free(codes);
	return err;
}

int measure_finish(struct measure *m)
{
	int n = PAPI_num_events(m->attached);
	int err = n > 0 ? read_set(m, n) : 0;

	m->passes++;
	measure_cancel(m);
	return err;
}

bool measure_waits(const struct measure *m)
{
	for (size_t i = 0; i < m->n; i++)
		if (!m->events[i].reason &&
		    m->events[i].state == MEASURED_NOT_YET)
			return true;
	return false;
}

void measure_end(struct measure *m)
{
	for (size_t i = 0; i < m->n; i++)
		if (m->events[i].values && m->events[i].state != MEASURED_DONE)
			m->events[i].values[m->runs] = NAN;
	m->runs++;
}

void measure_fini(struct measure *m)
{
	measure_cancel(m);
	for (size_t i = 0; i < m->n; i++) {
		free(m->events[i].text);
		free(m->events[i].unit);
		free(m->events[i].source);
		free(m->events[i].reason);
		free(m->events[i].values);
	}
	free(m->events);
	memset(m, 0, sizeof(*m));
	m->attached = PAPI_NULL;
}
