/* SPDX-License-Identifier: BSD-3-Clause */
/* What the reader's terminal can show, and progress on it. */
#ifndef CONSOLE_TERMINAL_H
#define CONSOLE_TERMINAL_H

#include <stdint.h>
#include <stdio.h>

#include "console/console.h"
#include "report/writer.h"

/*
 * How to dress text that goes to @to. Colour as --color says; if it leaves
 * that open: on a terminal, unless NO_COLOR is set (no-color.org) or the
 * terminal is a dumb one. Lines are as wide as the terminal, 80 elsewhere.
 */
struct report_style terminal_style(const struct console *console, FILE *to);

/*
 * Progress of long work: one line on a terminal; elsewhere, in a log, a note a
 * minute. Nothing with --quiet.
 */
struct progress {
	FILE *to;                      /* the terminal; NULL: there is none */
	const struct console *console; /* who writes notes; NULL: none */
	const char *what;
	const char *unit; /* "kernels" */
	size_t total;
	unsigned shown;      /* percent on the screen */
	uint64_t started_ns; /* tells how much longer it will take */
	uint64_t noted_ns;   /* when the last note was written, or the start */
	uint64_t every_ns;   /* from one note to the next */
};

void progress_start(struct progress *p, const struct console *console,
		    const char *what, const char *unit, size_t total);
void progress_step(struct progress *p, size_t done);
void progress_end(struct progress *p); /* clears the line */

#endif /* CONSOLE_TERMINAL_H */
