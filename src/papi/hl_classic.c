/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The high level of the paper of 2000: start, read, add up and stop a list of
 * events, one list a thread. PAPI 6.0 took these calls away; programs that
 * were written for them link and run here.
 */
#include <string.h>

#include <papi.h>

#include "papi/error.h"
#include "papi/hl_thread.h"

int PAPI_num_counters(void)
{
	struct hl_thread *t;
	int err = hl_thread_get(&t);

	return err ? error_set(err) : PAPI_num_hwctrs();
}

int PAPI_start_counters(int *events, int array_len)
{
	struct hl_thread *t;
	int err;

	if (!events || array_len <= 0)
		return error_say(PAPI_EINVAL, "no events");
	err = hl_thread_get(&t);
	if (err)
		return error_set(err);
	if (t->counters.id != PAPI_NULL)
		return error_say(PAPI_EISRUN,
				 "this thread's counters are running");
	return hl_set_start(&t->counters, events, array_len);
}

/* This thread's running counters with room for them in @values. */
static int need_counters(const long long *values, int array_len,
			 struct hl_set **out)
{
	struct hl_thread *t = hl_thread_find();

	if (!t || t->counters.id == PAPI_NULL)
		return error_say(PAPI_ENOTRUN,
				 "PAPI_start_counters() comes first");
	if (!values || array_len < t->counters.n)
		return error_say(PAPI_EINVAL, "values is too small for %d",
				 t->counters.n);
	*out = &t->counters;
	return PAPI_OK;
}

/* Adding to zeros and going on from zero are one moment in PAPI_accum(). */
int PAPI_read_counters(long long *values, int array_len)
{
	struct hl_set *set = NULL;
	int err = need_counters(values, array_len, &set);

	if (err)
		return err;
	memset(values, 0, (size_t)set->n * sizeof(*values));
	return PAPI_accum(set->id, values);
}

int PAPI_accum_counters(long long *values, int array_len)
{
	struct hl_set *set = NULL;
	int err = need_counters(values, array_len, &set);

	return err ? err : PAPI_accum(set->id, values);
}

/* A rate that runs instead (PAPI_flops() and its like) is stopped, too. */
int PAPI_stop_counters(long long *values, int array_len)
{
	struct hl_thread *t = hl_thread_find();
	struct hl_set *set = NULL;
	int err;

	if (t && t->counters.id == PAPI_NULL && t->rate.set.id != PAPI_NULL)
		return hl_set_stop(&t->rate.set, NULL);
	err = need_counters(values, array_len, &set);
	return err ? err : hl_set_stop(set, values);
}
