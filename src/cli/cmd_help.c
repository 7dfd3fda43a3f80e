/* SPDX-License-Identifier: BSD-3-Clause */
/* assay help: what the verbs do, for people, man pages and shells. */

#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "cli/cmd.h"
#include "cli/completion.h"
#include "cli/options.h"
#include "cli/overview.h"

enum {
	KEY_FORM = CMD_LONG,
};

typedef void (*form_writer)(const struct command *command, FILE *to);

struct help {
	form_writer write;
	bool next;
};

static const struct cmd_option options[] = {
	{ KEY_FORM, "form", "text|scdoc|table",
	  "text for people, scdoc for the option section of a man page, "
	  "table for scripts (one option per line); without a VERB: the "
	  "options that verbs share",
	  BY_TAKE },
	{ 0, "next", NULL,
	  "for shell completion: list possible completions of the last "
	  "argument, which may be empty; write -- before the arguments",
	  INTO(help, next) },
	{ 0 },
};

static const struct {
	const char *name;
	form_writer write;
} forms[] = {
	{ "text", options_write_help },
	{ "scdoc", options_write_scdoc },
	{ "table", options_write_table },
};

/* Only --form: the parser stores the others. */
static int take_help_option(struct cli *cli, int key, const char *argument)
{
	struct help *help = cli->state;

	(void)key;
	for (size_t i = 0; i < ARRAY_SIZE(forms); i++)
		if (strcmp(forms[i].name, argument) == 0)
			help->write = forms[i].write;
	if (help->write)
		return 0;
	return say_usage(&cli->console,
			 "--form requires text, scdoc or table, not '%s'",
			 argument);
}

/* Stands for all verbs: it has the options that they share. */
static const struct command every_verb = {
	.name = "VERB",
	.synopsis = "[options] [--] [command ...]",
	.text = "These options mean the same for every verb that has them.",
	.common = COMMON_PMU | COMMON_OUTPUT | COMMON_STRICT,
};

static int run_help(struct cli *cli, int argc, char **argv)
{
	struct help *help = cli->state;

	if (help->next) {
		completion_write(cli, argc, argv, stdout);
		return say_flush(&cli->console, CMD_OK);
	}
	if (argc == 0) {
		if (help->write)
			help->write(&every_verb, stdout);
		else
			overview_write(stdout);
		return say_flush(&cli->console, CMD_OK);
	}
	for (int i = 0; i < argc; i++) {
		const struct command *command = command_find(argv[i]);

		if (!command) {
			overview_unknown_verb(cli->console.as, argv[i]);
			return CMD_USAGE;
		}
		(help->write ? help->write : options_write_help)(command,
								 stdout);
	}
	return say_flush(&cli->console, CMD_OK);
}

const struct command command_help = {
	.name = "help",
	.summary = "describe the verbs and their options",
	.synopsis = "[--form FORM] [VERB ...] | --next -- [WORD ...]",
	.text = "Describe what assay can do or, with a VERB, how to use "
		"it.",
	.options = options,
	.take = take_help_option,
	.run = run_help,
	.state_bytes = sizeof(struct help),
};
