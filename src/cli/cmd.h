/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Verbs of assay. To add one: define command_NAME in cmd_NAME.c, declare it
 * below, add its row to commands[] in commands.c, and describe it in
 * docs/man/assay-NAME.1.scd. A verb returns the exit status.
 *
 * The option table of a verb is all there is to know about its options: the
 * parser, --help, the man page and shell completion are made from it.
 */
#ifndef CLI_CMD_H
#define CLI_CMD_H

#include <stdbool.h>
#include <stddef.h>

/* Exit statuses. A verb that runs a program returns the program's own. */
enum {
	CMD_OK = 0,
	CMD_NOTHING = 1,    /* looked, and there is nothing to show */
	CMD_USAGE = 2,      /* was called wrongly */
	CMD_UNMEASURED = 3, /* --strict: a requested event has no value */
	CMD_LIMIT = 4,      /* a limit was exceeded */
	CMD_FAILED = 125,   /* could not do its work, and said why */
	CMD_CANNOT_EXECUTE = 126,
	CMD_NOT_FOUND = 127,
	CMD_SIGNAL = 128, /* plus the signal's number */
};

struct cmd_option {
	int key;              /* its letter, or a number from CMD_LONG up */
	const char *name;     /* without dashes; NULL ends a table */
	const char *argument; /* what it takes, as in "FILE"; NULL: nothing */
	const char *help;     /* a phrase or sentences, without a dot */
};

#define CMD_LONG 256 /* first key of an option that has no letter */

/* Option tables that many verbs share; -q, -v, --color, --help are in all. */
enum cmd_common {
	COMMON_PMU = 1 << 0,    /* --pmu, --model */
	COMMON_OUTPUT = 1 << 1, /* -o, --format, -j */
	COMMON_STRICT = 1 << 2,
};

struct cli;

struct command {
	const char *name;
	const char *summary;  /* one line, starts small, no dot */
	const char *synopsis; /* what follows "assay NAME" */
	const char *text;     /* what --help says before the options */
	const struct cmd_option *options;
	unsigned common;   /* COMMON_* */
	bool runs_program; /* options end at the first argument */

	/* One of this verb's own options; 0, or CMD_USAGE after a message. */
	int (*take)(struct cli *cli, int key, const char *argument);
	/* @argv holds what is left after the options. */
	int (*run)(struct cli *cli, int argc, char **argv);
	size_t state_bytes; /* of cli->state, zeroed: what take() fills in */
};

enum cli_color {
	COLOR_AUTO,
	COLOR_ALWAYS,
	COLOR_NEVER,
};

enum cli_pmu {
	PMU_AUTO,
	PMU_HARDWARE,
	PMU_SIMULATED,
	PMU_NONE,
};

/* What the common options said, and who is asking. */
struct cli {
	const struct command *command;
	const char *as; /* "assay count", "hpmcount": begins every message */
	enum cli_color color;
	enum cli_pmu pmu;
	const char *model;  /* of the simulated PMU; NULL: its default */
	const char *output; /* a path, "-" for stdout, or NULL */
	const char *format; /* NULL: by suffix of output, else text */
	bool strict;
	bool environment_read; /* options_parse() may be called again */
	bool quiet;
	int verbose;
	void *state; /* the verb's own */
};

/* All verbs, in the order of the help text; ends with NULL. */
extern const struct command *const commands[];

extern const struct command command_classify;
extern const struct command command_count;
extern const struct command command_diff;
extern const struct command command_doctor;
extern const struct command command_explain;
extern const struct command command_help;
extern const struct command command_list;
extern const struct command command_live;
extern const struct command command_machine;
extern const struct command command_merge;
extern const struct command command_metrics;
extern const struct command command_model;
extern const struct command command_record;
extern const struct command command_papers;
extern const struct command command_run_program; /* "run" */
extern const struct command command_view;
extern const struct command command_validate;

/* The verb called @name, or NULL. */
const struct command *command_find(const char *name);

/* Options parsed, then the verb run. argv[0] is the verb. */
int command_run(const struct command *command, const char *as, int argc,
		char **argv);

#endif /* CLI_CMD_H */
