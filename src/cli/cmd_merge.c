/* SPDX-License-Identifier: BSD-3-Clause */
/* assay merge: the performance files of many tasks into one. */

#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "cli/cmd.h"
#include "console/output.h"
#include "console/say.h"
#include "console/terminal.h"
#include "taskfile/taskfile.h"
#include "taskfile/tree.h"

static int write_merged(const void *what, const struct report_style *style,
			FILE *to)
{
	struct taskfile_sink sink = taskfile_writer(to);
	int err;

	(void)style;
	err = taskfile_merge_give((struct taskfile_merge *)what, &sink);
	if (err)
		return err;
	taskfile_write_end(to);
	return ferror(to) ? PAPI_ESYS : 0;
}

/* The formats, by what --format names. */
static const struct {
	const char *name;
	int (*write)(const struct tree *tree, FILE *to);
} formats[] = {
	{ "xml", NULL },
	{ "caliper", tree_write_caliper },
	{ "tau", tree_write_tau },
	{ "trace", tree_write_trace },
};

struct export
{
	struct taskfile_merge *merge;
	int (*write)(const struct tree *tree, FILE *to);
};

static int write_export(const void *what, const struct report_style *style,
			FILE *to)
{
	const struct export *export = what;
	struct tree tree = { 0 };
	struct taskfile_sink sink = tree_builder(&tree);
	int err = taskfile_merge_give(export->merge, &sink);

	(void)style;
	if (!err)
		err = tree_order(&tree);
	if (!err)
		err = export->write(&tree, to);
	tree_fini(&tree);
	return err;
}

static int write_as(const struct cli *cli, struct taskfile_merge *merge,
		    size_t format)
{
	struct export export = { merge, formats[format].write };

	if (!export.write)
		return output_write(&cli->output, write_merged, merge, stdout,
				    CMD_OK);
	return output_write(&cli->output, write_export, &export, stdout,
			    CMD_OK);
}

static void say_fault(const struct cli *cli, const struct diag *diag)
{
	if (diag->file)
		say_error(&cli->console, "%s:%zu: %s", diag->file, diag->line,
			  diag->text);
	else
		say_error(&cli->console, "%s", diag->text);
}

static void show_step(void *progress, size_t done)
{
	progress_step(progress, done);
}

static int add_all(const struct cli *cli, struct taskfile_merge *merge,
		   int argc, char **argv)
{
	struct progress progress;
	const struct taskfile_watch watch = { show_step, &progress };
	struct diag diag = { 0 };
	int err;

	progress_start(&progress, &cli->console, "merging", (size_t)argc);
	err = taskfile_merge_many(merge, (const char *const *)argv,
				  (size_t)argc, &watch, &diag);
	progress_end(&progress);
	if (err)
		say_fault(cli, &diag);
	return err ? CMD_FAILED : CMD_OK;
}

static int run(struct cli *cli, int argc, char **argv)
{
	struct taskfile_merge *merge;
	size_t format = 0;
	int status;

	while (cli->output.format && format < ARRAY_SIZE(formats) &&
	       strcmp(cli->output.format, formats[format].name) != 0)
		format++;
	if (format == ARRAY_SIZE(formats)) {
		say_error(&cli->console,
			  "merge writes xml, caliper, tau and trace");
		return CMD_USAGE;
	}
	if (argc < 1) {
		say_error(&cli->console, "name the performance files to merge");
		return CMD_USAGE;
	}
	if (taskfile_merge_new(&merge)) {
		say_error(&cli->console, "out of memory");
		return CMD_FAILED;
	}
	status = add_all(cli, merge, argc, argv);
	if (!status)
		status = write_as(cli, merge, format);
	taskfile_merge_free(merge);
	return status;
}

const struct command command_merge = {
	.name = "merge",
	.summary = "put the performance files of many tasks into one",
	.synopsis = "[-o FILE] FILE...",
	.text = "Adds up the sections of performance files that libhpm wrote, "
		"one for each task, and says how they vary between tasks and "
		"threads: mean, deviation, and which task had least and most. "
		"--format caliper, tau or trace writes what Hatchet, ParaProf "
		"or Perfetto read.",
	.common = COMMON_OUTPUT,
	.run = run,
};
