/* SPDX-License-Identifier: BSD-3-Clause */
/* EventSets: made, filled, asked about and released. */
#include "papi/entry.h"

/*
 * Let an empty @set begin with what the user wants for new ones. There are no
 * events in it yet that would not have these options.
 */
static void begin_with_defaults(struct library *lib, struct eventset *set)
{
	struct eventset_options options = *eventset_options(set);

	entry_apply_defaults(lib, 0, &options);
	eventset_set_options(set, &options, NULL);
}

int PAPI_create_eventset(int *EventSet)
{
	struct library *lib = library_need();
	int id, err;

	if (!lib)
		return PAPI_ENOINIT;
	if (!EventSet || *EventSet != PAPI_NULL)
		return error_say(PAPI_EINVAL, "the variable for the EventSet "
					      "must hold PAPI_NULL");
	err = handles_add(&lib->handles, lib->registry, &id);
	if (err)
		return error_set(err);
	begin_with_defaults(lib, entry_set(id));
	*EventSet = id;
	return PAPI_OK;
}

static int destroy(int id)
{
	ENTRY_SET(set, id);
	int err;

	if (!set)
		return error_no_set(id);
	if (eventset_size(set) > 0 && !(eventset_state(set) & PAPI_RUNNING))
		return error_say(PAPI_EINVAL, "the EventSet has events: "
					      "PAPI_cleanup_eventset() first");
	err = eventset_free(set);
	if (err)
		return error_set(err);
	handles_remove(&library_get()->handles, id);
	return PAPI_OK;
}

int PAPI_destroy_eventset(int *EventSet)
{
	int err = EventSet ? destroy(*EventSet) : error_set(PAPI_EINVAL);

	if (!err)
		*EventSet = PAPI_NULL;
	return err;
}

int PAPI_cleanup_eventset(int EventSet)
{
	ENTRY_HANDLE(handle, EventSet);
	int err;

	if (!handle)
		return error_no_set(EventSet);
	err = eventset_clear(handle_set(handle));
	if (err)
		return error_set(err);
	profiling_forget_all(handle);
	handle->on_overflow = NULL;
	begin_with_defaults(library_get(), handle_set(handle));
	return PAPI_OK;
}

int PAPI_assign_eventset_component(int EventSet, int cidx)
{
	ENTRY_SET(set, EventSet);
	struct library *lib = library_get();
	struct eventset_options options;
	struct diag diag = { .text = "" };

	if (!set)
		return error_no_set(EventSet);
	if (cidx < 0 || (size_t)cidx >= lib->registry->n)
		return error_say(PAPI_ENOCMP, "%d is not a component", cidx);
	if (lib->registry->components[cidx]->disabled)
		return error_say(PAPI_ECMP_DISABLED, "%s",
				 lib->registry->components[cidx]->reason);
	options = *eventset_options(set);
	if (options.component >= 0 || eventset_size(set) > 0)
		return error_say(PAPI_EINVAL,
				 "the EventSet has a component already");
	options.component = cidx;
	entry_apply_defaults(lib, (size_t)cidx, &options);
	return error_from(eventset_set_options(set, &options, &diag), &diag);
}

int PAPI_get_eventset_component(int EventSet)
{
	ENTRY_SET(set, EventSet);
	int component;

	if (!set)
		return error_no_set(EventSet);
	component = eventset_options(set)->component;
	if (component >= 0)
		return component;
	if (eventset_size(set) == 0)
		return error_say(PAPI_ENOCMP,
				 "the EventSet has no component yet");
	return (int)eventset_recipe(set, 0)->natives[0].component;
}

int PAPI_num_events(int EventSet)
{
	ENTRY_SET(set, EventSet);

	return set ? (int)eventset_size(set) : error_no_set(EventSet);
}

int PAPI_list_events(int EventSet, int *Events, int *number)
{
	ENTRY_SET(set, EventSet);
	int n;

	if (!set)
		return error_no_set(EventSet);
	if (!number || *number < 0 || (*number > 0 && !Events))
		return error_set(PAPI_EINVAL);
	n = (int)eventset_size(set);
	if (*number > 0 && *number < n)
		n = *number;
	for (int i = 0; i<n && * number> 0; i++)
		Events[i] = eventset_recipe(set, (size_t)i)->code;
	*number = n;
	return PAPI_OK;
}

int PAPI_state(int EventSet, int *status)
{
	ENTRY_SET(set, EventSet);

	if (!set)
		return error_no_set(EventSet);
	if (!status)
		return error_set(PAPI_EINVAL);
	*status = eventset_state(set);
	return PAPI_OK;
}

int PAPI_add_event(int EventSet, int EventCode)
{
	ENTRY_SET(set, EventSet);
	const struct recipe *recipe;
	struct diag diag = { .text = "" };
	int err;

	if (!set)
		return error_no_set(EventSet);
	err = entry_plan(EventCode, &recipe, &diag);
	if (!err)
		err = eventset_add(set, recipe, &diag);
	return error_from(err, &diag);
}

int PAPI_add_named_event(int EventSet, const char *EventName)
{
	int code, err;

	if (!entry_set(EventSet))
		return error_no_set(EventSet);
	err = PAPI_event_name_to_code(EventName, &code);
	return err ? err : PAPI_add_event(EventSet, code);
}

/*
 * Call @one for each of @Events. How many it took if not all, unless it was
 * none: PAPI's way to say how far it came.
 */
static int for_each(int EventSet, const int *Events, int number,
		    int (*one)(int EventSet, int code))
{
	if (!entry_set(EventSet))
		return error_no_set(EventSet);
	if (!Events || number <= 0)
		return error_set(PAPI_EINVAL);
	for (int i = 0; i < number; i++) {
		int err = one(EventSet, Events[i]);

		if (err)
			return i == 0 ? err : i;
	}
	return PAPI_OK;
}

int PAPI_add_events(int EventSet, int *Events, int number)
{
	return for_each(EventSet, Events, number, PAPI_add_event);
}

/* That the machine has no such event would be another thing. */
static int not_a_member(int EventSet, int code)
{
	char name[PAPI_MAX_STR_LEN];

	if (PAPI_event_code_to_name(code, name) != PAPI_OK)
		return error_say(PAPI_ENOEVNT, "EventSet %d has no event %#x",
				 EventSet, (unsigned)code);
	return error_say(PAPI_ENOEVNT, "%s is not in EventSet %d", name,
			 EventSet);
}

int PAPI_remove_event(int EventSet, int EventCode)
{
	ENTRY_HANDLE(handle, EventSet);
	int err;

	if (!handle)
		return error_no_set(EventSet);
	err = eventset_remove(handle_set(handle), EventCode);
	if (err == PAPI_ENOEVNT)
		return not_a_member(EventSet, EventCode);
	if (err)
		return error_set(err);
	profiling_forget(handle, EventCode);
	return PAPI_OK;
}

int PAPI_remove_named_event(int EventSet, const char *EventName)
{
	int code, err;

	if (!entry_set(EventSet))
		return error_no_set(EventSet);
	err = PAPI_event_name_to_code(EventName, &code);
	return err ? err : PAPI_remove_event(EventSet, code);
}

int PAPI_remove_events(int EventSet, int *Events, int number)
{
	return for_each(EventSet, Events, number, PAPI_remove_event);
}
