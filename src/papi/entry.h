/* SPDX-License-Identifier: BSD-3-Clause */
/* What every file of entry points needs. */
#ifndef PAPI_ENTRY_H
#define PAPI_ENTRY_H

#include "core/eventset.h"
#include "event/resolve.h"
#include "papi/error.h"
#include "papi/library.h"
#include "papi/profiling.h"

/* The EventSet of handle @id, or NULL. */
static inline struct eventset *entry_set(int id)
{
	struct handle *handle = library_handle(id);

	return handle ? handle_set(handle) : NULL;
}

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
