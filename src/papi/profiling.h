/* SPDX-License-Identifier: BSD-3-Clause */
/* Histograms that hang on an EventSet's events. */
#pragma once

#include <stdbool.h>

#include "papi/handles.h"

/* Whether event @code of @handle's EventSet is profiled. */
bool profiling_has(const struct handle *handle, int code);

/* What the core calls at an overflow; @data is the handle. */
void profiling_dispatch(int id, void *address, long long which, void *context,
			void *data);

/* Release one, or all; the EventSet no longer calls them. */
void profiling_forget(struct handle *handle, int code);
void profiling_forget_all(struct handle *handle);
