/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages of the command: one line each, but for notes on a terminal. They
 * quote what was typed and what stands in files, so nothing in them is left for
 * a terminal to act on.
 */

#include "console/console.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memfile.h"
#include "write/style.h"

#define NOTE_INDENT 4 /* of its second line and those after */

static void put(const struct console *console, const char *kind,
		const char *format, va_list args, FILE *to)
{
	char text[1024];

	vsnprintf(text, sizeof(text), format, args);
	fprintf(to, "%s: %s", console->as, kind);
	style_put(text, SIZE_MAX, to);
}

static void put_error(const struct console *console, const char *hint,
		      const char *format, va_list args)
{
	flockfile(stderr);
	put(console, "", format, args, stderr);
	fprintf(stderr, "%s%s\n", hint ? "; " : "", hint ? hint : "");
	funlockfile(stderr);
}

void say_error(const struct console *console, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	put_error(console, NULL, format, args);
	va_end(args);
}

int say_usage(const struct console *console, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	put_error(console, NULL, format, args);
	va_end(args);
	return CMD_USAGE;
}

int say_failure(const struct console *console, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	put_error(console, NULL, format, args);
	va_end(args);
	return CMD_FAILED;
}

int say_diag(const struct console *console, const struct diag *diag)
{
	const char *text = diag->text[0] ? diag->text : "out of memory";

	if (diag->file && diag->line)
		return say_failure(console, "%s:%zu: %s", diag->file,
				   diag->line, text);
	if (diag->file)
		return say_failure(console, "%s: %s", diag->file, text);
	return say_failure(console, "%s", text);
}

int say_no_memory(const struct console *console)
{
	return say_failure(console, "out of memory");
}

void say_error_hint(const struct console *console, const char *hint,
		    const char *format, ...)
{
	va_list args;

	va_start(args, format);
	put_error(console, hint, format, args);
	va_end(args);
}

/* On a terminal in lines that fit it: a note is prose, and often long. */
void say_note(const struct console *console, const char *format, ...)
{
	struct report_style style = terminal_style(console, stderr);
	struct memfile line;
	va_list args;

	if (console->quiet || memfile_open(&line))
		return;
	va_start(args, format);
	put(console, "note: ", format, args, line.to);
	va_end(args);
	if (memfile_close(&line))
		return;
	flockfile(stderr);
	if (isatty(STDERR_FILENO))
		style_wrap(&style, line.text, 0, NOTE_INDENT, stderr);
	else
		fprintf(stderr, "%s\n", line.text);
	funlockfile(stderr);
	free(line.text);
}

int say_flush(const struct console *console, int status)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return status;
	say_error(console, "cannot write to standard output: %s",
		  strerror(errno));
	return CMD_FAILED;
}
