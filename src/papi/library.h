/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The library as one process has it open: its components, its names, its
 * EventSets and the options that hold for all. Entry points ask library_get()
 * first; everything else hangs on what it returns.
 */
#pragma once

#include <pthread.h>
#include <stdatomic.h>

#include "core/registry.h"
#include "event/resolve.h"
#include "papi/handles.h"

/* What EventSets made from now on begin with, for one component. */
struct defaults {
	unsigned domain; /* 0: the component's own */
	int granularity;
};

struct library {
	struct registry *registry;
	struct handles handles;

	pthread_mutex_t lock; /* guards all below */
	struct events *events;
	struct defaults *defaults;     /* one for each component */
	PAPI_component_info_t **infos; /* likewise; NULL: not asked for yet */
	int multiplex_ns;              /* 0: the component's own */
	int check_ns;                  /* of software overflow */
	int timer;                     /* ITIMER_PROF and so on: its clock */
	int timer_signal; /* as the program named it; ours is used */
};

/* library.c's; ask library_get() */
extern _Atomic(struct library *) library_open_one;

/* The open library; NULL before PAPI_library_init(). Costs one load. */
static inline struct library *library_get(void)
{
	return atomic_load_explicit(&library_open_one, memory_order_acquire);
}

/* The same, or NULL with this thread's error set to PAPI_ENOINIT. */
struct library *library_need(void);

/*
 * Open the library on the @n components of @list below @root ("": this
 * machine), or do nothing if it is open.
 */
int library_open(const struct component_ops *const *list, size_t n,
		 const char *root);

/*
 * How often the library was opened. Handles of an earlier time are void, and
 * their numbers may be those of other EventSets now.
 */
unsigned library_epoch(void);

/* PAPI's version that this library stands in for, as PAPI_VERSION is. */
int library_version(void);

/* What PAPI_library_init() takes, as PAPI_VER_CURRENT is. */
static inline int library_interface(void)
{
	return library_version() & ~0xffff;
}

/* Add to what PAPI_is_initialized() says. */
void library_set_level(int level);

/* Remember that component @index is not to be used; before opening only. */
int library_disable(unsigned index);

/* What happens at errors; also before the library is open. */
void library_set_debug(int level, PAPI_debug_handler_t handler);
int library_debug(PAPI_debug_handler_t *handler);

/* The handle of EventSet @id, or NULL; error_no_set() says which error. */
static inline struct handle *library_handle(int id)
{
	struct library *lib = library_get();

	return lib ? handles_find(&lib->handles, id) : NULL;
}
