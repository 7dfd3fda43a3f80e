/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The files that a user named. A directory stands for the performance files in
 * it: a command line has no room for the names of a hundred thousand.
 */
#ifndef TASKFILE_FILES_H
#define TASKFILE_FILES_H

#include <stddef.h>

#include "base/err.h"

struct taskfile_files {
	char **paths; /* owned, as are the strings */
	size_t n;
};

/* PAPI_ESYS, with a sentence, if a directory cannot be read or has none. */
int taskfile_files_find(struct taskfile_files *files, char *const *names,
			size_t n, struct diag *diag);
void taskfile_files_free(struct taskfile_files *files);

#endif /* TASKFILE_FILES_H */
