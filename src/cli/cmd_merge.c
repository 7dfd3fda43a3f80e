/* SPDX-License-Identifier: BSD-3-Clause */
/* assay merge: the performance files of many tasks into one. */

#include <stdio.h>
#include <string.h>

#include "cli/cmd.h"
#include "process/process.h"
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

/* What other programs read: made of the tree of sections. */
static int write_tree(const void *what,
		      int (*write)(const struct tree *tree, FILE *to), FILE *to)
{
	struct tree tree = { 0 };
	struct taskfile_sink sink = tree_builder(&tree);
	int err = taskfile_merge_give((struct taskfile_merge *)what, &sink);

	if (!err)
		err = tree_order(&tree);
	if (!err)
		err = write(&tree, to);
	tree_fini(&tree);
	return err;
}

static int write_caliper(const void *what, const struct report_style *style,
			 FILE *to)
{
	(void)style;
	return write_tree(what, tree_write_caliper, to);
}

static int write_tau(const void *what, const struct report_style *style,
		     FILE *to)
{
	(void)style;
	return write_tree(what, tree_write_tau, to);
}

static int write_trace(const void *what, const struct report_style *style,
		       FILE *to)
{
	(void)style;
	return write_tree(what, tree_write_trace, to);
}

/* Those of other programs are JSON, too, so their names do not tell them. */
static const struct format formats[] = {
	FORMAT("xml", ".xml", write_merged),
	FORMAT("caliper", NULL, write_caliper),
	FORMAT("tau", NULL, write_tau),
	FORMAT("trace", NULL, write_trace),
	{ 0 },
};

/* ---- chunks of files, merged here or by several ranks ---- */

/*
 * Always as many, whoever merges them: sums of sums come out the same for any
 * number of ranks.
 */
#define CHUNK 256

struct job {
	const struct cli *cli;
	const struct taskfile_files *files;
	struct taskfile_merge *whole;
	struct taskfile_share *share; /* NULL: alone */
	struct diag diag;
};

static size_t chunks_of(const struct job *job)
{
	return (job->files->n + CHUNK - 1) / CHUNK;
}

static int add_part(struct job *job, struct taskfile_merge *part)
{
	struct taskfile_sink sink = taskfile_merge_sink(job->whole);
	int err = taskfile_merge_give(part, &sink);

	return err ? diag_fail(&job->diag, err, "out of memory") : 0;
}

/* Merge chunk @number, and keep it or leave it for rank 0. */
static int merge_chunk(struct job *job, size_t number)
{
	size_t first = number * CHUNK;
	size_t left = job->files->n - first;
	struct taskfile_merge *part = NULL;
	int err = taskfile_merge_new(&part);

	if (err)
		return diag_fail(&job->diag, err, "out of memory");
	err = taskfile_merge_many(
		part, (const char *const *)job->files->paths + first,
		left < CHUNK ? left : CHUNK, &job->diag);
	if (job->share && err)
		taskfile_share_put(job->share, number, NULL, NULL);
	else if (job->share)
		err = taskfile_share_put(job->share, number, part, &job->diag);
	else if (!err)
		err = add_part(job, part);
	taskfile_merge_free(part);
	return err;
}

static int merge_chunks(struct job *job)
{
	bool is_first = !job->share || job->share->rank == 0;
	struct progress progress;
	int err = 0;

	if (is_first)
		progress_start(&progress, &job->cli->console, "merging",
			       "files", job->files->n);
	for (size_t i = 0; i < chunks_of(job) && !err; i++) {
		if (!job->share || taskfile_share_claim(job->share, i))
			err = merge_chunk(job, i);
		if (is_first)
			progress_step(&progress, i * CHUNK);
	}
	for (size_t i = 0; job->share && is_first && i < chunks_of(job) && !err;
	     i++)
		err = taskfile_share_get(job->share, i, job->whole, &job->diag);
	if (is_first)
		progress_end(&progress);
	return err;
}

/* All files into job->whole. @is_ours: and the result is ours to write. */
static int merge_all(struct job *job, bool *is_ours)
{
	const char *output = job->cli->output.path;
	struct task task = task_find();
	struct taskfile_share share;
	int err;

	*is_ours = true;
	if (task.rank < 0 || task.size < 2)
		return merge_chunks(job);
	*is_ours = task.rank == 0;
	if (chunks_of(job) < 2) /* nothing to share */
		return *is_ours ? merge_chunks(job) : 0;
	err = taskfile_share_open(&share, task.rank, output ? output : "",
				  job->files->paths, job->files->n, &job->diag);
	if (err == PAPI_ENOCMP)
		return 0; /* nothing is left to do */
	if (err)
		return err;
	job->share = &share;
	err = merge_chunks(job);
	taskfile_share_close(&share, chunks_of(job));
	return err;
}

static int merge_and_write(struct job *job, const struct format *format)
{
	bool is_ours;
	int err = merge_all(job, &is_ours);

	if (err)
		return say_diag(&job->cli->console, &job->diag);
	return is_ours ? output_write_as(&job->cli->output, format, job->whole,
					 stdout, CMD_OK)
		       : CMD_OK;
}

static int run_merge(struct cli *cli, int argc, char **argv)
{
	struct taskfile_files files = { 0 };
	struct job job = { .cli = cli, .files = &files };
	const struct format *format = output_format(&cli->output, formats);
	int status = CMD_FAILED;

	if (!format)
		return CMD_USAGE;
	if (argc < 1)
		return say_usage(&cli->console,
				 "no files given; usage: assay merge FILE...");
	if (taskfile_files_find(&files, argv, (size_t)argc, &job.diag))
		say_diag(&cli->console, &job.diag);
	else if (taskfile_merge_new(&job.whole))
		say_error(&cli->console, "out of memory");
	else
		status = merge_and_write(&job, format);
	taskfile_merge_free(job.whole);
	taskfile_files_free(&files);
	return status;
}

const struct command command_merge = {
	.name = "merge",
	.summary = "merge the performance files of many tasks into one",
	.synopsis = "[-o FILE] FILE|DIRECTORY...",
	.text = "Merge the performance files that libhpm wrote, one per task, "
		"and show how sections vary between tasks and threads: mean, "
		"standard deviation, and the tasks with the min and the max. "
		"--format caliper, tau or trace writes files for Hatchet, "
		"ParaProf or Perfetto. A directory stands for the *.xml files "
		"in it. Under mpirun or srun the ranks share the work; rank 0 "
		"writes the result.",
	.common = COMMON_OUTPUT,
	.run = run_merge,
};
