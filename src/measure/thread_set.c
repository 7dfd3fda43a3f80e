/* SPDX-License-Identifier: BSD-3-Clause */
/* EventSets of other threads, through PAPI's calls as any program could. */

#include "measure/measure.h"

#include <math.h>
#include <papi.h>
#include <stdlib.h>
#include <string.h>

static int follow(struct thread_set *a, const struct thread_set_options *how)
{
	PAPI_option_t inherit;
	int err = PAPI_attach(a->set, (unsigned long)how->tid);

	if (!err) {
		memset(&inherit, 0, sizeof(inherit));
		inherit.inherit.eventset = a->set;
		inherit.inherit.inherit = PAPI_INHERIT_ALL;
		err = PAPI_set_opt(PAPI_INHERIT, &inherit);
	}
	if (!err && how->multiplexed)
		err = PAPI_set_multiplex(a->set);
	if (!err && how->on_exec)
		err = assay_set_start_on_exec(a->set);
	if (!err && how->per_thread)
		err = assay_set_per_thread(a->set);
	return err;
}

int thread_set_open(struct thread_set *a, const struct thread_set_options *how)
{
	int err;

	memset(a, 0, sizeof(*a));
	a->set = PAPI_NULL;
	a->tid = how->tid;
	err = PAPI_create_eventset(&a->set);
	a->is_open = !err;
	if (!err && how->tid != THREAD_SET_MACHINE)
		err = follow(a, how);
	if (err)
		thread_set_close(a);
	return err;
}

int thread_set_start(struct thread_set *a)
{
	int err = PAPI_num_events(a->set) > 0 ? PAPI_start(a->set) : 0;

	a->is_started = !err;
	return err;
}

/* Room for all events, with their codes in the order of the set. */
static int list_events(struct thread_set *a, int n)
{
	free(a->codes);
	free(a->values);
	a->n = 0;
	a->codes = calloc((size_t)n + 1, sizeof(*a->codes));
	a->values = calloc((size_t)n + 1, sizeof(*a->values));
	if (!a->codes || !a->values)
		return PAPI_ENOMEM;
	a->n = n;
	return PAPI_list_events(a->set, a->codes, &a->n);
}

int thread_set_read(struct thread_set *a)
{
	int n = PAPI_num_events(a->set);
	int err = 0;

	if (n <= 0)
		return 0;
	if (a->n != n)
		err = list_events(a, n);
	return err ? err : assay_read(a->set, a->values, n);
}

long double thread_set_number(const struct assay_value *v)
{
	if (v->quality == ASSAY_NO_VALUE || isnan(v->value))
		return NAN;
	return v->value == (double)v->count ? (long double)v->count : v->value;
}

const struct assay_value *thread_set_find(const struct thread_set *a, int code)
{
	for (int i = 0; i < a->n; i++)
		if (a->codes[i] == code)
			return &a->values[i];
	return NULL;
}

void thread_set_stop(struct thread_set *a)
{
	if (!a->is_open)
		return;
	if (a->is_started) /* else the reason why not would be forgotten */
		PAPI_stop(a->set, NULL);
	PAPI_cleanup_eventset(a->set);
	PAPI_destroy_eventset(&a->set);
	a->is_open = false;
}

void thread_set_close(struct thread_set *a)
{
	thread_set_stop(a);
	free(a->codes);
	free(a->values);
	memset(a, 0, sizeof(*a));
}
