/* SPDX-License-Identifier: BSD-3-Clause */
/* What every file of entry points needs. */
#pragma once

#include "core/eventset.h"
#include "event/resolve.h"
#include "papi/error.h"
#include "papi/library.h"
#include "papi/profiling.h"

/* The EventSet of handle @id, or NULL; it may be destroyed at any time. */
static inline struct eventset *entry_set(int id)
{
	struct handle *handle = library_handle(id);

	return handle ? handle_set(handle) : NULL;
}

/* What a call uses until it returns. */
struct entry_use {
	struct handle *handle;  /* NULL: there is none, or it is busy */
	struct eventset *set;   /* likewise */
	struct handle *entered; /* to be left; NULL: a caller's */
};

static inline struct entry_use entry_enter(int id)
{
	struct library *lib = library_get();
	struct handle *handle = lib ? handles_place(&lib->handles, id) : NULL;
	enum handle_way way = handle ? handle_enter(handle) : HANDLE_BUSY;
	struct handle *entered = way == HANDLE_IN ? handle : NULL;
	struct eventset *set = way == HANDLE_BUSY ? NULL : handle_set(handle);

	if (set)
		return (struct entry_use){ handle, set, entered };
	if (entered) /* free, or destroyed while this thread waited */
		handle_leave(entered);
	return (struct entry_use){ NULL, NULL, NULL };
}

static inline void entry_leave(struct entry_use *use)
{
	if (use->entered)
		handle_leave(use->entered);
}

/*
 * Declare @name as the handle of @id, or as its EventSet, which no other thread
 * uses until this function returns. NULL: error_no_set() says why.
 */
#define ENTRY_USE(name, id)                                                    \
	struct entry_use name##_use __attribute__((cleanup(entry_leave))) =    \
		entry_enter(id)

#define ENTRY_HANDLE(name, id)                                                 \
	ENTRY_USE(name, id);                                                   \
	struct handle *name = name##_use.handle

#define ENTRY_SET(name, id)                                                    \
	ENTRY_USE(name, id);                                                   \
	struct eventset *name = name##_use.set

/* The plan of event @code, under the library's lock. */
int entry_plan(int code, const struct recipe **out, struct diag *diag);

/* Where event @code stands in @set: its entry, or PAPI_ENOEVNT. */
int entry_find(const struct eventset *set, int code);

/* Let @options begin with the defaults of component @index. */
void entry_apply_defaults(struct library *lib, size_t index,
			  struct eventset_options *options);

/* The component with index @cidx, or NULL with the error PAPI_ENOCMP set. */
struct component *entry_component(struct library *lib, int cidx);

/*
 * The component that presets are counted by, as events_open() chooses it: the
 * last with hardware events, so the simulated PMU where there is one. 0 if
 * none has any.
 */
int entry_hardware(const struct library *lib);
