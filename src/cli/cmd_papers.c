/* SPDX-License-Identifier: BSD-3-Clause */
/* assay papers: the tables and figures of the papers, made again. */

#include <assay/assay.h>
#include <errno.h>
#include <papi.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/cmd.h"
#include "measure/pmu.h"
#include "papers/papers.h"
#include "write/document.h"
#include "write/style.h"

struct papers_state {
	const char *folder;
};

static const struct cmd_option options[] = {
	{ 0, "folder", "DIR",
	  "write figures (SVG) and data (CSV) to DIR; it is created if "
	  "missing",
	  INTO(papers_state, folder) },
	{ 0 },
};

#define SOURCE_AT 17 /* column behind "the paper: " */

static const char *const verdicts[] = {
	[PAPERS_PASS] = "pass",
	[PAPERS_FAIL] = "FAIL",
	[PAPERS_SKIP] = "skip",
};

static int describe_items(const void *what, struct json *j)
{
	const struct papers *papers = what;

	json_table(j, "items");
	for (size_t i = 0; i < papers->n; i++) {
		const struct papers_item *item = &papers->items[i];

		json_row_of(
			j, NULL,
			"paper %s, item %s, verdict %s, detail %s, source %s",
			item->paper, item->item,
			item->verdict == PAPERS_FAIL ? "fail"
						     : verdicts[item->verdict],
			item->detail, item->source);
	}
	json_end_array(j);
	return 0;
}

static int write_text_items(const void *what, const struct report_style *style,
			    FILE *to)
{
	static const enum ink inks[] = {
		[PAPERS_PASS] = INK_GOOD,
		[PAPERS_FAIL] = INK_POOR,
		[PAPERS_SKIP] = INK_DIM,
	};
	const struct papers *papers = what;

	fputs(strbuf_text(&papers->tables), to);
	for (size_t i = 0; i < papers->n; i++) {
		const struct papers_item *item = &papers->items[i];

		if (i == 0 ||
		    strcmp(item->paper, papers->items[i - 1].paper) != 0)
			style_heading(style, item->paper, to);
		fprintf(to,
			"%s%s%s  %s: ", style_on(style, inks[item->verdict]),
			verdicts[item->verdict], style_off(style), item->item);
		style_wrap(style, item->detail, 8 + style_columns(item->item),
			   6, to);
		if (item->source) {
			fputs("      the paper: ", to);
			style_wrap(style, item->source, SOURCE_AT, 6, to);
		}
	}
	fprintf(to, "%zu checks, %zu failed\n", papers->n,
		papers_failures(papers));
	return ferror(to) ? PAPI_ESYS : 0;
}

static int make_folder(const struct cli *cli, const char *folder)
{
	if (!folder || mkdir(folder, 0777) == 0 || errno == EEXIST)
		return 0;
	return say_failure(&cli->console, "cannot create '%s': %s", folder,
			   strerror(errno));
}

static const struct paper *find(const char *name)
{
	for (size_t i = 0; paper_table[i]; i++)
		if (strcmp(paper_table[i]->name, name) == 0)
			return paper_table[i];
	return NULL;
}

static int check_names(const struct cli *cli, int argc, char **argv)
{
	STRBUF(known);

	for (int i = 0; i < argc; i++) {
		if (find(argv[i]))
			continue;
		for (size_t k = 0; paper_table[k]; k++)
			strbuf_addf(&known, "%s%s", k ? ", " : "",
				    paper_table[k]->name);
		say_error(&cli->console, "there is no paper '%s'; papers: %s",
			  argv[i], strbuf_text(&known));
		return CMD_USAGE;
	}
	return 0;
}

static bool is_asked_for(const struct paper *paper, int argc, char **argv)
{
	for (int i = 0; i < argc; i++)
		if (strcmp(argv[i], paper->name) == 0)
			return true;
	return argc == 0;
}

static int run_chosen(struct papers *papers, int argc, char **argv)
{
	int status = 0;

	for (size_t i = 0; paper_table[i] && !status; i++) {
		if (!is_asked_for(paper_table[i], argc, argv))
			continue;
		papers->paper = paper_table[i]->name;
		status = paper_table[i]->run(papers);
	}
	if (!status && papers->failed)
		status = say_no_memory(papers->console);
	return status;
}

/*
 * A machine model of the user's takes the place of the default one; a file
 * that bears the name of a shipped model takes the place of that.
 */
static int choose_machine(const struct cli *cli, struct papers_machine *machine)
{
	const char *model = cli->pmu.model, *name;
	struct assay_model found;

	if (cli->pmu.kind != PMU_AUTO && cli->pmu.kind != PMU_SIMULATED)
		return say_usage(
			&cli->console,
			"papers runs on the simulated PMU; use --pmu sim");
	if (!model)
		return 0;
	if (assay_get_model(model, &found))
		return say_usage(&cli->console, "%s", assay_error());
	*machine = (struct papers_machine){ model, simulator_model(NULL) };
	for (unsigned i = 0; (name = assay_shipped_model(i)); i++)
		if (strcmp(name, found.name) == 0 && strcmp(name, model) != 0)
			machine->replaces = name;
	return 0;
}

static const struct format formats[] = {
	FORMAT("text", ".txt", write_text_items),
	DATA_FORMATS(describe_items),
	{ 0 },
};

static int run_papers(struct cli *cli, int argc, char **argv)
{
	const struct format *format = output_format(&cli->output, formats);
	struct papers_state *state = cli->state;
	struct papers papers = { .console = &cli->console,
				 .folder = state->folder };
	int status;

	if (!format)
		return CMD_USAGE;
	status = check_names(cli, argc, argv);
	if (!status)
		status = choose_machine(cli, &papers.machine);
	if (!status)
		status = output_check(&cli->output, cli->output.path);
	if (!status)
		status = make_folder(cli, state->folder);
	if (!status)
		status = run_chosen(&papers, argc, argv);
	if (!status)
		status = output_write_as(&cli->output, format, &papers, stdout,
					 papers_failures(&papers) ? CMD_LIMIT
								  : CMD_OK);
	papers_fini(&papers);
	return status;
}

const struct command command_papers = {
	.name = "papers",
	.summary = "reproduce the papers' tables and figures, with pass/fail "
		   "checks",
	.synopsis = "[papi|hpm|microbenchmarks|user-events|"
		    "counter-inspection ...] [options]",
	.text = "Run the papers' experiments on the simulated PMU, show their "
		"tables, and check each table, figure and result. "
		"The exit status is 4 if a check fails.",
	.options = options,
	.formats = formats,
	.common = COMMON_PMU | COMMON_OUTPUT,
	.run = run_papers,
	.state_bytes = sizeof(struct papers_state),
};
