/* SPDX-License-Identifier: BSD-3-Clause */
/* What the command says about itself, on standard error. */
#ifndef CONSOLE_SAY_H
#define CONSOLE_SAY_H

#include "base/err.h"
#include "console/console.h"

/* "assay count: sentence", always. */
void say_error(const struct console *console, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* The same; gives back CMD_USAGE, or CMD_FAILED. */
int say_usage(const struct console *console, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
int say_failure(const struct console *console, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* What @diag tells, with the file and the line if it names them; CMD_FAILED. */
int say_diag(const struct console *console, const struct diag *diag);

/* "assay count: out of memory"; CMD_FAILED. */
int say_no_memory(const struct console *console);

/* The same as say_error(), with @hint (may be NULL) after it. */
void say_error_hint(const struct console *console, const char *hint,
		    const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * "assay count: note: sentence", unless --quiet; on a terminal in lines that
 * fit it.
 */
void say_note(const struct console *console, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Flush standard output; CMD_FAILED, with a message, if it is full. */
int say_flush(const struct console *console, int status);

#endif /* CONSOLE_SAY_H */
