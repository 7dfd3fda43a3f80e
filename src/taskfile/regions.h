/* SPDX-License-Identifier: BSD-3-Clause */
/* The file of PAPI's regions, as a performance file. */
#ifndef TASKFILE_REGIONS_H
#define TASKFILE_REGIONS_H

#include <stdio.h>

#include "taskfile/taskfile.h"

/* As taskfile_read(), for JSON. */
int regions_read(FILE *from, const char *path, const struct taskfile_sink *sink,
		 struct diag *diag);

#endif /* TASKFILE_REGIONS_H */
