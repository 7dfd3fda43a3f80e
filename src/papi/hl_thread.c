/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds or makes the record of the calling thread, and starts and stops its
 * set. The calls of the high level are in the files of their names.
 */
#include "papi/hl_thread.h"

#include <pthread.h>
#include <stdlib.h>

#include <papi.h>

#include "papi/library.h"

static pthread_key_t key;
static pthread_once_t key_once = PTHREAD_ONCE_INIT;
static int key_error;

int hl_set_stop(struct hl_set *set, long long *values)
{
	int err = PAPI_stop(set->id, values);

	PAPI_cleanup_eventset(set->id);
	PAPI_destroy_eventset(&set->id);
	*set = (struct hl_set){ .id = PAPI_NULL };
	return err;
}

int hl_set_start(struct hl_set *set, const int *events, int n)
{
	int id = PAPI_NULL;
	int err = PAPI_create_eventset(&id);

	if (err)
		return err;
	for (int i = 0; !err && i < n; i++)
		err = PAPI_add_event(id, events[i]);
	if (!err)
		err = PAPI_start(id);
	if (err) {
		PAPI_cleanup_eventset(id);
		PAPI_destroy_eventset(&id);
		return err;
	}
	*set = (struct hl_set){ .id = id, .n = n };
	return PAPI_OK;
}

/* Sets of a library that was shut down since are gone with it. */
static void forget_sets(struct hl_thread *t)
{
	*t = (struct hl_thread){ .epoch = library_epoch(),
				 .counters.id = PAPI_NULL,
				 .rate.set.id = PAPI_NULL };
}

static void thread_ends(void *p)
{
	struct hl_thread *t = p;

	if (library_get() && t->epoch == library_epoch()) {
		if (t->counters.id != PAPI_NULL)
			hl_set_stop(&t->counters, NULL);
		if (t->rate.set.id != PAPI_NULL)
			hl_set_stop(&t->rate.set, NULL);
	}
	free(t);
}

static void make_key(void)
{
	key_error = pthread_key_create(&key, thread_ends);
}

struct hl_thread *hl_thread_find(void)
{
	struct hl_thread *t;

	pthread_once(&key_once, make_key);
	t = key_error ? NULL : pthread_getspecific(key);
	if (t && (!library_get() || t->epoch != library_epoch()))
		forget_sets(t);
	return t;
}

int hl_thread_get(struct hl_thread **out)
{
	int version = PAPI_is_initialized() == PAPI_NOT_INITED
			      ? PAPI_library_init(library_interface())
			      : library_interface();
	struct hl_thread *t;

	if (version != library_interface())
		return version;
	t = hl_thread_find();
	if (!t && !key_error) {
		t = calloc(1, sizeof(*t));
		if (t && pthread_setspecific(key, t)) {
			free(t);
			t = NULL;
		}
		if (t)
			forget_sets(t);
	}
	if (!t)
		return PAPI_ENOMEM;
	library_set_level(PAPI_HIGH_LEVEL_INITED);
	*out = t;
	return PAPI_OK;
}
