/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Opens and closes the library, keeps what can be set before it is open, and
 * takes the locks around a fork. What entry points do with it is theirs.
 */
#include "papi/library.h"

#include <stdlib.h>
#include <sys/time.h>

#include "core/eventset.h"
#include "core/ticker.h"
#include "papi/error.h"
#include "papi/profiling.h"
#include "papi/table.h"

/* The process's one library, and what can be said of it before it is open. */
_Atomic(struct library *) library_open_one;
static atomic_uint epoch;
static atomic_int init_level;
static atomic_uint disabled; /* bits of components not to be used */
static atomic_int debug_level;
static _Atomic(PAPI_debug_handler_t) debug_handler;
static pthread_mutex_t opening = PTHREAD_MUTEX_INITIALIZER;

struct library *library_need(void)
{
	struct library *lib = library_get();

	if (!lib)
		error_no_set(PAPI_NULL);
	return lib;
}

unsigned library_epoch(void)
{
	return atomic_load_explicit(&epoch, memory_order_relaxed);
}

void library_set_level(int level)
{
	atomic_fetch_or(&init_level, level);
}

void library_set_debug(int level, PAPI_debug_handler_t handler)
{
	atomic_store(&debug_handler, handler);
	atomic_store(&debug_level, level);
}

int library_debug(PAPI_debug_handler_t *handler)
{
	*handler = atomic_load(&debug_handler);
	return atomic_load(&debug_level);
}

int library_disable(unsigned index)
{
	if (library_get())
		return error_say(PAPI_EINVAL, "components can be disabled only "
					      "before PAPI_library_init()");
	atomic_fetch_or(&disabled, 1U << index);
	return PAPI_OK;
}

static void close_library(struct library *lib)
{
	if (lib->events)
		events_close(lib->events);
	handles_fini(&lib->handles);
	for (size_t i = 0; lib->infos && i < lib->registry->n; i++)
		free(lib->infos[i]);
	free(lib->infos);
	free(lib->defaults);
	registry_close(lib->registry);
	pthread_mutex_destroy(&lib->lock);
	free(lib);
}

static void disable_components(struct registry *r)
{
	unsigned mask = atomic_load(&disabled);

	for (size_t i = 0; i < r->n; i++)
		if (mask & 1U << i)
			component_disable(r->components[i],
					  "disabled by the program");
}

static int new_library(const struct component_ops *const *list, size_t n,
		       const char *root, struct library **out)
{
	struct library *lib = calloc(1, sizeof(*lib));
	int err;

	if (!lib)
		return PAPI_ENOMEM;
	handles_init(&lib->handles);
	pthread_mutex_init(&lib->lock, NULL);
	err = registry_open(list, n, root, &lib->registry);
	if (err)
		goto close;
	disable_components(lib->registry);
	err = events_open(lib->registry, &lib->events);
	if (err)
		goto close;
	lib->defaults = calloc(n + 1, sizeof(*lib->defaults));
	lib->infos = calloc(n + 1, sizeof(*lib->infos));
	err = PAPI_ENOMEM;
	if (!lib->defaults || !lib->infos)
		goto close;
	lib->check_ns = EVENTSET_CHECK_NS;
	lib->timer = ITIMER_PROF;
	lib->timer_signal = ticker_signal();
	for (size_t i = 0; i < n; i++)
		lib->defaults[i].granularity = PAPI_GRN_THR;
	*out = lib;
	return 0;

close:
	close_library(lib);
	return err;
}

int library_open(const struct component_ops *const *list, size_t n,
		 const char *root)
{
	struct library *lib;
	int err = 0;

	pthread_mutex_lock(&opening);
	if (!library_get()) {
		err = new_library(list, n, root, &lib);
		if (!err) {
			atomic_fetch_add(&epoch, 1);
			atomic_store_explicit(&library_open_one, lib,
					      memory_order_release);
			library_set_level(PAPI_LOW_LEVEL_INITED);
		}
	}
	pthread_mutex_unlock(&opening);
	return err;
}

/*
 * Stop and free what the user left behind. In the child of a fork, not what
 * was there before: another thread of the parent may have been changing it,
 * and it stays as it was at that moment.
 */
static void free_sets(struct handles *h)
{
	for (int id = 0; id < h->made; id++) {
		struct handle *handle = handles_find(h, id);
		struct eventset *set = handle ? handle_set(handle) : NULL;

		if (!set || handle->generation != h->generation)
			continue;
		if (eventset_state(set) & PAPI_RUNNING)
			eventset_stop(set, NULL);
		eventset_clear(set);
		profiling_forget_all(handle);
		eventset_free(set);
	}
}

/*
 * A fork copies only the thread that calls it. It takes the locks first, so
 * that none of them is held in the child by a thread which is not there.
 */
static void before_fork(void)
{
	struct library *lib;

	pthread_mutex_lock(&opening);
	lib = library_get();
	if (!lib)
		return;
	pthread_mutex_lock(&lib->lock);
	pthread_mutex_lock(&lib->handles.lock);
	for (size_t i = 0; i < lib->registry->n; i++)
		pthread_mutex_lock(&lib->registry->components[i]->lock);
}

static void after_fork(void)
{
	struct library *lib = library_get();

	if (lib) {
		for (size_t i = lib->registry->n; i-- > 0;)
			pthread_mutex_unlock(
				&lib->registry->components[i]->lock);
		pthread_mutex_unlock(&lib->handles.lock);
		pthread_mutex_unlock(&lib->lock);
	}
	pthread_mutex_unlock(&opening);
}

static void after_fork_in_child(void)
{
	struct library *lib = library_get();

	if (lib)
		handles_fork(&lib->handles);
	after_fork();
}

static void watch_forks(void)
{
	pthread_atfork(before_fork, after_fork, after_fork_in_child);
}

int PAPI_library_init(int version)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	int err;

	if (version != library_interface())
		return error_say(PAPI_EINVAL,
				 "the program requires version %d.%d of PAPI, "
				 "this is %d.%d",
				 PAPI_VERSION_MAJOR(version),
				 PAPI_VERSION_MINOR(version),
				 PAPI_VERSION_MAJOR(library_version()),
				 PAPI_VERSION_MINOR(library_version()));
	pthread_once(&once, watch_forks);
	err = library_open(component_table, component_table_n, "");
	return err ? error_set(err) : version;
}

int PAPI_is_initialized(void)
{
	return atomic_load(&init_level);
}

void PAPI_shutdown(void)
{
	struct library *lib;

	pthread_mutex_lock(&opening);
	lib = library_get();
	if (lib) {
		free_sets(&lib->handles);
		atomic_store(&library_open_one, NULL);
		close_library(lib);
	}
	atomic_store(&init_level, PAPI_NOT_INITED);
	atomic_store(&disabled, 0);
	pthread_mutex_unlock(&opening);
}
