/* SPDX-License-Identifier: BSD-3-Clause */
/* assay report: performance files in the terminal. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cmd.h"
#include "outline/outline.h"
#include "taskfile/taskfile.h"
#include "view/view.h"

struct report_state {
	bool check;
	struct outline_options outline;
	struct view view;
	struct outline_report report;
};

static const struct cmd_option options[] = {
	{ 0, "by", "time|EVENT",
	  "compare sections by this quantity (default: time; on the simulated "
	  "PMU cycles, or instructions)",
	  INTO(report_state, outline.by) },
	{ 0, "sort", "KEY",
	  "sort sections by inclusive (default), exclusive, calls, imbalance, "
	  "label, or file (the order in the file)",
	  INTO_AS(WORD, report_state, outline.sort),
	  .words = outline_sort_names },
	{ 0, "depth", "N", "show N levels of the tree",
	  INTO(report_state, outline.depth), .max = 1000 },
	{ 0, "min", "PERCENT", "hide sections with a smaller inclusive share",
	  INTO(report_state, outline.min_share), .max = 100 },
	{ 0, "per-thread", NULL, "also list every rank and thread of a section",
	  INTO(report_state, outline.per_thread) },
	{ 0, "check", NULL,
	  "check that no exclusive count is negative or above the inclusive "
	  "one; exit with 5 if one is",
	  INTO(report_state, check) },
	{ 0 },
};

static int load(const struct cli *cli, struct report_state *state, int argc,
		char **argv)
{
	struct taskfile_files files = { 0 };
	struct diag diag = { 0 };
	struct progress progress;
	int err = taskfile_files_find(&files, argv, (size_t)argc, &diag);

	progress_start(&progress, &cli->console, "reading", "files", files.n);
	for (size_t i = 0; i < files.n && !err; i++) {
		err = view_add_file(&state->view, files.paths[i], &diag);
		progress_step(&progress, i + 1);
	}
	progress_end(&progress);
	if (!err)
		err = view_name_runs(&state->view);
	if (err == PAPI_ENOMEM)
		diag_fail(&diag, err, "out of memory");
	if (err)
		say_diag(&cli->console, &diag);
	taskfile_files_free(&files);
	return err ? CMD_FAILED : CMD_OK;
}

static int build(const struct cli *cli, struct report_state *state)
{
	struct outline_report *r = &state->report;
	struct diag diag = { 0 };

	r->view = &state->view;
	r->outlines = calloc(state->view.n_runs + 1, sizeof(*r->outlines));
	if (!r->outlines)
		return say_no_memory(&cli->console);
	for (; r->n < state->view.n_runs; r->n++)
		if (outline_build(&r->outlines[r->n], state->view.runs[r->n],
				  &state->outline, &diag))
			return say_diag(&cli->console, &diag);
	return CMD_OK;
}

static void tell_broken(void *console, const char *sentence)
{
	say_error(console, "%s", sentence);
}

static int check(struct cli *cli, const struct report_state *state)
{
	size_t broken = 0;

	for (size_t i = 0; state->check && i < state->report.n; i++)
		broken += outline_check(&state->report.outlines[i], tell_broken,
					&cli->console);
	return broken ? CMD_BROKEN : CMD_OK;
}

/* A profile has formats of its own, which `assay record` writes. */
static int check_profiles(const struct cli *cli,
			  const struct report_state *state,
			  const struct format *format)
{
	if (format == outline_formats || state->view.n_profiles == 0)
		return CMD_OK;
	return say_usage(&cli->console,
			 "%s is a profile: cannot write %s here; 'assay record "
			 "--import' writes the formats of profiles",
			 state->view.profiles[0].name, format->name);
}

static void fini(struct report_state *state)
{
	for (size_t i = 0; i < state->report.n; i++)
		outline_fini(&state->report.outlines[i]);
	free(state->report.outlines);
	view_fini(&state->view);
}

static int run_report(struct cli *cli, int argc, char **argv)
{
	struct report_state *state = cli->state;
	const struct format *format =
		output_format(&cli->output, outline_formats);
	int status = format ? output_check(&cli->output, cli->output.path)
			    : CMD_USAGE;

	if (!status && argc < 1)
		status = say_usage(
			&cli->console,
			"no files given; usage: assay report FILE...");
	if (!status)
		status = load(cli, state, argc, argv);
	if (!status)
		status = check_profiles(cli, state, format);
	if (!status)
		status = build(cli, state);
	if (!status)
		status =
			output_write(&cli->output, format->write,
				     &state->report, stdout, check(cli, state));
	fini(state);
	return status;
}

const struct command command_report = {
	.name = "report",
	.summary = "print performance files and profiles in the terminal",
	.synopsis = "[--by EVENT] [--sort KEY] [--depth N] FILE|DIRECTORY...",
	.text = "Print the sections of performance files that libhpm wrote as "
		"a tree: calls, inclusive and exclusive values, metrics with "
		"verdicts, and the imbalance over threads and ranks. Also "
		"print the JSON of assay count as one section, PAPI's regions, "
		"and profiles of assay record. Files of the ranks of one run "
		"are summed; several runs are printed one after the "
		"other. A directory stands for the *.xml files in it.",
	.options = options,
	.formats = outline_formats,
	.common = COMMON_OUTPUT,
	.run = run_report,
	.state_bytes = sizeof(struct report_state),
};
