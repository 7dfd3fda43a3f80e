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

#include "console/console.h"

#define LEAST_ROWS 4 /* of a terminal that can spare one */

void elapsed_init(struct elapsed *e, const struct console *console)
{
	const char *term = getenv("TERM");

	memset(e, 0, sizeof(*e));
	e->console = console;
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

/* "1.25 G": instructions come by the billion. */
static void put_large(char *text, size_t size, double value)
{
	static const char units[] = " kMGT";
	size_t i = 0;

	while (value >= 999.5 && units[i + 1]) {
		value /= 1000;
		i++;
	}
	if (i > 0)
		snprintf(text, size, "%.3g %c", value, units[i]);
	else
		snprintf(text, size, "%.0f", value);
}

void elapsed_work(struct elapsed *e, double done, uint64_t elapsed_ns)
{
	double passed_s = ((double)elapsed_ns - (double)e->done_ns) * 1e-9;
	char all[24], speed[24];

	if (done < e->done || elapsed_ns <= e->done_ns) { /* another run */
		e->done = 0;
		e->done_ns = 0;
		passed_s = (double)elapsed_ns * 1e-9;
	}
	if (!(passed_s > 0))
		return;
	put_large(all, sizeof(all), done);
	put_large(speed, sizeof(speed), (done - e->done) / passed_s);
	snprintf(e->work, sizeof(e->work), "%s instructions, %s/s", all, speed);
	e->done = done;
	e->done_ns = elapsed_ns;
}

/* "running for 2 min 05 s, run 2 of 5, 1.25 G instructions, 45 M/s" */
static void put_words(const struct elapsed *e, uint64_t elapsed_ns, char *text,
		      size_t size)
{
	uint64_t seconds = elapsed_ns / 1000000000u;
	char time[48];

	if (seconds < 60)
		snprintf(time, sizeof(time), "%" PRIu64 " s", seconds);
	else
		snprintf(time, sizeof(time), "%" PRIu64 " min %02" PRIu64 " s",
			 seconds / 60, seconds % 60);
	snprintf(text, size, "running for %s%s%s%s%s", time,
		 *e->what ? ", " : "", e->what, *e->work ? ", " : "", e->work);
}

void elapsed_show(struct elapsed *e, uint64_t elapsed_ns)
{
	char text[192];

	put_words(e, elapsed_ns, text, sizeof(text));
	if (!e->wanted) {
		say_note(e->console, "%s", text);
		return;
	}
	if (e->rows == 0 && !reserve(e))
		return;
	fprintf(stderr, "\0337\033[%u;1H\033[2K%s\0338", e->rows, text);
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
