/* SPDX-License-Identifier: BSD-3-Clause */
/* Collecting events through PAPI's own enumeration, and trying them. */

#include "cli/listing.h"

#include <papi.h>
#include <stdlib.h>
#include <string.h>

#include <assay/assay.h>

#include "base/array.h"
#include "cli/session.h"

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
	struct listed_event e = {
		.name = strdup(info->symbol),
		.brief = strdup(brief),
		.text = strdup(text),
		.class = class,
		.code = code,
		.component = class == CLASS_PRESET ? -1 : info->component_index,
	};

	if (!e.name || !e.brief || !e.text ||
	    array_grow(&l->events, l->n_events, sizeof(e))) {
		free(e.name);
		free(e.brief);
		free(e.text);
		return PAPI_ENOMEM;
	}
	l->events[l->n_events++] = e;
	return 0;
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

static int keep_component(struct listing *l, const PAPI_component_info_t *info)
{
	struct listed_component c = {
		.name = strdup(info->name),
		.text = strdup(info->description),
		.counters = info->num_cntrs,
		.events = info->num_native_events,
		.available = !info->disabled,
		.reason = info->disabled ? strdup(info->disabled_reason) : NULL,
	};

	if (!c.name || !c.text || (info->disabled && !c.reason) ||
	    array_grow(&l->components, l->n_components, sizeof(c))) {
		free(c.name);
		free(c.text);
		free(c.reason);
		return PAPI_ENOMEM;
	}
	l->components[l->n_components++] = c;
	return 0;
}

int listing_collect(struct listing *l, const struct listing_filter *filter)
{
	int n = PAPI_num_components();
	int err = 0;

	if (filter->presets)
		err = collect_presets(l, filter);
	for (int i = 0; !err && i < n; i++) {
		const PAPI_component_info_t *info = PAPI_get_component_info(i);

		if (!info)
			continue;
		err = keep_component(l, info);
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

int listing_try(struct listing *l, listing_progress progress, void *context)
{
	for (size_t i = 0; i < l->n_events; i++) {
		struct listed_event *e = &l->events[i];
		const char *why = NULL;
		int err = assay_event_available(e->code, &why);

		e->available = err == PAPI_OK;
		e->simulated = e->available && is_simulated(e->code);
		if (err) {
			e->reason = strdup(why ? session_reason(why)
					       : PAPI_strerror(err));
			if (!e->reason)
				return PAPI_ENOMEM;
		}
		progress(context, i + 1, l->n_events);
	}
	return 0;
}

void listing_fini(struct listing *l)
{
	for (size_t i = 0; i < l->n_events; i++) {
		free(l->events[i].name);
		free(l->events[i].brief);
		free(l->events[i].text);
		free(l->events[i].reason);
	}
	for (size_t i = 0; i < l->n_components; i++) {
		free(l->components[i].name);
		free(l->components[i].text);
		free(l->components[i].reason);
	}
	free(l->events);
	free(l->components);
	memset(l, 0, sizeof(*l));
}
