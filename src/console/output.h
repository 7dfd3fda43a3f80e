/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where a verb's result goes and in which format. A file is written whole or
 * not at all.
 */
#ifndef CONSOLE_OUTPUT_H
#define CONSOLE_OUTPUT_H

#include <stdio.h>

#include "console/console.h"
#include "write/format.h"

/* What -o and --format said. */
struct output {
	const struct console *console; /* who tells of a failure */
	const char *path;              /* "-" for stdout, or NULL */
	const char *format;            /* NULL: by suffix of path, else text */
};

/*
 * The row of @formats that --format or the suffix of --output names, else the
 * first. NULL, after a message, if there is none of that name.
 */
const struct format *output_format(const struct output *output,
				   const struct format *formats);

/*
 * Whether @path can be written to; NULL and "-" always can. 0, or CMD_FAILED
 * after a message: work is not to end in a file that cannot be written.
 */
int output_check(const struct output *output, const char *path);

/*
 * Let @write write @what to --output, or to @otherwise without one. @status,
 * or CMD_FAILED after a message.
 */
int output_write(const struct output *output, write_fn write, const void *what,
		 FILE *otherwise, int status);

/* The same in one of a verb's formats. */
int output_write_as(const struct output *output, const struct format *format,
		    const void *what, FILE *otherwise, int status);

#endif /* CONSOLE_OUTPUT_H */
