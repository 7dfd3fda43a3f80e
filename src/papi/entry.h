/* SPDX-License-Identifier: BSD-3-Clause */
/* What every file of entry points needs. */
#ifndef PAPI_ENTRY_H
#define PAPI_ENTRY_H

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

/* A handle that a call is in, until it returns. */
struct entry_use {
	struct handle *handle; /* NULL: there is none, or it is busy */
	bool leave;
};

static inline struct entry_use entry_enter(int id)
{
	struct handle *handle = library_handle(id);
	enum handle_way way = handle ? handle_enter(handle) : HANDLE_BUSY;

	if (way != HANDLE_BUSY && handle_set(handle))
		return (struct entry_use){ handle, way == HANDLE_IN };
	if (way == HANDLE_IN) /* destroyed while this thread waited */
		handle_leave(handle);
	return (struct entry_use){ NULL, false };
}

static inline void entry_leave(struct entry_use *use)
{
	if (use->leave)
		handle_leave(use->handle);
}

/*
 * Declare @name as the handle of @id, or as its EventSet, which no other thread
 * uses until this function returns. NULL: error_no_set() says why.
 */
#define ENTRY_HANDLE(name, id)                                                 \
	struct entry_use name##_use __attribute__((cleanup(entry_leave))) =    \
		entry_enter(id);                                               \
	struct handle *name = name##_use.handle

#define ENTRY_SET(name, id)                                                    \
	ENTRY_HANDLE(name##_handle, id);                                       \
	struct eventset *name = name##_handle ? handle_set(name##_handle) : NULL

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

#endif /* PAPI_ENTRY_H */
