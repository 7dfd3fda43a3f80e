/* SPDX-License-Identifier: BSD-3-Clause */
/* Overflow: a call back whenever an event has counted another threshold. */
#include "papi/entry.h"

int PAPI_overflow(int EventSet, int EventCode, int threshold, int flags,
		  PAPI_overflow_handler_t handler)
{
	ENTRY_HANDLE(handle, EventSet);
	struct diag diag = { .text = "" };
	struct eventset *set;
	int entry, err;

	if (!handle)
		return error_no_set(EventSet);
	if (threshold < 0 || (threshold > 0 && !handler) ||
	    (flags & ~(PAPI_OVERFLOW_FORCE_SW | PAPI_OVERFLOW_HARDWARE)) ||
	    flags == (PAPI_OVERFLOW_FORCE_SW | PAPI_OVERFLOW_HARDWARE))
		return error_set(PAPI_EINVAL);
	set = handle_set(handle);
	if (eventset_state(set) & PAPI_RUNNING)
		return error_set(PAPI_EISRUN);
	entry = entry_find(set, EventCode);
	if (entry < 0)
		return error_say(PAPI_ENOEVNT,
				 "the event is not in the EventSet");
	if (profiling_has(handle, EventCode))
		return error_say(PAPI_ECNFLCT, "the event is being profiled");
	if (threshold > 0)
		handle->on_overflow = handler;
	err = eventset_set_overflow(set, (size_t)entry, (uint64_t)threshold,
				    flags & PAPI_OVERFLOW_FORCE_SW,
				    profiling_dispatch, handle, &diag);
	return error_from(err, &diag);
}

int PAPI_get_overflow_event_index(int EventSet, long long overflow_vector,
				  int *array, int *number)
{
	ENTRY_SET(set, EventSet);

	if (!set)
		return error_no_set(EventSet);
	if (!array || !number || *number < 1 || overflow_vector == 0)
		return error_set(PAPI_EINVAL);
	return error_pass(
		eventset_overflow_entries(set, overflow_vector, array, number));
}
