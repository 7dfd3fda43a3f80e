/* SPDX-License-Identifier: BSD-3-Clause */
/* assay diff: two runs compared, with limits that make it a gate. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "cli/cmd.h"
#include "diff/compare.h"
#include "diff/write.h"
#include "measure/metrics.h"
#include "write/document.h"

enum {
	OPT_LIMIT = CMD_LONG,
	OPT_PER_THREAD,
	OPT_JUNIT,
	OPT_GITHUB,
};

struct diff_state {
	struct limit *limits;
	size_t n;
	const struct format *format; /* of --junit, --github; or NULL */
	bool all;
	enum runfile_rows rows;
};

static const struct cmd_option options[] = {
	{ OPT_LIMIT, "limit", "LIMIT",
	  "exit with status 4 if B exceeds the limit: NAME<+1% (at most 1 "
	  "% above A), NAME<+1000, NAME>-2% (at most 2 % below A); NAME is "
	  "an event, a metric (ipc), or time; may be repeated",
	  BY_TAKE },
	{ 0, "all", NULL, "also show values that did not change",
	  INTO(diff_state, all) },
	{ OPT_PER_THREAD, "per-thread", NULL,
	  "compare thread by thread instead of summing a section over "
	  "threads and tasks",
	  BY_TAKE },
	{ OPT_JUNIT, "junit", NULL, "write limits as JUnit test cases",
	  BY_TAKE },
	{ OPT_GITHUB, "github", NULL,
	  "write exceeded limits as GitHub annotations", BY_TAKE },
	{ 0 },
};

static int add_limit(struct cli *cli, const char *text)
{
	struct diff_state *state = cli->state;
	struct diag diag = { 0 };

	if (array_grow(&state->limits, state->n, sizeof(*state->limits)) ||
	    limit_parse(text, &state->limits[state->n], &diag))
		return say_usage(&cli->console, "--limit %s: %s", text,
				 diag.text);
	state->n++;
	return CMD_OK;
}

static const struct format junit = FORMAT("junit", NULL, compare_write_junit);
static const struct format github =
	FORMAT("github", NULL, compare_write_github);

static int take_diff_option(struct cli *cli, int key, const char *argument)
{
	struct diff_state *state = cli->state;

	switch (key) {
	case OPT_LIMIT:
		return add_limit(cli, argument);
	case OPT_PER_THREAD:
		state->rows = RUNFILE_THREADS;
		break;
	case OPT_JUNIT:
		state->format = &junit;
		break;
	case OPT_GITHUB:
		state->format = &github;
		break;
	}
	return CMD_OK;
}

static int load(const struct cli *cli, const char *path, struct runfile *run)
{
	const struct diff_state *state = cli->state;
	struct diag diag = { 0 };

	if (runfile_load(path, state->rows, run, &diag) == 0)
		return CMD_OK;
	return say_diag(&cli->console, &diag);
}

/* A limit on something neither run has would guard nothing, unnoticed. */
static int check_limit(const struct cli *cli, const struct comparison *c,
		       const struct limit *limit)
{
	struct nearest near;
	const char *hint;

	nearest_init(&near, limit->name);
	for (size_t i = 0; i < c->n; i++) {
		if (limit_is_on(limit, c->rows[i].name))
			return CMD_OK;
		nearest_add(&near, c->rows[i].name);
	}
	hint = nearest_text(&near, "");
	if (strcmp(limit->name, "time") == 0)
		hint = "times of a program on the simulated PMU are not real";
	say_error_hint(&cli->console, hint, "--limit %s: neither run has %s",
		       limit->text, limit->name);
	return CMD_FAILED;
}

static int check_limits(const struct cli *cli, const struct comparison *c)
{
	const struct diff_state *state = cli->state;
	int status = CMD_OK;

	for (size_t i = 0; i < state->n && !status; i++)
		status = check_limit(cli, c, &state->limits[i]);
	return status;
}

static int show(struct cli *cli, const struct runfile *a,
		const struct runfile *b)
{
	struct diff_state *state = cli->state;
	struct comparison c;
	struct metrics metrics = { 0 };
	struct compare_view view = { .comparison = &c,
				     .a = a->path,
				     .b = b->path,
				     .missing_a = a->missing,
				     .missing_b = b->missing,
				     .limits = state->limits,
				     .n_limits = state->n,
				     .all = state->all,
				     .metrics = &metrics,
				     .text_of = metrics_text };
	int status;

	if (compare_runs(a, b, state->limits, state->n, &c))
		return say_no_memory(&cli->console);
	metrics_init(&metrics, "", NULL); /* without it, names stay keys */
	status = check_limits(cli, &c);
	if (!status)
		status = output_write_as(&cli->output, state->format, &view,
					 stdout, c.broken ? CMD_LIMIT : CMD_OK);
	metrics_fini(&metrics);
	comparison_fini(&c);
	return status;
}

static const struct format formats[] = {
	FORMAT("text", ".txt", compare_write_text),
	DATA_FORMATS(compare_describe),
	FORMAT("html", ".html", compare_write_page),
	{ 0 },
};

static int run_diff(struct cli *cli, int argc, char **argv)
{
	struct diff_state *state = cli->state;
	struct runfile a = { 0 }, b = { 0 };
	int status;

	/* --junit and --github have chosen, whatever the file is called */
	if (!state->format)
		state->format = output_format(&cli->output, formats);
	if (!state->format)
		return CMD_USAGE;
	if (argc != 2)
		return say_usage(&cli->console,
				 "exactly two files are required; "
				 "usage: assay diff A B");
	status = load(cli, argv[0], &a);
	if (!status)
		status = load(cli, argv[1], &b);
	if (!status)
		status = show(cli, &a, &b);
	runfile_fini(&a);
	runfile_fini(&b);
	while (state->n > 0)
		limit_fini(&state->limits[--state->n]);
	free(state->limits);
	return status;
}

const struct command command_diff = {
	.name = "diff",
	.summary = "compare two runs; limits make it a pass/fail check",
	.synopsis = "[--limit LIMIT]... A B",
	.text = "Compare two files of assay count (JSON) or of libhpm (XML), "
		"section by section. Sections match if label, file and kind "
		"are the same, even if their lines have moved. If runs were "
		"repeated, a difference is shown with its 95 % interval, and "
		"called unresolved if it may be noise. Counts of the simulated "
		"PMU are compared exactly.",
	.options = options,
	.formats = formats,
	.common = COMMON_OUTPUT,
	.take = take_diff_option,
	.run = run_diff,
	.state_bytes = sizeof(struct diff_state),
};
