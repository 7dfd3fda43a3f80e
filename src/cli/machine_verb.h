/* SPDX-License-Identifier: BSD-3-Clause */
/* assay machine: what its files share. */
#ifndef CLI_MACHINE_VERB_H
#define CLI_MACHINE_VERB_H

#include <stdio.h>

#include "cli/cmd.h"
#include "cli/output.h"
#include "machine/machine.h"
#include "report/writer.h"

/* What the options said: cli->state. */
struct machine_options {
	bool quick;
	bool forget;          /* --no-save */
	const char *name;     /* under which the machine is kept */
	const char *database; /* NULL: the user's own */
	const char *sweep;    /* the curve to draw; NULL: the best one */
};

/* Measure this machine, or the simulated one; an exit status. */
int machine_verb_measure(struct cli *cli, struct machine *m);

/* Which machine this is, and what it says of itself. 0 or PAPI_ENOMEM. */
int machine_describe(struct machine *m);
int machine_add_nominal(struct machine *m);
/* The same for a modelled one. */
int machine_describe_model(struct machine *m, const char *model);

/* Formats that a machine is written in. */
struct machine_writer {
	const char *name;
	const char *suffix;
	int (*write)(const void *machine, const struct report_style *style,
		     FILE *to); /* an output_fn */
};

/* By --format or the suffix of -o; NULL after a message. */
const struct machine_writer *machine_writer_for(const struct output *output);

int machine_write_text(const void *machine, const struct report_style *style,
		       FILE *to);
int machine_write_json(const void *machine, const struct report_style *style,
		       FILE *to);
int machine_write_csv(const void *machine, const struct report_style *style,
		      FILE *to);
/* A file of constants, as formulas and models read them. */
int machine_write_file(const void *machine, const struct report_style *style,
		       FILE *to);
/* One of the curves: --sweep moves it to the front. */
int machine_write_svg(const void *machine, const struct report_style *style,
		      FILE *to);

/* Constants and all curves, to look at in the browser. */
int machine_write_page(const void *machine, const struct report_style *style,
		       FILE *to);

/* What the words after the verb do; each returns an exit status. */
int machine_do_measure(struct cli *cli, int argc, char **argv);
int machine_do_list(struct cli *cli, int argc, char **argv);
int machine_do_show(struct cli *cli, int argc, char **argv);
int machine_do_compare(struct cli *cli, int argc, char **argv);
int machine_do_import(struct cli *cli, int argc, char **argv);

/*
 * Keep @m in the database, and its constants where formulas find them. An exit
 * status after a message.
 */
int machine_keep(const struct cli *cli, const struct machine *m);

/* A name of a machine that can be part of a file's name. */
bool machine_is_name(const char *name);

/*
 * Read what machine_write_json() wrote, or a file of constants. @m is zeroed,
 * and so it is after a failure.
 */
int machine_read(const char *path, struct machine *m, struct diag *diag);
/* The same from memory; @text ends with a NUL after @length bytes. */
int machine_parse(const char *path, const char *text, size_t length,
		  struct machine *m, struct diag *diag);

/* Several side by side. */
struct machine_pair {
	const struct machine *a, *b;
};
int machine_compare_text(const void *pair, const struct report_style *style,
			 FILE *to);
int machine_compare_json(const void *pair, const struct report_style *style,
			 FILE *to);
int machine_compare_csv(const void *pair, const struct report_style *style,
			FILE *to);

#endif /* CLI_MACHINE_VERB_H */
