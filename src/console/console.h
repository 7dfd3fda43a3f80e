/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a verb and everything below it speaks through: who is speaking, how
 * much is wanted, in which dress; and the exit statuses that functions which
 * may give up hand back to the command.
 */
#ifndef CONSOLE_H
#define CONSOLE_H

#include <stdbool.h>

/* Exit statuses. A verb that runs a program returns the program's own. */
enum {
	CMD_OK = 0,
	CMD_NOTHING = 1,    /* looked, and there is nothing to show */
	CMD_USAGE = 2,      /* was called wrongly */
	CMD_UNMEASURED = 3, /* --strict: a requested event has no value */
	CMD_LIMIT = 4,      /* a limit was exceeded */
	CMD_BROKEN = 5,     /* --check: counts contradict each other */
	CMD_FAILED = 125,   /* could not do its work, and said why */
	CMD_CANNOT_EXECUTE = 126,
	CMD_NOT_FOUND = 127,
	CMD_SIGNAL = 128, /* plus the signal's number */
};

enum console_color {
	COLOR_AUTO,
	COLOR_ALWAYS,
	COLOR_NEVER,
};

struct console {
	const char *as; /* "assay count", "hpmcount": starts every message */
	enum console_color color;
	bool quiet;
	int verbose;
};

#endif /* CONSOLE_H */
