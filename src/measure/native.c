/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How fast this processor executes instructions: programs of the tool's own
 * are run natively, for their time, and on the fast engine, which counts their
 * instructions.
 */
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/strbuf.h"
#include "console/console.h"
#include "measure/slowdown.h"
#include "process/process.h"

#define ROUNDS 3 /* natively; the fastest counts */

/* Some of each kind: a matrix, a transform, text, pointers, a table. */
static const char job[] = "run matmul-ikj\nrun fft\nrun json\nrun regex\n"
			  "run tree\nrun hash-join\n";

static const struct companion workloads = {
	.build = "libexec/workloads",
	.installed = "workloads",
	.variable = "ASSAY_WORKLOADS",
	.mode = X_OK,
	.missing = "there are no workloads",
};

struct job_files {
	char *folder, *input, *counts;
};

/* The child becomes @argv, reads the job, and is not heard. */
static void become(void *context, char **argv)
{
	const struct job_files *files = context;
	int in = open(files->input, O_RDONLY | O_CLOEXEC);
	int out = open("/dev/null", O_WRONLY | O_CLOEXEC);

	if (in < 0 || out < 0 || dup2(in, STDIN_FILENO) < 0 ||
	    dup2(out, STDOUT_FILENO) < 0 || dup2(out, STDERR_FILENO) < 0)
		return;
	execv(argv[0], argv);
}

/* Seconds; NaN if it failed. */
static double time_job(struct job_files *files, char **argv)
{
	struct child_result result;
	struct child child;

	if (child_start(&child, argv, become, files) ||
	    child_run(&child, NULL, &result) || result.status)
		return NAN;
	return child_busy_seconds(&result);
}

static double counted_instructions(const struct job_files *files)
{
	OWNED char *text = NULL;
	const char *line;
	double n = NAN;
	size_t len;

	if (file_read(files->counts, &text, &len, NULL))
		return NAN;
	line = strncmp(text, "INS ", 4) == 0 ? text : strstr(text, "\nINS ");
	if (line)
		sscanf(line + (*line == '\n'), "INS %lf", &n);
	return n;
}

static double measure(struct job_files *files, char *program, char *simulator)
{
	OWNED char *counts = str_format("--signals=%s", files->counts);
	char *native[] = { program, NULL };
	char engine[] = "--engine=fast";
	char *counted[] = { simulator, engine, counts, program, NULL };
	double seconds = INFINITY;

	for (int i = 0; i < ROUNDS; i++)
		seconds = fmin(seconds, time_job(files, native));
	if (!counts || !isfinite(seconds) || isnan(time_job(files, counted)))
		return 0;
	return counted_instructions(files) / seconds;
}

static bool make_files(struct job_files *files)
{
	FILE *input;

	files->folder = scratch_folder("speed", NULL);
	if (!files->folder)
		return false;
	files->input = scratch_inside(files->folder, "job");
	files->counts = scratch_inside(files->folder, "counts");
	if (!files->input || !files->counts)
		return false;
	input = fopen(files->input, "we");
	if (!input)
		return false;
	fputs(job, input);
	return fclose(input) == 0;
}

double slowdown_measure_native(void)
{
	OWNED char *program = companion_find(&workloads, NULL);
	OWNED char *simulator = simulator_path(NULL);
	struct job_files files = { NULL };
	double speed = 0;

	if (program && simulator && make_files(&files))
		speed = measure(&files, program, simulator);
	scratch_remove(files.input);
	scratch_remove(files.counts);
	scratch_remove(files.folder);
	return speed > 0 ? speed : 0;
}
