/* SPDX-License-Identifier: BSD-3-Clause */
/* assay machine: what this machine's parts are and cost, by timing. */

#include <string.h>

#include "base/array.h"
#include "cli/machine_verb.h"
#include "cli/output.h"
#include "cli/say.h"

enum {
	KEY_QUICK = CMD_LONG,
	KEY_NO_SAVE,
	KEY_NAME,
};

static const struct cmd_option options[] = {
	{ KEY_QUICK, "quick", NULL,
	  "be done in 15 seconds, with less certainty about what others "
	  "disturb" },
	{ KEY_NAME, "name", "NAME",
	  "the name under which the machine is kept, instead of its own" },
	{ KEY_NO_SAVE, "no-save", NULL, "show only; keep nothing" },
	{ 0 },
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
		return 0;
	default:
		return CMD_USAGE;
	}
}

static int run(struct cli *cli, int argc, char **argv)
{
	const struct machine_writer *writer = machine_writer_for(cli);
	struct machine m = { 0 };
	int status;

	if (!writer)
		return CMD_USAGE;
	if (argc > 0) {
		say_error(cli, "takes no argument, not '%s'", argv[0]);
		return CMD_USAGE;
	}
	status = machine_verb_measure(cli, &m);
	if (!status)
		status = output_write(cli, writer->write, &m, stdout, status);
	machine_fini(&m);
	return status;
}

const struct command command_machine = {
	.name = "machine",
	.summary = "measure what this machine's parts are and cost",
	.synopsis = "[options]",
	.text = "Measures, by timing alone, caches, TLBs, latencies, "
		"bandwidths, branches and arithmetic, each with its spread and "
		"whether it can be relied on, beside what the machine says of "
		"itself. With --pmu sim it measures the simulated machine "
		"instead, by its own cycles.",
	.options = options,
	.common = COMMON_OUTPUT | COMMON_PMU,
	.take = take,
	.run = run,
	.state_bytes = sizeof(struct machine_options),
};
