/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of verbs. */

#include <string.h>

#include "cli/cmd.h"

const struct command *const commands[] = {
	&command_count,       /* run a program and report */
	&command_run_program, /* run one that reports itself */
	&command_record,      /* run one and sample it */
	&command_list,        /* what there is to count */
	&command_explain,     /* one of them */
	&command_doctor,      /* what is missing */
	&command_report,      /* files in the terminal */
	&command_view,        /* files in the browser */
	&command_live,        /* a program while it runs */
	&command_diff,        /* two runs */
	&command_merge,       /* many tasks' files */
	&command_machine,     /* what its parts cost */
	&command_model,       /* run a program under a model */
	&command_metrics,     /* files of metrics */
	&command_classify,    /* what events count */
	&command_validate,    /* whether counts are right */
	&command_papers,      /* reproduce their experiments */
	&command_help,        /* of all these */
	NULL,
};

/* perf's name for it, for fingers that know it. */
#define PERF_STAT "stat"

const struct command *command_find(const char *name)
{
	if (strcmp(name, PERF_STAT) == 0)
		return &command_count;
	for (size_t i = 0; commands[i]; i++)
		if (strcmp(commands[i]->name, name) == 0)
			return commands[i];
	return NULL;
}
