/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of this folder share. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "base/strbuf.h"
#include "taskfile/taskfile.h"

/* The JSON of `assay count`, as a performance file of one section. */

struct tree;

/* Whether @root is what `assay count` writes. */
bool count_is_report(const struct tree *root);

/*
 * Hand it over; what @sink returns, PAPI_ENOMEM, or PAPI_EBUF for a count that
 * does not fit in 64 bits.
 */
int count_give(const struct tree *root, const struct taskfile_sink *sink);

/*
 * The name of the parallel job that this process is a rank of: what all its
 * ranks know and no other job does. Launchers leave it in the environment, or
 * tell it when asked.
 */

/* Add it to @name; it has no '/'. */
void taskfile_job_add(struct strbuf *name);

/* One number of a section, as it comes together from many tasks. */

struct merged_datum {
	struct task_datum datum; /* sums so far; name and reason are owned */
	double activations;
	bool no_value;     /* some task or thread has none, for the reason */
	bool no_exclusive; /* likewise */
};

/* As @from is called and described, without numbers yet. False: no memory. */
bool merged_init(struct merged_datum *all, const struct task_datum *from);
void merged_free(struct merged_datum *all);

/*
 * Add what @task has, which it counted in @count activations. False: there is
 * no memory for the reason why there is no sum.
 */
bool merged_add(struct merged_datum *all, const struct task_datum *from,
		double count, long task);

/* The merged number, as far as there is one. */
struct task_datum merged_result(const struct merged_datum *all);

/* The file of PAPI's regions, as a performance file. */

/* As taskfile_read(), for JSON. */
int regions_read(FILE *from, const char *path, const struct taskfile_sink *sink,
		 struct diag *diag);
