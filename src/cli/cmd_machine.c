/* SPDX-License-Identifier: BSD-3-Clause */
/* assay machine: what this machine's parts are and cost, by timing. */

#include <string.h>

#include "base/array.h"
#include "cli/cmd.h"
#include "cli/machine_verb.h"
#include "console/output.h"
#include "console/say.h"

enum {
	KEY_QUICK = CMD_LONG,
	KEY_NO_SAVE,
	KEY_NAME,
	KEY_DATABASE,
	KEY_SWEEP,
};

static const struct cmd_option options[] = {
	{ KEY_QUICK, "quick", NULL,
	  "finish in 15 seconds; less robust against other load" },
	{ KEY_NAME, "name", "NAME",
	  "store the machine under NAME instead of its host name" },
	{ KEY_NO_SAVE, "no-save", NULL, "show the result and store nothing" },
	{ KEY_DATABASE, "database", "FILE",
	  "use this database of machines instead of the user's own" },
	{ KEY_SWEEP, "sweep", "CURVE",
	  "draw this curve (svg), such as latency, L1D, L2, DTLB, STLB or line" },
	{ 0 },
};

/* One of the words after the verb. */
static const struct action {
	const char *name;
	int (*run)(struct cli *cli, int argc, char **argv);
	int least, most; /* arguments */
	const char *takes;
} actions[] = {
	{ "measure", machine_do_measure, 0, 0, "" },
	{ "list", machine_do_list, 0, 0, "" },
	{ "show", machine_do_show, 0, 1, "[NAME]" },
	{ "compare", machine_do_compare, 2, 2, "NAME NAME" },
	{ "export", machine_do_show, 0, 1, "[NAME] -o FILE" },
	{ "import", machine_do_import, 1, 1, "FILE" },
};

static int take(struct cli *cli, int key, const char *argument)
{
	struct machine_options *o = cli->state;

	switch (key) {
	case KEY_QUICK:
		o->quick = true;
		return 0;
	case KEY_NO_SAVE:
		o->forget = true;
		return 0;
	case KEY_NAME:
		o->name = argument;
		if (machine_is_name(argument))
			return 0;
		say_error(&cli->console,
			  "a machine's name is made of letters, digits, '-', "
			  "'_' and '.', not '%s'",
			  argument);
		return CMD_USAGE;
	case KEY_DATABASE:
		o->database = argument;
		return 0;
	case KEY_SWEEP:
		o->sweep = argument;
		return 0;
	default:
		return CMD_USAGE;
	}
}

static const struct action *find(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(actions); i++)
		if (strcmp(actions[i].name, name) == 0)
			return &actions[i];
	return NULL;
}

static int run(struct cli *cli, int argc, char **argv)
{
	const struct action *action =
		argc > 0 ? find(argv[0]) : find("measure");
	int status;

	if (!action) {
		say_error(&cli->console,
			  "there is no '%s'; there are measure, list, show, "
			  "compare, export and import",
			  argv[0]);
		return CMD_USAGE;
	}
	if (argc > 0) {
		argc--;
		argv++;
	}
	if (argc < action->least || argc > action->most) {
		say_error(&cli->console, "usage: %s %s %s", cli->console.as,
			  action->name, action->takes);
		return CMD_USAGE;
	}
	if (action->run == machine_do_show &&
	    strcmp(action->name, "export") == 0 && !cli->output.path) {
		say_error(&cli->console, "export requires a file: -o FILE");
		return CMD_USAGE;
	}
	status = output_check(&cli->output, cli->output.path);
	return status ? status : action->run(cli, argc, argv);
}

const struct command command_machine = {
	.name = "machine",
	.summary = "measure this machine's caches, TLBs, latencies and "
		   "bandwidths",
	.synopsis = "[measure|list|show|compare|export|import] [options] "
		    "[NAME ...]",
	.text = "measure, or no word: find out, by timing alone, caches, TLBs, "
		"latencies, bandwidths, branches and arithmetic, each with its "
		"spread and whether it can be relied on, beside what the "
		"machine says of itself; and keep it, so that formulas and "
		"models use it. With --pmu sim the simulated machine is "
		"measured instead, by its own cycles. list: the machines that "
		"are kept. show [NAME]: one of them, or one in a file. compare "
		"NAME NAME: two of them. export [NAME] -o FILE: as JSON, CSV, "
		"constants (.txt) or a picture of a curve (.svg). import FILE: "
		"keep what was exported as JSON elsewhere, or a file of "
		"constants.",
	.options = options,
	.formats = machine_formats,
	.common = COMMON_OUTPUT | COMMON_PMU,
	.take = take,
	.run = run,
	.state_bytes = sizeof(struct machine_options),
};
