/* SPDX-License-Identifier: BSD-3-Clause */
/* The JSON of `assay count`, as a performance file of one section. */
#ifndef TASKFILE_COUNT_H
#define TASKFILE_COUNT_H

#include <stdbool.h>

#include "taskfile/taskfile.h"

struct tree;

/* Whether @root is what `assay count` writes. */
bool count_is_report(const struct tree *root);

/*
 * Hand it over; what @sink returns, PAPI_ENOMEM, or PAPI_EBUF for a count that
 * does not fit in 64 bits.
 */
int count_give(const struct tree *root, const struct taskfile_sink *sink);

#endif /* TASKFILE_COUNT_H */
