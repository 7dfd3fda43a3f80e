/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What else than counting the library does while a kernel runs: share counters
 * among more events than there are, call back at every so many, and make a
 * histogram of where they were.
 */
#include <papi.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lab/worker.h"

/* ---- multiplexing ---- */

static int add_all(const struct worker *worker, int set)
{
	int err = 0;

	for (size_t i = 0; i < worker->n_events && !err; i++)
		err = PAPI_add_event(set, worker->events[i].code);
	return err;
}

static int new_set(int first, int *set)
{
	int err;

	*set = PAPI_NULL;
	err = PAPI_create_eventset(set);
	if (!err)
		err = PAPI_assign_eventset_component(
			*set, PAPI_get_event_component(first));
	return err;
}

static void drop_set(int *set)
{
	if (*set == PAPI_NULL)
		return;
	PAPI_cleanup_eventset(*set);
	PAPI_destroy_eventset(set);
}

int worker_multiplex(const struct worker *worker, const struct kernel *kernel,
		     struct kernel_run *run, long long *values)
{
	int set = PAPI_NULL;
	int err = worker->n_events ? 0 : PAPI_EINVAL;

	if (!err)
		err = new_set(worker->events[0].code, &set);
	if (!err)
		err = PAPI_set_multiplex(set);
	if (!err)
		err = add_all(worker, set);
	if (!err)
		err = PAPI_start(set);
	if (!err) {
		kernel->run(run);
		err = PAPI_stop(set, values);
	}
	drop_set(&set);
	return err;
}

/* ---- overflow ---- */

#define MOST_PLACES 65536

/* PAPI gives a handler no argument of its own. */
static struct {
	uintptr_t places[MOST_PLACES];
	size_t n;
} overflow;

static void on_overflow(int set, void *address, long long which, void *context)
{
	(void)set;
	(void)which;
	(void)context;
	if (overflow.n < MOST_PLACES)
		overflow.places[overflow.n++] = (uintptr_t)address;
}

static int by_address(const void *a, const void *b)
{
	uintptr_t x = *(const uintptr_t *)a, y = *(const uintptr_t *)b;

	return (x > y) - (x < y);
}

static int count_overflows(int set, int code, int threshold,
			   const struct kernel *kernel, struct kernel_run *run,
			   long long *count)
{
	int err = PAPI_overflow(set, code, threshold, 0, on_overflow);

	overflow.n = 0;
	if (!err)
		err = PAPI_start(set);
	if (!err) {
		kernel->run(run);
		err = PAPI_stop(set, count);
	}
	PAPI_overflow(set, code, 0, 0, on_overflow);
	return err;
}

/* ---- profiles ---- */

static int count_profile(int set, int code, int threshold,
			 const struct kernel *kernel, struct kernel_run *run,
			 struct worker_sampled *out)
{
	unsigned short buckets[WORKER_BUCKETS] = { 0 };
	char *from = (char *)(out->middle - WORKER_BUCKETS * 2);
	int err = PAPI_profil(buckets, sizeof(buckets), (vptr_t)from, 32768,
			      set, code, threshold, PAPI_PROFIL_POSIX);
	long long count;

	if (!err)
		err = PAPI_start(set);
	if (!err) {
		kernel->run(run);
		err = PAPI_stop(set, &count);
	}
	PAPI_profil(buckets, sizeof(buckets), (vptr_t)from, 32768, set, code, 0,
		    PAPI_PROFIL_POSIX);
	for (size_t i = 0; i < WORKER_BUCKETS; i++)
		out->buckets[i] = buckets[i];
	return err;
}

int worker_sample(int code, int threshold, const struct kernel *kernel,
		  struct kernel_run *run, struct worker_sampled *out)
{
	int set = PAPI_NULL;
	int err = new_set(code, &set);

	*out = (struct worker_sampled){ 0 };
	if (!err)
		err = PAPI_add_event(set, code);
	if (!err)
		err = count_overflows(set, code, threshold, kernel, run,
				      &out->count);
	out->calls = overflow.n;
	if (!err && overflow.n > 0) {
		qsort(overflow.places, overflow.n, sizeof(*overflow.places),
		      by_address);
		out->middle = overflow.places[overflow.n / 2];
		err = count_profile(set, code, threshold, kernel, run, out);
	}
	drop_set(&set);
	return err;
}
