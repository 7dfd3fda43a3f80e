/* SPDX-License-Identifier: BSD-3-Clause */
/* Files read whole, and files written whole or not at all. */
#pragma once

#include <stdio.h>

#include "base/err.h"

/*
 * All of @path, NUL-terminated, to be freed; *@len is without the NUL. Refused
 * beyond FILE_READ_MAX, so that a device is no trap.
 */
#define FILE_READ_MAX ((size_t)64 << 20)
int file_read(const char *path, char **text, size_t *len, struct diag *diag);

/* The same of the rest of @from, which errors call @path. */
int file_read_stream(FILE *from, const char *path, char **text, size_t *len,
		     struct diag *diag);

struct outfile; /* a file without a name, in the folder of the one it will be */

/*
 * Begin writing @path. The old file stays until outfile_commit(), which keeps
 * its mode and owner. A link is followed, but not one that another user put
 * into a directory that everybody can write to; a device or a pipe is written
 * to at once and never replaced.
 */
int outfile_open(const char *path, struct outfile **out, struct diag *diag);

/* Whether outfile_open() would work, without a trace of having been tried. */
int outfile_check(const char *path, struct diag *diag);

/* Where to write. */
FILE *outfile_stream(struct outfile *file);

/*
 * Flush, sync and put in the place of @path; frees @file either way. On error,
 * and when a signal ends the process, the old file is untouched and nothing is
 * left beside it.
 */
int outfile_commit(struct outfile *file, struct diag *diag);

/* Forget what was written. NULL is allowed. */
void outfile_abort(struct outfile *file);
