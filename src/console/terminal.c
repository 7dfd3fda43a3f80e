/* SPDX-License-Identifier: BSD-3-Clause */
/* Terminals: width, colour, character set, progress. */

#include "console/console.h"

#include <langinfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/clock.h"

#define USUAL_WIDTH    80
#define NARROWEST      40
#define WIDEST         120 /* longer lines are hard to read */
#define PROGRESS_WIDTH 30
#define NOTE_EVERY_NS  60000000000u
#define PROGRESS_LEAST 5 /* of a bar that says something */

static bool is_terminal(FILE *to)
{
	return isatty(fileno(to)) == 1;
}

static bool knows_escapes(void)
{
	const char *term = getenv("TERM");

	return term && strcmp(term, "dumb") != 0;
}

static bool wants_color(const struct console *console, FILE *to)
{
	const char *no_color = getenv("NO_COLOR");

	if (console->color != COLOR_AUTO)
		return console->color == COLOR_ALWAYS;
	if (no_color && *no_color)
		return false;
	return is_terminal(to) && knows_escapes();
}

/* Columns of a terminal; those of the usual one if it does not tell. */
static unsigned columns_of(FILE *to)
{
	struct winsize size;

	if (ioctl(fileno(to), TIOCGWINSZ, &size) || size.ws_col == 0)
		return USUAL_WIDTH;
	return size.ws_col;
}

static unsigned width_of(FILE *to)
{
	unsigned columns = is_terminal(to) ? columns_of(to) : USUAL_WIDTH;

	if (columns < NARROWEST)
		return NARROWEST;
	return columns > WIDEST ? WIDEST : columns;
}

struct report_style terminal_style(const struct console *console, FILE *to)
{
	return (struct report_style){
		.color = wants_color(console, to),
		.unicode = strcmp(nl_langinfo(CODESET), "UTF-8") == 0,
		.width = width_of(to),
		.verbose = console->verbose > 0,
	};
}

void progress_start(struct progress *p, const struct console *console,
		    const char *what, const char *unit, size_t total)
{
	*p = (struct progress){ .what = what,
				.unit = unit,
				.total = total,
				.shown = 101,
				.started_ns = clock_real_ns(),
				.every_ns = NOTE_EVERY_NS };
	p->noted_ns = p->started_ns;
	if (console->quiet || total == 0)
		return;
	if (is_terminal(stderr) && knows_escapes())
		p->to = stderr;
	else
		p->console = console;
}

/* ", 12 s left" once there is enough to tell by; otherwise nothing. */
static void add_time_left(const struct progress *p, double done, char *text,
			  size_t size)
{
	double passed = (double)(clock_real_ns() - p->started_ns) * 1e-9;
	double left = passed * (1 - done) / done;

	if (!(done > 0.03 && passed > 1 && left >= 0.5))
		return;
	if (left < 60)
		snprintf(text, size, ", %.0f s left", left);
	else
		snprintf(text, size, ", %.0f min left", left / 60);
}

/*
 * One line, whatever the terminal's width: a line that breaks cannot be
 * written over. The bar takes what the words leave; then it goes, then they.
 */
static void put_progress(const struct progress *p, size_t done,
			 const char *left)
{
	unsigned percent = (unsigned)(100 * done / p->total);
	unsigned columns = columns_of(p->to) - 1;
	char words[128];
	int length, capacity, filled;

	length = snprintf(words, sizeof(words), " %u %%, %zu of %zu %s%s",
			  percent, done, p->total, p->unit, left);
	capacity = (int)columns - (int)strlen(p->what) - length -
		   (int)strlen(" []");
	capacity = capacity > PROGRESS_WIDTH ? PROGRESS_WIDTH : capacity;
	filled = (int)percent * capacity / 100;
	if (capacity >= PROGRESS_LEAST)
		fprintf(p->to, "\r%s [%.*s%*s]%s\033[K", p->what, filled,
			"##############################", capacity - filled, "",
			words);
	else
		fprintf(p->to, "\r%.*s\033[K", (int)columns, words + 1);
}

/* In a log: "classifying: 120 of 350 kernels, 45 s left", once a minute. */
static void put_note(struct progress *p, size_t done)
{
	uint64_t now = clock_real_ns();
	char left[64] = "";

	if (now - p->noted_ns < p->every_ns || done >= p->total)
		return;
	p->noted_ns = now;
	add_time_left(p, (double)done / (double)p->total, left, sizeof(left));
	say_note(p->console, "%s: %zu of %zu %s%s", p->what, done, p->total,
		 p->unit, left);
}

void progress_step(struct progress *p, size_t done)
{
	char left[64] = "";
	unsigned percent;

	if (p->console)
		put_note(p, done);
	if (!p->to)
		return;
	percent = (unsigned)(100 * done / p->total);
	if (percent == p->shown)
		return;
	p->shown = percent;
	add_time_left(p, (double)done / (double)p->total, left, sizeof(left));
	put_progress(p, done, left);
	fflush(p->to);
}

void progress_end(struct progress *p)
{
	if (p->to)
		fprintf(p->to, "\r\033[K");
	p->to = NULL;
}
