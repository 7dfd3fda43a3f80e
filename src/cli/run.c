/* SPDX-License-Identifier: BSD-3-Clause */
/* One verb, from its arguments to its exit status. */

#include <stdlib.h>

#include "cli/cmd.h"
#include "cli/options.h"
#include "console/say.h"

int command_run(const struct command *command, const char *as, int argc,
		char **argv)
{
	struct cli cli = { .command = command,
			   .console.as = as,
			   .output.console = &cli.console };
	int status = CMD_FAILED;
	int used;

	if (command->state_bytes) {
		cli.state = calloc(1, command->state_bytes);
		if (!cli.state) {
			say_error(&cli.console, "out of memory");
			return CMD_FAILED;
		}
	}
	used = options_parse(&cli, argc, argv, &status);
	if (used >= 0)
		status = command->run(&cli, argc - used, argv + used);
	free(cli.state);
	return status;
}
