/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Performance files: the sections of one task, as libhpm writes them, or of
 * many tasks merged. docs/formats/performance-file.md describes the format.
 *
 * A file is read as a stream: what it holds is handed over piece by piece, so
 * that ten thousand of them need no more memory than one.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/err.h"

/* Strings are borrowed and live as long as the call that hands them over. */

struct task_head {
	const char *program;
	long task;  /* -1: several, merged */
	long tasks; /* how many */
	long pid;
	long long started; /* seconds since 1970 */
	double seconds;
	const char *pmu;
	const char *model;
	bool complete;
};

struct task_event {
	const char *name;
	bool counted;
	const char *reason; /* "" if counted */
};

struct task_overhead {
	const char *kind;
	const char *name;
	double inside;
	double full;
	double uncertainty;
};

struct task_problem {
	const char *what;
	long id;
	const char *file;
	long line;
	double count;
};

/*
 * One number of a section; NaN where the file has none. Counts are long double,
 * which holds every whole number of 64 bits, as double does not.
 */
struct task_datum {
	const char *name;
	long double value;
	long double raw;
	long double correction;
	long double uncertainty;
	long double exclusive;
	double mean; /* of one activation, as are the next three */
	double stddev;
	long double min;
	long double max;
	/* why there is no value, or no exclusive one; NULL or "" otherwise */
	const char *reason;
	/* between tasks and threads, in a merged file */
	double task_n; /* how many of them; NaN: not merged */
	double task_mean;
	double task_stddev;
	long double task_min;
	long double task_max;
	long min_task; /* -1: none */
	long max_task;
	bool shown;
	/* a metric: how it is computed from the other data; else "" */
	const char *formula;
	const char *unit;
	const char *title;   /* what it is; NULL: not told */
	const char *verdict; /* "good", "fair", "poor", or "" */
	/* thresholds, for single and double precision; negative: values below
	 * its size are meant */
	double sbad, sgood, dbad, dgood;
};

/* One without any number. */
extern const struct task_datum task_datum_empty;

/* Why a file is refused whose count long double may not have. */
#define TASKFILE_TOO_LARGE "a count does not fit in 64 bits"

struct task_section {
	const char *lid;
	const char *label;
	const char *file;
	long line_start;
	long line_end;
	long tid;  /* -1: several */
	long task; /* -1: several */
	long id;
	long parent; /* id; -1: none */
	const char *kind;
	bool is_short;
	const struct task_datum *data;
	size_t n;
};

#define TASKFILE_PROGRAM "program" /* a kind: numbers are means of runs */

/* Who gets what a file holds. NULL: not wanted. A non-zero return stops. */
struct taskfile_sink {
	void *context;
	int (*head)(void *context, const struct task_head *head);
	int (*event)(void *context, const struct task_event *event);
	int (*overhead)(void *context, const struct task_overhead *overhead);
	int (*problem)(void *context, const struct task_problem *problem);
	int (*section)(void *context, const struct task_section *section);
	/* what else is known; @name is "" for a sentence */
	int (*remark)(void *context, const char *name, const char *text);
};

/*
 * Read @from, which is called @path: a performance file, the JSON of PAPI's
 * regions, whose sections are of the kind "region", or that of `assay count`,
 * which has one section of the kind "program". Errors, with file and line in
 * @diag:
 *
 *   PAPI_EINVAL  not well-formed, not a performance file, or it declares a
 *                document type (which could name other files or grow without
 *                end)
 *   PAPI_ESYS    cannot be read
 */
int taskfile_read(FILE *from, const char *path,
		  const struct taskfile_sink *sink, struct diag *diag);

/* Open and read @path. */
int taskfile_load(const char *path, const struct taskfile_sink *sink,
		  struct diag *diag);

/* Many files into one: sums, and the spread between tasks and threads. */
struct taskfile_merge;

int taskfile_merge_new(struct taskfile_merge **out);
void taskfile_merge_free(struct taskfile_merge *merge);

/* Add one file. On error what was added before stays. */
int taskfile_merge_add(struct taskfile_merge *merge, const char *path,
		       struct diag *diag);

/*
 * Add @n files, by several threads if there are many. On error what was added
 * before stays.
 */
int taskfile_merge_many(struct taskfile_merge *merge, const char *const *paths,
			size_t n, struct diag *diag);

/* Add what @from holds, which is called @path. */
int taskfile_merge_read(struct taskfile_merge *merge, FILE *from,
			const char *path, struct diag *diag);

/* The whole is not complete: something is missing, as after an error. */
void taskfile_merge_miss(struct taskfile_merge *merge);

/* A sink that adds what is handed to it, for who reads files himself. */
struct taskfile_sink taskfile_merge_sink(struct taskfile_merge *merge);

/* Hand over the merged whole. */
int taskfile_merge_give(struct taskfile_merge *merge,
			const struct taskfile_sink *sink);

/*
 * The value of the metric @datum from the numbers of the section it stands in,
 * or NaN; and the verdict on it, "" if there is none.
 */
double taskfile_metric_value(const struct task_datum *datum,
			     const struct task_datum *data, size_t n);
const char *taskfile_metric_verdict(const struct task_datum *datum);

/* What a datum is: "time", "count", "event" or "metric". */
const char *taskfile_kind(const struct task_datum *datum);

/* A sink that writes a file to @to, the head first; and the file's end. */
struct taskfile_sink taskfile_writer(FILE *to);
void taskfile_write_end(FILE *to);

/*
 * The files that a user named. A directory stands for the performance files in
 * it: a command line has no room for the names of a hundred thousand.
 */

struct taskfile_files {
	char **paths; /* owned, as are the strings */
	size_t n;
};

/* PAPI_ESYS, with a sentence, if a directory cannot be read or has none. */
int taskfile_files_find(struct taskfile_files *files, char *const *names,
			size_t n, struct diag *diag);
void taskfile_files_free(struct taskfile_files *files);

/*
 * `mpirun -np N assay merge`: ranks share the files. The command knows its rank
 * by what the launcher left in the environment, and needs no MPI: ranks meet in
 * a directory beside the output. Files are taken in chunks; a rank claims one
 * by a link that only one can make, and leaves it there merged. Rank 0 puts the
 * chunks together in their order, so the result is the same for any number of
 * ranks. A rank that never comes claims nothing, and nobody waits for it.
 */

struct taskfile_share {
	long rank;
	char *directory;
};

/*
 * Meet the other ranks, of which this is @rank, for the @n files @paths, which
 * are to become
 * @output. PAPI_ENOCMP: rank 0 is not there, or was done already.
 */
int taskfile_share_open(struct taskfile_share *share, long rank,
			const char *output, char *const *paths, size_t n,
			struct diag *diag);

/* Whether chunk @number is this rank's to merge. */
bool taskfile_share_claim(const struct taskfile_share *share, size_t number);

/* Leave chunk @number for rank 0; @part NULL: it could not be merged. */
int taskfile_share_put(const struct taskfile_share *share, size_t number,
		       struct taskfile_merge *part, struct diag *diag);

/* Wait for chunk @number, whoever merges it, and add it to @merge. */
int taskfile_share_get(const struct taskfile_share *share, size_t number,
		       struct taskfile_merge *merge, struct diag *diag);

/* Leave; rank 0 removes what lies there of @chunks chunks. */
void taskfile_share_close(struct taskfile_share *share, size_t chunks);
