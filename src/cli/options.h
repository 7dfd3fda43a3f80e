/* SPDX-License-Identifier: BSD-3-Clause */
/* The option tables: walked, parsed, and written as help. */
#pragma once

#include <stdio.h>

#include "cli/cmd.h"

/* The letter of @o, or 0. */
static inline char option_letter(const struct cmd_option *o)
{
	return o->key < CMD_LONG ? (char)o->key : '\0';
}

/* Every option of @command, its own first; ends with NULL. To be freed. */
const struct cmd_option **options_of(const struct command *command);

/*
 * Parse @argv (argv[0] is the verb) into @cli. Returns how many elements were
 * used, or minus one: then *@status is the exit status, and what there was to
 * say (a mistake, or the help that was asked for) has been said.
 */
int options_parse(struct cli *cli, int argc, char **argv, int *status);

/* The text of --help. */
void options_write_help(const struct command *command, FILE *to);

/* The options as a section of a man page in scdoc's language. */
void options_write_scdoc(const struct command *command, FILE *to);

/* One option a line: "--name", "-n" or "", "ARG" or "", tab-separated. */
void options_write_table(const struct command *command, FILE *to);
