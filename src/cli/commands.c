/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of verbs. */

#include <string.h>

#include "cli/cmd.h"

const struct command *const commands[] = {
	&command_count,  &command_run_program, &command_list,
	&command_doctor, &command_help,        NULL,
};

const struct command *command_find(const char *name)
{
	for (size_t i = 0; commands[i]; i++)
		if (strcmp(commands[i]->name, name) == 0)
			return commands[i];
	return NULL;
}
