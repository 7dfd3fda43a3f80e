/* SPDX-License-Identifier: BSD-3-Clause */
/* Collecting events through PAPI's own enumeration, and trying them. */

#include "survey/survey.h"

#include <papi.h>
#include <stdlib.h>
#include <string.h>

#include <assay/assay.h>

#include "base/array.h"
#include "measure/pmu.h"

bool listing_matches(char *const *words, const char *name, const char *text)
{
	for (; words && *words; words++)
		if (!strcasestr(name, *words) && !strcasestr(text, *words))
			return false;
	return true;
}

static int keep_event(struct listing *l, const PAPI_event_info_t *info,
		      enum event_class class, int code)
{
	const char *text =
		*info->long_descr ? info->long_descr : info->short_descr;
	/* a short description that fills its field was cut */
	const char *brief =
		*info->short_descr && strlen(info->short_descr) <
					      sizeof(info->short_descr) - 1
			? info->short_descr
			: text;
	const char *kept = texts_copy(&l->texts, text);
	struct listed_event e = {
		.name = texts_copy(&l->texts, info->symbol),
		.brief = strcmp(brief, text) == 0
				 ? kept
				 : texts_copy(&l->texts, brief),
		.text = kept,
		.class = class,
		.code = code,
		.component = class == CLASS_PRESET ? -1 : info->component_index,
	};

	return array_add(l->events, l->n_events, e) ? PAPI_ENOMEM
						    : texts_error(&l->texts);
}

static int consider(struct listing *l, const struct listing_filter *filter,
		    enum event_class class, int code)
{
	PAPI_event_info_t info;

	if (PAPI_get_event_info(code, &info) != PAPI_OK)
		return 0;
	if (!listing_matches(filter->words, info.symbol, info.long_descr) &&
	    !listing_matches(filter->words, info.symbol, info.short_descr))
		return 0;
	return keep_event(l, &info, class, code);
}

static int collect_presets(struct listing *l,
			   const struct listing_filter *filter)
{
	int code = PAPI_PRESET_MASK;
	int more = PAPI_enum_event(&code, PAPI_ENUM_FIRST);
	int err = 0;

	while (more == PAPI_OK && !err) {
		err = consider(l, filter, CLASS_PRESET, code);
		more = PAPI_enum_event(&code, PAPI_ENUM_EVENTS);
	}
	return err;
}

static int collect_native(struct listing *l,
			  const struct listing_filter *filter, int component)
{
	int code = PAPI_NATIVE_MASK;
	int more = PAPI_enum_cmp_event(&code, PAPI_ENUM_FIRST, component);
	int err = 0;

	while (more == PAPI_OK && !err) {
		err = consider(l, filter, CLASS_NATIVE, code);
		more = PAPI_enum_cmp_event(&code, PAPI_ENUM_EVENTS, component);
	}
	return err;
}

static int keep_component(struct listing *l, const PAPI_component_info_t *info,
			  const char *left_out)
{
	struct listed_component c = {
		.name = texts_copy(&l->texts, info->name),
		.text = texts_copy(&l->texts, info->description),
		.counters = info->num_cntrs,
		.events = info->num_native_events,
		.available = !info->disabled,
		.reason = texts_copy(&l->texts, info->disabled
							? info->disabled_reason
							: NULL),
		.left_out = left_out,
	};

	return array_add(l->components, l->n_components, c)
		       ? PAPI_ENOMEM
		       : texts_error(&l->texts);
}

int listing_collect(struct listing *l, const struct listing_filter *filter)
{
	int n = PAPI_num_components();
	int err = 0;

	if (filter->presets)
		err = collect_presets(l, filter);
	for (int i = 0; !err && i < n; i++) {
		const PAPI_component_info_t *info;

		if (filter->left_out)
			err = assay_list_left_out(i);
		info = PAPI_get_component_info(i);
		if (err || !info)
			continue;
		err = keep_component(l, info, assay_left_out(i));
		if (!err && filter->native && !info->disabled)
			err = collect_native(l, filter, i);
	}
	return err;
}

static bool is_simulated(int code)
{
	int index = PAPI_get_event_component(code);
	const PAPI_component_info_t *info =
		index < 0 ? NULL : PAPI_get_component_info(index);

	return info && strcmp(info->short_name, "sim") == 0;
}

/* The first event of a metric that cannot be counted says why not. */
static void try_metric(struct listing *l, struct listed_event *e,
		       const struct metric_file *file,
		       const struct metric *metric)
{
	e->available = true;
	for (size_t k = 0; k < metric->n_slots; k++) {
		const char *name = file->set->names.names[metric->slots[k]];
		const char *why = NULL;
		int code;
		int err;

		if (metrics_is_input(name))
			continue;
		err = PAPI_event_name_to_code(name, &code);
		if (!err)
			err = assay_event_available(code, &why);
		if (!err) {
			e->simulated |= is_simulated(code);
			continue;
		}
		e->available = e->simulated = false;
		e->reason = texts_copy(&l->texts,
				       why ? session_reason(why)
					   : "an event it needs is missing");
		return;
	}
}

static const char *field_or(const struct def *def, enum def_key key,
			    const char *other)
{
	const char *text = def_field(def, key);

	return text ? text : other;
}

static int add_metric(struct listing *l, const struct metric_file *file,
		      const struct metric *metric)
{
	const char *brief = field_or(metric->def, KEY_SDESC, "");
	struct listed_event e = {
		.name = texts_copy(&l->texts, metric->def->name),
		.brief = texts_copy(&l->texts, brief),
		.text = texts_copy(&l->texts,
				   field_or(metric->def, KEY_LDESC, brief)),
		.class = CLASS_METRIC,
		.code = PAPI_NULL,
		.component = -1,
	};

	try_metric(l, &e, file, metric);
	return array_add(l->events, l->n_events, e) ? PAPI_ENOMEM
						    : texts_error(&l->texts);
}

int listing_add_metrics(struct listing *l, const struct metrics *m,
			const struct listing_filter *filter)
{
	int err = 0;

	for (size_t f = 0; f < m->n; f++)
		for (size_t i = 0; !err && i < m->files[f].set->n; i++) {
			const struct metric *metric =
				&m->files[f].set->metrics[i];
			const char *text = field_or(metric->def, KEY_SDESC, "");

			if (listing_matches(filter->words, metric->def->name,
					    text))
				err = add_metric(l, &m->files[f], metric);
		}
	return err;
}

int listing_try(struct listing *l, listing_progress progress, void *context)
{
	for (size_t i = 0; i < l->n_events; i++) {
		struct listed_event *e = &l->events[i];
		const char *why = NULL;
		int err;

		if (e->class == CLASS_METRIC)
			continue;
		err = assay_event_available(e->code, &why);
		e->available = err == PAPI_OK;
		e->simulated = e->available && is_simulated(e->code);
		if (err)
			e->reason =
				texts_copy(&l->texts, why ? session_reason(why)
							  : PAPI_strerror(err));
		progress(context, i + 1, l->n_events);
	}
	return texts_error(&l->texts);
}

void listing_fini(struct listing *l)
{
	texts_fini(&l->texts);
	free(l->events);
	free(l->components);
	memset(l, 0, sizeof(*l));
}
