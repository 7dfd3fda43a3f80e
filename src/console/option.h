/* SPDX-License-Identifier: BSD-3-Clause */
/* A row of an option table: a verb's own, or one that several verbs share. */
#ifndef CONSOLE_OPTION_H
#define CONSOLE_OPTION_H

struct cmd_option {
	int key;              /* its letter, or a number from CMD_LONG up */
	const char *name;     /* without dashes; NULL ends a table */
	const char *argument; /* what it takes, as in "FILE"; NULL: nothing */
	const char *help;     /* a phrase or sentences, without a dot */
};

#define CMD_LONG 256 /* first key of an option that has no letter */

#endif /* CONSOLE_OPTION_H */
