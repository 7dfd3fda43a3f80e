/* SPDX-License-Identifier: BSD-3-Clause */
/* assay view: performance files in the browser, served or as one page. */

#include <stdio.h>
#include <stdlib.h>

#include "cli/cmd.h"
#include "view/view.h"
#include "write/html.h"

enum {
	OPT_SOURCE = CMD_LONG,
};

struct view_state {
	struct view view;
	struct serve_options serve;
	const char *html;
};

static const struct cmd_option options[] = {
	{ 0, "html", "OUT", "write one self-contained page to OUT and exit",
	  INTO(view_state, html) },
	{ OPT_SOURCE, "source", "DIR",
	  "also search DIR for source files; may be repeated", BY_TAKE },
	SERVE_OPTIONS(view_state, serve),
	{ 0 },
};

/* Only --source: the parser stores the others. */
static int take_view_option(struct cli *cli, int key, const char *argument)
{
	struct view_state *state = cli->state;

	(void)key;
	return view_add_folder(&state->view, argument)
		       ? say_no_memory(&cli->console)
		       : 0;
}

static int load(const struct cli *cli, int argc, char **argv)
{
	struct view *v = &((struct view_state *)cli->state)->view;
	struct progress progress;
	struct diag diag = { 0 };
	int err = 0;

	progress_start(&progress, &cli->console, "reading", "files",
		       (size_t)argc);
	for (int i = 0; i < argc && !err; i++) {
		err = view_add_file(v, argv[i], &diag);
		progress_step(&progress, (size_t)i + 1);
	}
	progress_end(&progress);
	if (err)
		return say_diag(&cli->console, &diag);
	if (view_complete(v))
		return say_no_memory(&cli->console);
	return CMD_OK;
}

static int write_page(const void *what, const struct report_style *style,
		      FILE *to)
{
	(void)style;
	return view_write_page(what, to);
}

/* What is wrong with the command line or a file is told by every build, also by
 * one without pages. */
static int check_and_load(struct cli *cli, int argc, char **argv)
{
	int status;

	if (argc < 1)
		return say_usage(&cli->console,
				 "no files given; usage: assay view FILE...");
	status = load(cli, argc, argv);
	if (!status && html_missing())
		return say_failure(&cli->console, "%s", html_missing());
	return status;
}

static int run_view(struct cli *cli, int argc, char **argv)
{
	struct view_state *state = cli->state;
	int status = check_and_load(cli, argc, argv);

	cli->output.path = state->html;
	if (!status && state->html)
		status = output_write(&cli->output, write_page, &state->view,
				      stdout, CMD_OK);
	else if (!status)
		status = view_serve(&cli->console, &state->view, &state->serve);
	view_fini(&state->view);
	return status;
}

const struct command command_view = {
	.name = "view",
	.summary = "show performance files and profiles in the browser",
	.synopsis = "[--html OUT] FILE...",
	.text = "Show the sections of performance files (times, counts and "
		"metrics of every task and thread, beside the source), the "
		"JSON of assay count as one section, and profiles of assay "
		"record (functions, lines, addresses, a "
		"flame graph). Files of one run's tasks are merged; files "
		"of several runs are compared. The page is served until "
		"Ctrl-C, on 127.0.0.1 only and at a random address; --html "
		"writes it to a file.",
	.options = options,
	.take = take_view_option,
	.run = run_view,
	.state_bytes = sizeof(struct view_state),
};
