/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages of the command: one line each, one call each. */

#include "cli/say.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void say(const struct cli *cli, const char *kind, const char *hint,
		const char *format, va_list args)
{
	char text[1024];

	vsnprintf(text, sizeof(text), format, args);
	fprintf(stderr, "%s: %s%s%s%s\n", cli->as, kind, text, hint ? "; " : "",
		hint ? hint : "");
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
