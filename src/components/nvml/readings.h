/* SPDX-License-Identifier: BSD-3-Clause */
/* What NVML can be asked about a GPU: one row each. */
#pragma once

#include "components/nvml/calls.h"
#include "core/component.h"

struct reading {
	const char *name;
	const char *text;
	const char *unit;
	enum event_kind kind;
	/* NVML's result. @which is the row's. */
	int (*read)(const struct nvml_calls *calls, void *device, int which,
		    uint64_t *value);
	int which;
};

extern const struct reading readings[];
extern const size_t readings_n;
