/* SPDX-License-Identifier: BSD-3-Clause */
/* assay machine: what this machine's parts are and cost, by timing. */

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/strbuf.h"
#include "cli/cmd.h"
#include "cli/machine_verb.h"

enum {
	KEY_NAME = CMD_LONG,
	KEY_STORE,
};

static const struct cmd_option options[] = {
	{ 0, "quick", NULL,
	  "finish in 15 seconds; less robust against other load",
	  INTO(machine_options, quick) },
	{ KEY_NAME, "name", "NAME",
	  "store the machine under NAME instead of its host name", BY_TAKE },
	{ 0, "no-save", NULL, "show the result and store nothing",
	  INTO(machine_options, forget) },
	{ KEY_STORE, "store", "DIR",
	  "store machines in this directory, and look them up there", BY_TAKE },
	{ 0, "sweep", "CURVE",
	  "draw this curve (svg), such as latency, L1D, L2, DTLB, STLB or "
	  "line",
	  INTO(machine_options, sweep) },
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

/* It may still have to be made. */
static int check_store(const struct cli *cli, const char *path)
{
	struct stat st;

	if (stat(path, &st) == 0 ? S_ISDIR(st.st_mode) : errno != ENOTDIR)
		return 0;
	return say_usage(&cli->console, "--store: '%s' is not a directory",
			 path);
}

static int take_machine_option(struct cli *cli, int key, const char *argument)
{
	struct machine_options *o = cli->state;

	if (key == KEY_STORE) {
		o->folder = argument;
		return check_store(cli, argument);
	}
	o->name = argument;
	if (machine_is_name(argument))
		return 0;
	return say_usage(
		&cli->console,
		"a machine's name consists of letters, digits, '-', '_' and "
		"'.', not '%s'",
		argument);
}

static const struct action *find(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(actions); i++)
		if (strcmp(actions[i].name, name) == 0)
			return &actions[i];
	return NULL;
}

/* What a measurement, which takes minutes, would find out at its end. */
static int check_measure(const struct cli *cli, const struct action *action)
{
	const struct machine_options *o = cli->state;
	STRBUF(names);

	if (action->run != machine_do_measure)
		return CMD_OK;
	if (cli->pmu.model && cli->pmu.kind != PMU_SIMULATED)
		return say_usage(&cli->console, "--model requires --pmu sim");
	for (size_t i = 0; o->sweep && machine_curve_names[i]; i++) {
		if (strcmp(machine_curve_names[i], o->sweep) == 0)
			return CMD_OK;
		strbuf_addf(&names, "%s%s", i ? ", " : "",
			    machine_curve_names[i]);
	}
	if (o->sweep)
		say_error(&cli->console, "there is no curve '%s'; curves: %s",
			  o->sweep, strbuf_text(&names));
	return o->sweep ? CMD_USAGE : CMD_OK;
}

static int run_machine(struct cli *cli, int argc, char **argv)
{
	const struct action *action =
		argc > 0 ? find(argv[0]) : find("measure");
	int status;

	if (!action)
		return say_usage(
			&cli->console,
			"there is no action '%s'; actions: measure, list, "
			"show, compare, export, import",
			argv[0]);
	if (argc > 0) {
		argc--;
		argv++;
	}
	if (argc < action->least || argc > action->most)
		return say_usage(&cli->console, "usage: %s %s %s",
				 cli->console.as, action->name, action->takes);
	if (action->run == machine_do_show &&
	    strcmp(action->name, "export") == 0 && !cli->output.path)
		return say_usage(&cli->console,
				 "export requires a file: -o FILE");
	status = check_measure(cli, action);
	if (!status)
		status = output_check(&cli->output, cli->output.path);
	return status ? status : action->run(cli, argc, argv);
}

const struct command command_machine = {
	.name = "machine",
	.summary = "measure this machine's caches, TLBs, latencies and "
		   "bandwidths",
	.synopsis = "[measure|list|show|compare|export|import] [options] "
		    "[NAME ...]",
	.text = "measure (default): measure caches, TLBs, latencies, bandwidths, "
		"branches and arithmetic by timing alone, show each with its "
		"spread, its reliability and the nominal value, and store the "
		"result for formulas and models. With --pmu sim the simulated "
		"machine is measured instead, in its own cycles. list: list the "
		"stored machines. show [NAME]: show one of them, or one in a "
		"file. compare NAME NAME: compare two of them. export [NAME] -o "
		"FILE: write JSON, CSV, constants (.txt), a model to simulate "
		"(.model) or a figure of a curve (.svg). import FILE: store a "
		"machine that was exported as JSON elsewhere, or a file of "
		"constants.",
	.options = options,
	.formats = machine_formats,
	.common = COMMON_OUTPUT | COMMON_PMU,
	.take = take_machine_option,
	.run = run_machine,
	.state_bytes = sizeof(struct machine_options),
};
