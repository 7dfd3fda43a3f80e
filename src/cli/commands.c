/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of verbs, of the list in cmd.h. */

#include <string.h>

#include "cli/cmd.h"

#define COMMAND_ADDRESS(name) &command_##name,
const struct command *const commands[] = { COMMANDS(COMMAND_ADDRESS) NULL };

/* perf's name for it, for fingers that know it. */
#define PERF_STAT "stat"

const struct command *command_find(const char *name)
{
	if (strcmp(name, PERF_STAT) == 0)
		return &command_count;
	for (size_t i = 0; commands[i]; i++)
		if (strcmp(commands[i]->name, name) == 0)
			return commands[i];
	return NULL;
}
