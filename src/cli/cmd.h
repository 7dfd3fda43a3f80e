/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Verbs of assay. To add one: define command_NAME in cmd_NAME.c, give it a row
 * in COMMANDS below, and describe it in docs/man/assay-NAME.1.scd. A verb
 * returns the exit status.
 *
 * The option table of a verb is all there is to know about its options: the
 * parser, --help, the man page and shell completion are made from it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "console/console.h"
#include "console/option.h"
#include "measure/pmu.h"

/* Option tables that many verbs share; -q, -v, --color, --help are in all. */
enum cmd_common {
	COMMON_PMU = 1 << 0,    /* --pmu, --model */
	COMMON_OUTPUT = 1 << 1, /* -o, --format, -j */
	COMMON_STRICT = 1 << 2,
};

/* Keys of common options for verbs that describe these in their own words. */
enum {
	CMD_FORMAT = CMD_LONG + 500,
};

struct cli;

struct command {
	const char *name;
	const char *summary;  /* one line, starts small, no dot */
	const char *synopsis; /* what follows "assay NAME" */
	const char *text;     /* what --help says before the options */
	const struct cmd_option *options;
	unsigned common;              /* COMMON_* */
	bool runs_program;            /* options end at the first argument */
	const struct format *formats; /* of its result; NULL: none, or its
					 words have their own */

	/* One of this verb's own options that the parser does not store; 0, or
	 * CMD_USAGE after a message. NULL: it stores them all. */
	int (*take)(struct cli *cli, int key, const char *argument);
	/* @argv holds what is left after the options. */
	int (*run)(struct cli *cli, int argc, char **argv);
	size_t state_bytes; /* of cli->state, zeroed: what options fill in */
};

/*
 * What the common options said, and who is asking. Only verbs see all of it:
 * what they call gets the part that it needs.
 */
struct cli {
	const struct command *command;
	struct console console;
	struct output output;
	struct pmu_choice pmu;
	bool strict;
	bool environment_read; /* options_parse() may be called again */
	void *state;           /* the verb's own */
};

/*
 * All verbs, in the order of the help text. Each is a struct command in a file
 * of its own.
 */
#define COMMANDS(X)                                                            \
	X(count)       /* run a program and report */                          \
	X(run_program) /* run one that reports itself */                       \
	X(record)      /* run one and sample it */                             \
	X(list)        /* what there is to count */                            \
	X(explain)     /* one of them */                                       \
	X(doctor)      /* what is missing */                                   \
	X(report)      /* files in the terminal */                             \
	X(view)        /* files in the browser */                              \
	X(live)        /* a program while it runs */                           \
	X(diff)        /* two runs */                                          \
	X(merge)       /* many tasks' files */                                 \
	X(machine)     /* what its parts cost */                               \
	X(model)       /* run a program under a model */                       \
	X(metrics)     /* files of metrics */                                  \
	X(classify)    /* what events count */                                 \
	X(validate)    /* whether counts are right */                          \
	X(papers)      /* reproduce their experiments */                       \
	X(help)        /* of all these */

#define COMMAND_DECLARED(name) extern const struct command command_##name;
COMMANDS(COMMAND_DECLARED)

/* The same; ends with NULL. */
extern const struct command *const commands[];

/* The verb called @name, or NULL. */
const struct command *command_find(const char *name);

/* Options parsed, then the verb run. argv[0] is the verb. */
int command_run(const struct command *command, const char *as, int argc,
		char **argv);
