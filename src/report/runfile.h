/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a run counted, from the file it left: the JSON of `assay count`, or a
 * performance file. Just what comparing two runs needs.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/texts.h"

struct run_value {
	const char *section; /* label and place; "" for the whole program */
	const char *match;   /* what it is called in other runs, wherever its
			  lines   are there; NULL: as section */
	const char *file; /* where the section begins; NULL or "": not known */
	long line;
	const char *name;
	const char *title; /* what a metric is, in a few words; "": not told */
	long double value; /* NaN: no value; has every 64-bit count */
	double stddev;     /* between runs, or between activations */
	double n;          /* how many of those */
	bool exact;   /* counted by a machine that always counts the same */
	double error; /* of what that has estimated; 0: none */
	int better;   /* 1: more is, -1: less is; 0: neither, or not known */
	bool is_part; /* something is missing in it, as the run's .missing says
		       */
};

struct runfile {
	char *path;
	struct run_value *values;
	size_t n;
	const char *missing; /* in values that are there; NULL: nothing */
	struct texts texts;  /* of all of them */
};

/* What of a section that several threads or tasks ran. */
enum runfile_rows {
	RUNFILE_TOTALS,  /* all together, and how many in the value "Threads" */
	RUNFILE_THREADS, /* each by itself, by the numbers of task and thread */
};

/* Read @path. Errors name the file, and the line where there is one. */
int runfile_load(const char *path, enum runfile_rows rows, struct runfile *out,
		 struct diag *diag);
void runfile_fini(struct runfile *run);
