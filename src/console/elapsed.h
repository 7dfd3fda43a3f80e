/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How long a program has been running, on the last line of the terminal, which
 * is kept out of the program's way; in a log, a line now and then.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "console/console.h"

struct elapsed {
	bool wanted;   /* there is a terminal to show it on */
	unsigned rows; /* of the terminal while a line is reserved; else 0 */
	char what[64]; /* "run 2 of 5", or "" */
	char work[64]; /* "1.2 G instructions, 45 M/s", or "" */
	double done;   /* of the work, when it was last told, and when */
	uint64_t done_ns;
	const struct console *console;
};

/* How often to call elapsed_show(); runs below the first call show nothing. */
#define ELAPSED_EVERY_NS 1000000000u

void elapsed_init(struct elapsed *e, const struct console *console);

/* How often to call it where there is no terminal: it writes a line a call. */
#define ELAPSED_LOG_NS 60000000000u

/* Tell that @done instructions were executed after @elapsed_ns. */
void elapsed_work(struct elapsed *e, double done, uint64_t elapsed_ns);

/*
 * Show @elapsed_ns; the first time a line is reserved. Where there is no
 * terminal, a note with the same words, unless --quiet.
 */
void elapsed_show(struct elapsed *e, uint64_t elapsed_ns);

/* Give the line back. */
void elapsed_clear(struct elapsed *e);
