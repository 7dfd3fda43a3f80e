/* SPDX-License-Identifier: BSD-3-Clause */
/* assay metrics: files of metrics checked, listed, converted, applied. */

#include <string.h>

#include "base/array.h"
#include "cli/cmd.h"
#include "metricfile/metricfile.h"

static const struct cmd_option options[] = {
	{ 0, "cpu", "NAME",
	  "use the sections for this PMU (nhm, icx, sim, ...) instead of "
	  "those for the PMU found here",
	  INTO(metrics_options, cpu) },
	{ 0, "machine", "FILE",
	  "eval: read machine constants from FILE instead of the metric "
	  "file",
	  INTO(metrics_options, machine) },
	{ 0 },
};

/* One of the words after the verb. */
struct action {
	const char *name;
	int (*run)(const struct metrics_call *call, int argc, char **argv);
	int least, most; /* arguments; -1: any number */
	const char *takes;
};

static const struct action actions[] = {
	{ "check", metrics_check, 1, -1, "FILE..." },
	{ "list", metrics_list, 0, -1, "[FILE...]" },
	{ "groups", metrics_groups, 0, -1, "[FILE...]" },
	{ "events", metrics_events, 1, 1, "FILE" },
	{ "convert", metrics_convert, 1, 2, "IN OUT, or IN -o OUT" },
	{ "eval", metrics_eval, 2, 2, "FILE COUNTS" },
};

static const struct action *find(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(actions); i++)
		if (strcmp(actions[i].name, name) == 0)
			return &actions[i];
	return NULL;
}

static int run_metrics(struct cli *cli, int argc, char **argv)
{
	const struct action *action = argc > 0 ? find(argv[0]) : NULL;
	const struct metrics_call call = {
		.console = &cli->console,
		.output = cli->output,
		.pmu = &cli->pmu,
		.options = cli->state,
		.strict = cli->strict,
	};

	if (!action)
		return say_usage(
			&cli->console,
			"%s%s%sactions: check, list, groups, events, "
			"convert, eval",
			argc > 0 ? "there is no action '" : "no action given; ",
			argc > 0 ? argv[0] : "", argc > 0 ? "'; " : "");
	if (argc - 1 < action->least ||
	    (action->most >= 0 && argc - 1 > action->most))
		return say_usage(&cli->console, "usage: %s %s %s",
				 cli->console.as, action->name, action->takes);
	return action->run(&call, argc - 1, argv + 1);
}

const struct command command_metrics = {
	.name = "metrics",
	.summary = "check, list, convert and evaluate metric files",
	.synopsis =
		"check|list|groups|events|convert|eval [options] [FILE ...]",
	.text = "check FILE...: check metric files (text or XML). list "
		"[FILE...]: list the shipped metrics and those of FILEs. "
		"groups [FILE...]: list the names count -g accepts. "
		"events FILE: list the native events its metrics need "
		"here. convert IN OUT, or IN -o OUT: convert text to XML "
		"or back, by the suffix of OUT; IN may also be perf or Intel metrics "
		"(JSON) or a likwid group. eval FILE COUNTS: evaluate its "
		"metrics on recorded counts: JSON of assay count, a "
		"performance file, or CSV with a header line.",
	.options = options,
	.common = COMMON_OUTPUT | COMMON_PMU | COMMON_STRICT,
	.run = run_metrics,
	.state_bytes = sizeof(struct metrics_options),
};
