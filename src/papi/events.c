/* SPDX-License-Identifier: BSD-3-Clause */
/* Events: names to codes and back, what is known of them, which there are. */
#include <string.h>

#include <assay/assay.h>

#include "papi/entry.h"

int PAPI_event_name_to_code(const char *in, int *out)
{
	struct library *lib = library_need();
	struct diag diag = { .text = "" };
	int code, err;

	if (!lib)
		return PAPI_ENOINIT;
	if (!in || !out)
		return error_set(PAPI_EINVAL);
	pthread_mutex_lock(&lib->lock);
	err = events_find(lib->events, in, &code, &diag);
	pthread_mutex_unlock(&lib->lock);
	if (err)
		return error_from(err, &diag);
	*out = code;
	return PAPI_OK;
}

int PAPI_event_code_to_name(int EventCode, char *out)
{
	struct library *lib = library_need();
	const char *name;

	if (!lib)
		return PAPI_ENOINIT;
	if (!out)
		return error_set(PAPI_EINVAL);
	pthread_mutex_lock(&lib->lock);
	name = events_name(lib->events, EventCode);
	pthread_mutex_unlock(&lib->lock);
	if (!name)
		return error_set(IS_PRESET(EventCode) ? PAPI_ENOTPRESET
						      : PAPI_ENOEVNT);
	if (strlen(name) >= PAPI_MAX_STR_LEN)
		return error_say(PAPI_EBUF,
				 "the name is longer than PAPI_MAX_STR_LEN: "
				 "PAPI_get_event_info() has it");
	strcpy(out, name);
	return PAPI_OK;
}

int PAPI_query_event(int EventCode)
{
	return assay_event_available(EventCode, NULL);
}

int PAPI_query_named_event(const char *EventName)
{
	int code, err;

	err = PAPI_event_name_to_code(EventName, &code);
	return err ? err : PAPI_query_event(code);
}

int PAPI_get_event_info(int EventCode, PAPI_event_info_t *info)
{
	struct library *lib = library_need();
	int err;

	if (!lib)
		return PAPI_ENOINIT;
	if (!info)
		return error_set(PAPI_EINVAL);
	pthread_mutex_lock(&lib->lock);
	err = events_info(lib->events, EventCode, info);
	pthread_mutex_unlock(&lib->lock);
	return error_pass(err);
}

/* The next after *@code, of component @cidx or (-1) of any. */
static int next_event(int *code, int modifier, int cidx)
{
	struct library *lib = library_get();
	int err;

	if (!code)
		return error_set(PAPI_EINVAL);
	pthread_mutex_lock(&lib->lock);
	err = events_next(lib->events, code, modifier, cidx);
	pthread_mutex_unlock(&lib->lock);
	return error_pass(err);
}

int PAPI_enum_event(int *EventCode, int modifier)
{
	return library_need() ? next_event(EventCode, modifier, -1)
			      : PAPI_ENOINIT;
}

int PAPI_enum_cmp_event(int *EventCode, int modifier, int cidx)
{
	struct library *lib = library_need();
	struct component *component;

	if (!lib)
		return PAPI_ENOINIT;
	component = entry_component(lib, cidx);
	if (!component)
		return PAPI_ENOCMP;
	if (component->disabled)
		return error_say(PAPI_ENOCMP, "%s", component->reason);
	return next_event(EventCode, modifier, cidx);
}

int PAPI_get_event_component(int EventCode)
{
	struct library *lib = library_need();
	const struct recipe *recipe;
	struct diag diag = { .text = "" };
	int err;

	if (!lib)
		return PAPI_ENOINIT;
	if (IS_NATIVE(EventCode))
		return NATIVE_COMPONENT(EventCode) < lib->registry->n
			       ? (int)NATIVE_COMPONENT(EventCode)
			       : error_set(PAPI_ENOCMP);
	err = entry_plan(EventCode, &recipe, &diag);
	if (err)
		return error_from(err, &diag);
	return (int)recipe->natives[0].component;
}
