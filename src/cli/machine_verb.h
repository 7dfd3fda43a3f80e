/* SPDX-License-Identifier: BSD-3-Clause */
/* assay machine: what its files share. */
#pragma once

#include "cli/cmd.h"
#include "machine/format.h"

/* What the options said: cli->state. */
struct machine_options {
	bool quick;
	bool forget;        /* --no-save */
	const char *name;   /* under which the machine is kept */
	const char *folder; /* NULL: the user's own */
	const char *sweep;  /* the curve to draw; NULL: the best one */
};

/* Measure this machine, or the simulated one; an exit status. */
int machine_verb_measure(struct cli *cli, struct machine *m);

/* What the words after the verb do; each returns an exit status. */
int machine_do_measure(struct cli *cli, int argc, char **argv);
int machine_do_list(struct cli *cli, int argc, char **argv);
int machine_do_show(struct cli *cli, int argc, char **argv);
int machine_do_compare(struct cli *cli, int argc, char **argv);
int machine_do_import(struct cli *cli, int argc, char **argv);

/*
 * Keep @m in the folder of machines, and its constants where formulas find
 * them. An exit status after a message.
 */
int machine_keep(const struct cli *cli, const struct machine *m);
