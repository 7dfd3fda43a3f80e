/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a run counted, from the file it left: the JSON of `assay count`, or a
 * performance file. Just what comparing two runs needs.
 */
#ifndef REPORT_RUNFILE_H
#define REPORT_RUNFILE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

struct run_value {
	char *section; /* label and place; "" for the whole program */
	char *name;
	double value;  /* NaN: no value */
	double stddev; /* between runs, or between activations */
	double n;      /* how many of those */
	bool exact;    /* counted by a machine that always counts the same */
};

struct runfile {
	char *path;
	struct run_value *values;
	size_t n;
};

/* Read @path. Errors name the file, and the line where there is one. */
int runfile_load(const char *path, struct runfile *out, struct diag *diag);
void runfile_fini(struct runfile *run);

/* The value of @name in @section, or NULL. */
const struct run_value *runfile_find(const struct runfile *run,
				     const char *section, const char *name);

#endif /* REPORT_RUNFILE_H */
