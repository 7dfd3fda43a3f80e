/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages of the command: one line each. They quote what was typed and what
 * stands in files, so nothing in them is left for a terminal to act on.
 */

#include "cli/say.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "report/style.h"

static void say(const struct cli *cli, const char *kind, const char *hint,
		const char *format, va_list args)
{
	char text[1024];

	vsnprintf(text, sizeof(text), format, args);
	flockfile(stderr);
	fprintf(stderr, "%s: %s", cli->as, kind);
	style_put(text, SIZE_MAX, stderr);
	fprintf(stderr, "%s%s\n", hint ? "; " : "", hint ? hint : "");
	funlockfile(stderr);
}

void say_error(const struct cli *cli, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say(cli, "", NULL, format, args);
	va_end(args);
}

void say_error_hint(const struct cli *cli, const char *hint, const char *format,
		    ...)
{
	va_list args;

	va_start(args, format);
	say(cli, "", hint, format, args);
	va_end(args);
}

void say_note(const struct cli *cli, const char *format, ...)
{
	va_list args;

	if (cli->quiet)
		return;
	va_start(args, format);
	say(cli, "note: ", NULL, format, args);
	va_end(args);
}

int say_flush(const struct cli *cli, int status)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return status;
	say_error(cli, "cannot write to standard output: %s", strerror(errno));
	return CMD_FAILED;
}
