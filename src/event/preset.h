/* SPDX-License-Identifier: BSD-3-Clause */
/* The presets: what they are called and what they mean on every machine. */
#pragma once

#include <stdbool.h>

#include "event/preset_list.h"

#define X(id, brief, text, groups) PRESET_##id,
enum preset {
	PRESETS(X) PRESET_COUNT
};
#undef X

struct preset_info {
	const char *name;  /* "PAPI_L1_DCM" */
	const char *brief; /* fits PAPI_event_info_t.short_descr */
	const char *text;
	unsigned groups; /* PAPI_PRESET_BIT_* */
};

extern const struct preset_info preset_info[PRESET_COUNT];

/*
 * Names of the year 2000 that a preset of today has under another name;
 * NULL-terminated. (Those that no preset has are in share/presets.)
 */
struct preset_alias {
	const char *name;
	enum preset preset;
};

extern const struct preset_alias preset_aliases[];

/* The preset called @name, by its own name or an alias. */
bool preset_find(const char *name, enum preset *preset);
