/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The list as a table, the numbers checked against papi.h, and the search by
 * name. How a preset is counted on one processor is left to share/presets.
 */
#include "event/preset.h"

#include <papi.h>
#include <string.h>

#define X(id, brief_, text_, groups_)                                          \
	[PRESET_##id] = { .name = "PAPI_" #id,                                 \
			  .brief = brief_,                                     \
			  .text = text_,                                       \
			  .groups = groups_ },
const struct preset_info preset_info[PRESET_COUNT] = { PRESETS(X) };
#undef X

/* The public numbers are written out for users; they must be these. */
#define X(id, brief, text, groups)                                             \
	_Static_assert((int)PRESET_##id == (int)PAPI_##id##_idx, #id);
PRESETS(X)
#undef X

const struct preset_alias preset_aliases[] = {
	{ "PAPI_STL_CYC", PRESET_STL_ICY },
	{ NULL, PRESET_COUNT },
};

/* Presets are found a few times in a run: a walk of the list will do. */
bool preset_find(const char *name, enum preset *preset)
{
	if (strncmp(name, "PAPI_", 5) != 0)
		return false;
	for (int i = 0; i < PRESET_COUNT; i++) {
		if (preset_info[i].name[5] == name[5] &&
		    strcmp(preset_info[i].name + 5, name + 5) == 0) {
			*preset = (enum preset)i;
			return true;
		}
	}
	for (const struct preset_alias *a = preset_aliases; a->name; a++) {
		if (strcmp(a->name, name) == 0) {
			*preset = a->preset;
			return true;
		}
	}
	return false;
}
