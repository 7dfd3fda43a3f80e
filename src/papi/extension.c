/* SPDX-License-Identifier: BSD-3-Clause */
/* What assay/assay.h adds to PAPI's interface. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <assay/assay.h>

#include "papi/entry.h"
#include "papi/table.h"

static void fill(struct assay_value *to, const struct value *from,
		 const struct recipe *recipe)
{
	*to = (struct assay_value){
		.value = from->real,
		.count = from->integer,
		.error = from->error,
		.enabled_ns = from->enabled_ns,
		.running_ns = from->running_ns,
		.quality = from->scaled ? ASSAY_SCALED : ASSAY_COUNTED,
		.clamped = from->clamped,
		.source = from->source ? from->source->ops->name : "",
		.unit = recipe->unit ? recipe->unit : "",
	};
	if (!isnan(from->real))
		return;
	to->quality = ASSAY_NO_VALUE;
	to->reason = from->too_large ? "the count does not fit in 64 bits"
		     : from->untold
			     ? "the program created threads after it had "
			       "started to write; --exact-cycles counts what "
			       "they cost each other"
		     : from->running_ns == 0 && from->enabled_ns > 0
			     ? "no counter was free while the set ran"
			     : "the formula has no value for these counts";
}

int assay_read(int set_id, struct assay_value *values, int n)
{
	ENTRY_SET(set, set_id);
	OWNED struct value *seen = NULL;
	size_t size;
	int err;

	if (!set)
		return error_no_set(set_id);
	size = eventset_size(set);
	if (!values || n < 0 || (size_t)n < size)
		return error_say(PAPI_EINVAL, "room for %zu values is needed",
				 size);
	err = eventset_read(set, NULL);
	if (err)
		return error_set(err);
	seen = calloc(size + 1, sizeof(*seen));
	if (!seen)
		return error_set(PAPI_ENOMEM);
	eventset_values(set, seen);
	for (size_t i = 0; i < size; i++)
		fill(&values[i], &seen[i], eventset_recipe(set, i));
	return PAPI_OK;
}

int assay_event_available(int code, const char **reason)
{
	struct library *lib = library_need();
	const char *why = NULL;
	int err;

	if (!lib)
		return PAPI_ENOINIT;
	pthread_mutex_lock(&lib->lock);
	err = events_available(lib->events, code, &why);
	pthread_mutex_unlock(&lib->lock);
	if (!err)
		return PAPI_OK;
	if (!why)
		why = error_text(err);
	if (reason)
		*reason = why;
	return error_say(err, "%s", why);
}

static struct component *component_at(struct library *lib, int index)
{
	if (!lib || index < 0 || (size_t)index >= lib->registry->n)
		return NULL;
	return lib->registry->components[index];
}

int assay_is_pmu(int component)
{
	if (component < 0 || (size_t)component >= component_table_n)
		return error_say(PAPI_ENOCMP, "%d is not a component",
				 component);
	return (component_table[component]->caps & CAP_HARDWARE) != 0;
}

const char *assay_left_out(int component)
{
	struct component *c = component_at(library_need(), component);

	return c ? component_left_out(c) : NULL;
}

int assay_list_left_out(int component)
{
	struct library *lib = library_need();
	struct component *c = component_at(lib, component);

	if (!lib)
		return PAPI_ENOINIT;
	if (!c)
		return error_say(PAPI_ENOCMP, "%d is not a component",
				 component);
	return error_set(component_list_left_out(c));
}

static enum assay_scope scope_of(const struct component *c,
				 const struct event *event)
{
	if (event && event->machine)
		return ASSAY_SCOPE_MACHINE;
	switch (c->ops->scope) {
	case SCOPE_SYSTEM:
		return ASSAY_SCOPE_MACHINE;
	case SCOPE_PROCESS:
		return ASSAY_SCOPE_PROCESS;
	default:
		return ASSAY_SCOPE_THREAD;
	}
}

int assay_get_event_kind(int code, struct assay_event_kind *kind)
{
	struct library *lib = library_need();
	struct assay_event_kind found = { ASSAY_SCOPE_THREAD, 0, 0 };
	struct diag diag = { .text = "" };
	const struct recipe *recipe;
	int err;

	if (!lib)
		return PAPI_ENOINIT;
	if (!kind)
		return error_set(PAPI_EINVAL);
	pthread_mutex_lock(&lib->lock);
	err = events_plan(lib->events, code, &recipe, &diag);
	for (size_t i = 0; !err && i < recipe->n; i++) {
		const struct native *n = &recipe->natives[i];
		struct component *c = lib->registry->components[n->component];
		const struct event *event = component_event(c, n->event);

		if (scope_of(c, event) > found.scope)
			found.scope = scope_of(c, event);
		found.hardware |= (c->ops->caps & CAP_HARDWARE) && event &&
				  !event->software;
		found.level |= event && event->kind == EVENT_LEVEL;
	}
	pthread_mutex_unlock(&lib->lock);
	if (err)
		return error_from(err, &diag);
	*kind = found;
	return PAPI_OK;
}

const char *assay_error(void)
{
	return error_sentence();
}

int assay_nearest_events(const char *name, const char **names, int n)
{
	struct library *lib = library_need();
	int found;

	if (!lib)
		return PAPI_ENOINIT;
	if (!name || !names || n < 1)
		return error_set(PAPI_EINVAL);
	pthread_mutex_lock(&lib->lock);
	found = events_nearest(lib->events, name, names, n);
	pthread_mutex_unlock(&lib->lock);
	return error_pass(found);
}

/* Switch options of a set on; @choose says which. */
static int set_option(int set_id, void (*choose)(struct slice_options *))
{
	ENTRY_SET(set, set_id);
	struct eventset_options options;
	struct diag diag = { .text = "" };

	if (!set)
		return error_no_set(set_id);
	options = *eventset_options(set);
	choose(&options.slice);
	return error_from(eventset_set_options(set, &options, &diag), &diag);
}

static void choose_on_exec(struct slice_options *options)
{
	options->on_exec = true;
}

static void choose_per_thread(struct slice_options *options)
{
	options->per_thread = true;
}

static void choose_shared(struct slice_options *options)
{
	options->shared = true;
}

int assay_set_start_on_exec(int set_id)
{
	return set_option(set_id, choose_on_exec);
}

int assay_set_per_thread(int set_id)
{
	return set_option(set_id, choose_per_thread);
}

int assay_set_shared(int set_id)
{
	return set_option(set_id, choose_shared);
}

/* Who asked for the values of threads. */
struct thread_request {
	struct eventset *set;
	struct assay_value *values;
	assay_thread_fn each;
	void *data;
};

static void tell_thread(const struct thread_counts *t,
			const struct value *values, void *data)
{
	struct thread_request *request = data;
	struct assay_thread thread = { .pid = t->pid, .tid = t->tid };

	snprintf(thread.name, sizeof(thread.name), "%s", t->name);
	for (size_t i = 0; i < eventset_size(request->set); i++)
		fill(&request->values[i], &values[i],
		     eventset_recipe(request->set, i));
	request->each(&thread, request->values, request->data);
}

int assay_read_threads(int set_id, assay_thread_fn each, void *data)
{
	ENTRY_SET(set, set_id);
	struct thread_request request = { .set = set,
					  .each = each,
					  .data = data };
	struct diag diag = { .text = "" };
	int err;

	if (!request.set)
		return error_no_set(set_id);
	if (!each)
		return error_set(PAPI_EINVAL);
	request.values =
		calloc(eventset_size(request.set) + 1, sizeof(*request.values));
	if (!request.values)
		return error_set(PAPI_ENOMEM);
	err = eventset_read(request.set, NULL);
	if (!err)
		err = eventset_read_threads(request.set, tell_thread, &request,
					    &diag);
	free(request.values);
	return error_from(err, &diag);
}

/* Which component counts cycles; NULL, with the reason, if none can. */
static struct component *counts_cycles(struct library *lib, const char **why)
{
	struct component *sim = registry_find(lib->registry, "sim");
	const struct recipe *recipe;

	/* in a blind test its events have no names that a preset could use */
	if (sim && !sim->disabled)
		return sim;
	*why = "no component has hardware events";
	if (events_available(lib->events, PAPI_TOT_CYC, why) != 0 ||
	    events_plan(lib->events, PAPI_TOT_CYC, &recipe, NULL) != 0)
		return NULL;
	return lib->registry->components[recipe->natives[0].component];
}

int assay_get_pmu(struct assay_pmu *pmu)
{
	struct library *lib = library_need();
	struct component *c;
	const char *why;

	if (!lib)
		return PAPI_ENOINIT;
	if (!pmu)
		return error_set(PAPI_EINVAL);
	pthread_mutex_lock(&lib->lock);
	c = counts_cycles(lib, &why);
	pthread_mutex_unlock(&lib->lock);

	*pmu = (struct assay_pmu){ .name = "" };
	if (!c) {
		pmu->reason = why;
		return PAPI_OK;
	}
	pmu->kind = strcmp(c->ops->name, "sim") == 0 ? ASSAY_PMU_SIMULATED
						     : ASSAY_PMU_HARDWARE;
	pmu->name = c->pmu ? c->pmu : "";
	pmu->counters = (int)c->counters;
	return PAPI_OK;
}
