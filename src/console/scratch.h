/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Files and folders that a command makes for itself: private, below TMPDIR
 * (or /tmp), and gone with the command, also when SIGINT, SIGTERM or SIGHUP
 * ends it. Folders of commands that were killed go when the next one is made.
 */
#ifndef CONSOLE_SCRATCH_H
#define CONSOLE_SCRATCH_H

#include "base/err.h"

/*
 * A new empty file, or a new folder, with @what in its name. NULL: not made,
 * with the sentence in @diag. Ended with scratch_remove().
 */
char *scratch_file(const char *what, struct diag *diag);
char *scratch_folder(const char *what, struct diag *diag);

/* A file that has @text. */
char *scratch_text(const char *what, const char *text, struct diag *diag);

/*
 * What will be in a folder, made by whom ever, goes with the folder. The name
 * is to be freed. NULL: out of memory.
 */
char *scratch_inside(const char *folder, const char *name);

/* Remove @path from the disk, if it is there, and free it. NULL is allowed. */
void scratch_remove(char *path);

#endif /* CONSOLE_SCRATCH_H */
