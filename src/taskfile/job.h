/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The name of the parallel job that this process is a rank of: what all its
 * ranks know and no other job does. Launchers leave it in the environment, or
 * tell it when asked.
 */
#ifndef TASKFILE_JOB_H
#define TASKFILE_JOB_H

#include "base/strbuf.h"

/* Add it to @name; it has no '/'. */
void taskfile_job_add(struct strbuf *name);

#endif /* TASKFILE_JOB_H */
