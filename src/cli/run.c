/* SPDX-License-Identifier: BSD-3-Clause */
/* One verb, from its arguments to its exit status. */

#include <stdlib.h>
#include <string.h>

#include "cli/cmd.h"
#include "cli/options.h"
#include "machine/machine.h"

/* --model host: now that no option is wrong, as it may take a while. */
static int find_host_model(struct cli *cli, char **path)
{
	struct diag diag = { .text = "" };

	*path = NULL;
	if (!cli->pmu.model || strcmp(cli->pmu.model, "host") != 0)
		return CMD_OK;
	if (machine_host_model(&cli->console, path, &diag))
		return say_failure(&cli->console, "%s", diag.text);
	cli->pmu.model = *path;
	return CMD_OK;
}

int command_run(const struct command *command, const char *as, int argc,
		char **argv)
{
	struct cli cli = { .command = command,
			   .console.as = as,
			   .output.console = &cli.console };
	int status = CMD_FAILED;
	char *model = NULL;
	int used;

	if (command->state_bytes) {
		cli.state = calloc(1, command->state_bytes);
		if (!cli.state)
			return say_no_memory(&cli.console);
	}
	used = options_parse(&cli, argc, argv, &status);
	if (used >= 0)
		status = find_host_model(&cli, &model);
	if (used >= 0 && !status)
		status = command->run(&cli, argc - used, argv + used);
	free(model);
	free(cli.state);
	return status;
}
