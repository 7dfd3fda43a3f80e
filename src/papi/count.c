/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counting: start, read, stop and what lies between. The look-up of the
 * EventSet and the core's call are all there is, because tools call these in
 * their innermost loops.
 */
#include <stdlib.h>

#include "papi/entry.h"

int PAPI_start(int EventSet)
{
	ENTRY_SET(set, EventSet);
	struct diag diag;
	int err;

	if (!set)
		return error_no_set(EventSet);
	diag.text[0] = '\0';
	diag.file = NULL;
	err = eventset_start(set, &diag);
	return err ? error_from(err, &diag) : PAPI_OK;
}

/* Pass @err on; of estimates nobody asked for, say what they are. */
static int pass_read(int err)
{
	if (err == PAPI_ECNFLCT)
		return error_say(
			err, "other users of the PMU used counters of this "
			     "EventSet for some of the time, so its values are "
			     "estimates; to fix it: stop them (nmi_watchdog, "
			     "perf), or multiplex the EventSet; assay_read() "
			     "gives the error of each value");
	return error_pass(err);
}

int PAPI_stop(int EventSet, long long *values)
{
	ENTRY_SET(set, EventSet);

	if (!set)
		return error_no_set(EventSet);
	return pass_read(eventset_stop(set, values));
}

int PAPI_read(int EventSet, long long *values)
{
	ENTRY_SET(set, EventSet);

	if (!set)
		return error_no_set(EventSet);
	if (!values)
		return error_set(PAPI_EINVAL);
	if (eventset_read_short(set, values))
		return PAPI_OK;
	return pass_read(eventset_read(set, values));
}

int PAPI_read_ts(int EventSet, long long *values, long long *cyc)
{
	ENTRY_SET(set, EventSet);
	int err;

	if (!set)
		return error_no_set(EventSet);
	if (!values || !cyc)
		return error_set(PAPI_EINVAL);
	err = eventset_read(set, values);
	if (err)
		return pass_read(err);
	*cyc = PAPI_get_real_cyc();
	return PAPI_OK;
}

/* Read into @scratch, which has a place for each event, and add to @values. */
static int add_up(struct eventset *set, size_t n, long long *scratch,
		  long long *values)
{
	int err = eventset_read_reset(set, scratch);

	if (err)
		return err;
	for (size_t i = 0; i < n; i++)
		values[i] = (long long)((unsigned long long)values[i] +
					(unsigned long long)scratch[i]);
	return PAPI_OK;
}

int PAPI_accum(int EventSet, long long *values)
{
	ENTRY_SET(set, EventSet);
	long long few[64];
	long long *many;
	size_t n;
	int err;

	if (!set)
		return error_no_set(EventSet);
	if (!values)
		return error_set(PAPI_EINVAL);
	n = eventset_size(set);
	if (n <= sizeof(few) / sizeof(few[0]))
		return pass_read(add_up(set, n, few, values));

	many = malloc(n * sizeof(*many));
	if (!many)
		return error_set(PAPI_ENOMEM);
	err = add_up(set, n, many, values);
	free(many);
	return pass_read(err);
}

int PAPI_reset(int EventSet)
{
	ENTRY_SET(set, EventSet);

	if (!set)
		return error_no_set(EventSet);
	if (eventset_reset_short(set, NULL))
		return PAPI_OK;
	return error_pass(eventset_reset(set));
}

int PAPI_write(int EventSet, long long *values)
{
	ENTRY_SET(set, EventSet);

	if (!set)
		return error_no_set(EventSet);
	if (!values)
		return error_set(PAPI_EINVAL);
	return error_pass(eventset_write(set, values));
}
