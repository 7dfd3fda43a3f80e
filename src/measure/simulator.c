/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finding and starting the simulator. Paths are made absolute on the way,
 * since programs that the guest starts get the same options and may run in
 * another folder.
 */

#include "measure/pmu.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <assay/assay.h>

#include "base/array.h"
#include "base/strbuf.h"
#include "console/console.h"
#include "process/process.h"

#define VARIABLE "ASSAY_SIMULATOR"

static const struct companion launcher = {
	.build = "libexec/simpmu",
	.installed = "simpmu",
	.variable = VARIABLE,
	.mode = X_OK,
	.missing = "the simulated PMU was not built: install the package "
		   "valgrind and build again",
};

const char *simulator_model(const char *model)
{
	return model ? model : assay_shipped_model(0);
}

char *simulator_path(struct diag *diag)
{
	return companion_find(&launcher, diag);
}

int simulator_find(struct diag *diag)
{
	OWNED char *path = simulator_path(diag);

	return path ? CMD_OK : CMD_FAILED;
}

int simulator_check(const struct simulator_options *options, struct diag *diag)
{
	if (assay_simulate(options->model, options->counters, NULL)) {
		diag_fail(diag, PAPI_EINVAL, "%s", assay_error());
		return CMD_USAGE;
	}
	return simulator_find(diag);
}

static bool is_shipped(const char *model)
{
	const char *name;

	for (unsigned i = 0; (name = assay_shipped_model(i)); i++)
		if (strcmp(model, name) == 0)
			return true;
	return false;
}

/* @path below this folder, unless it is absolute; to be freed. */
static char *absolute(const char *path)
{
	char folder[PATH_MAX];

	if (path[0] == '/' || !getcwd(folder, sizeof(folder)))
		return strdup(path);
	return str_format("%s/%s", folder, path);
}

/* A command line that is being put together; memory is checked at the end. */
struct line {
	char *args[16];
	size_t n;
};

static void add_option(struct line *line, const char *name, const char *value,
		       bool is_path)
{
	OWNED char *path = value && is_path ? absolute(value) : NULL;

	if (value)
		line->args[line->n++] =
			str_format("--%s=%s", name, path ? path : value);
}

static void add_options(struct line *line, const struct simulator_options *o)
{
	add_option(line, "model", o->model, o->model && !is_shipped(o->model));
	add_option(line, "engine", o->engine, false);
	add_option(line, "from", o->from, false);
	add_option(line, "control", o->control, true);
	add_option(line, "counters", o->counters, false);
	add_option(line, "blind", o->blind, false);
	add_option(line, "blind-key", o->blind_key, true);
	add_option(line, "noise", o->noise, false);
	add_option(line, "seed", o->seed, false);
	add_option(line, "skid", o->skid, false);
	add_option(line, "repeatable", o->repeatable ? "yes" : NULL, false);
	add_option(line, "cycles", o->sampled ? "sampled" : NULL, false);
}

static void free_line(struct line *line)
{
	while (line->n > 0)
		free(line->args[--line->n]);
}

/* The whole of it: simulator, its options, the program's own words. */
static char **join(const struct line *line, char *program, char **argv)
{
	size_t words = 0;
	char **all;

	while (argv[words])
		words++;
	all = calloc(line->n + words + 1, sizeof(*all));
	if (!all)
		return NULL;
	for (size_t i = 0; i < line->n; i++) {
		if (!line->args[i]) {
			free(all);
			return NULL;
		}
		all[i] = line->args[i];
	}
	all[line->n] = program;
	for (size_t i = 1; i < words; i++)
		all[line->n + i] = argv[i];
	return all;
}

static int exec_line(struct line *line, char *program, char **argv,
		     struct diag *diag)
{
	char **all = join(line, program, argv);
	int error = ENOMEM;

	if (all) {
		unsetenv(VARIABLE);
		execv(all[0], all);
		error = errno;
		free(all);
	}
	diag_fail(diag, PAPI_ESYS, "cannot start %s: %s",
		  line->args[0] ? line->args[0] : "the simulator",
		  strerror(error));
	errno = error;
	return CMD_FAILED;
}

int simulator_exec(const struct simulator_options *options, char **argv,
		   struct diag *diag)
{
	struct line line = { .args = { companion_find(&launcher, diag) },
			     .n = 1 };
	OWNED char *program = program_find(argv[0]);
	int error = errno;
	int status;

	if (!program) {
		diag_fail(diag, PAPI_ESYS, "cannot execute '%s': %s", argv[0],
			  strerror(error));
		status = error == ENOENT ? CMD_NOT_FOUND : CMD_CANNOT_EXECUTE;
	} else if (!line.args[0]) {
		error = ENOENT;
		status = CMD_FAILED;
	} else {
		add_options(&line, options);
		/* what a program calls itself in its messages */
		if (strcmp(argv[0], program) != 0)
			add_option(&line, "argv0", argv[0], false);
		status = exec_line(&line, program, argv, diag);
		error = errno;
	}
	free_line(&line);
	errno = error;
	return status;
}
