/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Worker processes: found and started. What is common to all children that are
 * spoken to in lines is in process/lines.c.
 */

#include "lab/process.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "base/array.h"
#include "base/strbuf.h"
#include "console/build.h"
#include "console/console.h"
#include "process/process.h"

static const struct companion kernels = {
	.build = "libexec/kernels",
	.installed = "kernels",
	.variable = "ASSAY_KERNELS",
	.mode = X_OK,
	.missing = "the program that runs kernels is missing: it should be in "
		   "libexec/ beside this command",
};

char *process_find_program(struct diag *diag)
{
	const char *chosen = getenv(kernels.variable);

	/* where this command is, also without /proc */
	if (build_kernels() && !(chosen && *chosen))
		return strdup((const char *)getauxval(AT_EXECFN));
	return companion_find(&kernels, diag);
}

struct start {
	char *program;
	const struct simulator_options *simulator;
};

/* In the child: become the program. */
static void become(const void *context)
{
	const struct start *start = context;
	char pin[] = "--pin";
	char name[] = "kernels"; /* see build_kernels() */
	char *argv[] = { start->simulator ? start->program : name,
			 start->simulator ? NULL : pin, NULL };
	struct simulator_options options;
	struct diag diag;

	setpgid(0, 0); /* the keyboard's signals are for us */
	if (start->simulator) {
		options = *start->simulator;
		options.repeatable = true;
		simulator_exec(&options, argv, &diag);
	} else {
		execv(start->program, argv);
	}
}

int process_start(struct process *process, const char *program,
		  const struct simulator_options *simulator, struct diag *diag)
{
	OWNED char *path =
		program ? strdup(program) : process_find_program(diag);
	const struct start start = { path, simulator };
	int err;

	*process = (struct process){ .to = -1, .from = -1 };
	if (!path)
		return CMD_FAILED;
	if (access(path, X_OK))
		err = diag_fail(diag, PAPI_ESYS, "cannot execute '%s': %s",
				path, strerror(errno));
	else
		err = process_spawn(process, become, &start, diag);
	return err ? CMD_FAILED : 0;
}
