/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The terminal is told to scroll all lines but the last, so that what the
 * program prints goes on above the clock and is not written over. The control
 * sequences are those of the VT100: ESC 7 and ESC 8 keep and restore the
 * cursor, CSI top ; bottom r sets the lines that scroll.
 */

#include "console/elapsed.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define LEAST_ROWS 4 /* of a terminal that can spare one */

void elapsed_init(struct elapsed *e, const struct console *console)
{
	const char *term = getenv("TERM");

	memset(e, 0, sizeof(*e));
	e->wanted = !console->quiet && isatty(STDERR_FILENO) == 1 && term &&
		    strcmp(term, "dumb") != 0;
}

/* The cursor may stand on the last line: move the text up by one first. */
static bool reserve(struct elapsed *e)
{
	struct winsize size;

	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) || size.ws_row < LEAST_ROWS)
		return false;
	e->rows = size.ws_row;
	fprintf(stderr, "\n\0337\033[1;%ur\0338\033[1A", e->rows - 1);
	return true;
}

void elapsed_show(struct elapsed *e, uint64_t elapsed_ns)
{
	uint64_t seconds = elapsed_ns / 1000000000u;

	if (!e->wanted || (e->rows == 0 && !reserve(e)))
		return;
	fprintf(stderr, "\0337\033[%u;1H\033[2K", e->rows);
	if (seconds < 60)
		fprintf(stderr, "running for %" PRIu64 " s", seconds);
	else
		fprintf(stderr, "running for %" PRIu64 " min %02" PRIu64 " s",
			seconds / 60, seconds % 60);
	fprintf(stderr, "%s%s\0338", *e->what ? ", " : "", e->what);
	fflush(stderr);
}

void elapsed_clear(struct elapsed *e)
{
	if (e->rows == 0)
		return;
	fprintf(stderr, "\0337\033[r\033[%u;1H\033[2K\0338", e->rows);
	fflush(stderr);
	e->rows = 0;
}
