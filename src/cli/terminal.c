/* SPDX-License-Identifier: BSD-3-Clause */
/* Terminals: width, colour, character set, progress. */

#include "cli/terminal.h"

#include <langinfo.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/clock.h"

#define USUAL_WIDTH    80
#define NARROWEST      40
#define WIDEST         120 /* longer lines are hard to read */
#define PROGRESS_WIDTH 30

static bool is_terminal(FILE *to)
{
	return isatty(fileno(to)) == 1;
}

static bool wants_color(const struct cli *cli, FILE *to)
{
	const char *no_color = getenv("NO_COLOR");
	const char *term = getenv("TERM");

	if (cli->color != COLOR_AUTO)
		return cli->color == COLOR_ALWAYS;
	if (no_color && *no_color)
		return false;
	if (!term || strcmp(term, "dumb") == 0)
		return false;
	return is_terminal(to);
}

static unsigned width_of(FILE *to)
{
	struct winsize size;

	if (!is_terminal(to) || ioctl(fileno(to), TIOCGWINSZ, &size) ||
	    size.ws_col == 0)
		return USUAL_WIDTH;
	if (size.ws_col < NARROWEST)
		return NARROWEST;
	return size.ws_col > WIDEST ? WIDEST : size.ws_col;
}

struct report_style terminal_style(const struct cli *cli, FILE *to)
{
	return (struct report_style){
		.color = wants_color(cli, to),
		.unicode = strcmp(nl_langinfo(CODESET), "UTF-8") == 0,
		.width = width_of(to),
		.verbose = cli->verbose > 0,
	};
}

void progress_start(struct progress *p, const struct cli *cli, const char *what,
		    size_t total)
{
	*p = (struct progress){ .what = what,
				.total = total,
				.shown = 101,
				.started_ns = clock_real_ns() };
	if (!cli->quiet && total > 0 && is_terminal(stderr))
		p->to = stderr;
}

/* Once there is enough to tell by. */
static void put_time_left(const struct progress *p, double done)
{
	double passed = (double)(clock_real_ns() - p->started_ns) * 1e-9;
	double left = passed * (1 - done) / done;

	if (done > 0.03 && passed > 1 && left >= 0.5)
		fprintf(p->to, ", %.0f s left ", left);
	else
		fputs("             ", p->to);
}

void progress_step(struct progress *p, size_t done)
{
	unsigned percent;
	int filled;

	if (!p->to)
		return;
	percent = (unsigned)(100 * done / p->total);
	if (percent == p->shown)
		return;
	p->shown = percent;
	filled = (int)percent * PROGRESS_WIDTH / 100;
	fprintf(p->to, "\r%s [%.*s%*s] %u %%", p->what, filled,
		"##############################", PROGRESS_WIDTH - filled, "",
		percent);
	put_time_left(p, (double)done / (double)p->total);
	fflush(p->to);
}

void progress_end(struct progress *p)
{
	if (p->to)
		fprintf(p->to, "\r\033[K");
	p->to = NULL;
}
