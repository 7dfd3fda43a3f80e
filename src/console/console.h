/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a verb and everything below it speaks through: who is speaking, how
 * much is wanted, in which dress; and the exit statuses that functions which
 * may give up hand back to the command.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"
#include "report/writer.h"
#include "write/format.h"

/* Exit statuses. A verb that runs a program returns the program's own. */
enum {
	CMD_OK = 0,
	CMD_NOTHING = 1,    /* looked, and there is nothing to show */
	CMD_USAGE = 2,      /* was called wrongly */
	CMD_UNMEASURED = 3, /* --strict: a requested event has no value */
	CMD_LIMIT = 4,      /* a limit was exceeded */
	CMD_BROKEN = 5,     /* --check: counts contradict each other */
	CMD_FAILED = 125,   /* could not do its work, and said why */
	CMD_CANNOT_EXECUTE = 126,
	CMD_NOT_FOUND = 127,
	CMD_SIGNAL = 128, /* plus the signal's number */
};

enum console_color {
	COLOR_AUTO,
	COLOR_ALWAYS,
	COLOR_NEVER,
};

struct console {
	const char *as; /* "assay count", "hpmcount": starts every message */
	enum console_color color;
	bool quiet;
	int verbose;
};

/* What the command says about itself, on standard error. */

/* "assay count: sentence", always. */
void say_error(const struct console *console, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* The same; gives back CMD_USAGE, or CMD_FAILED. */
int say_usage(const struct console *console, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
int say_failure(const struct console *console, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* What @diag tells, with the file and the line if it names them; CMD_FAILED. */
int say_diag(const struct console *console, const struct diag *diag);

/* "assay count: out of memory"; CMD_FAILED. */
int say_no_memory(const struct console *console);

/* The same as say_error(), with @hint (may be NULL) after it. */
void say_error_hint(const struct console *console, const char *hint,
		    const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * "assay count: note: sentence", unless --quiet; on a terminal in lines that
 * fit it.
 */
void say_note(const struct console *console, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Flush standard output; CMD_FAILED, with a message, if it is full. */
int say_flush(const struct console *console, int status);

/*
 * Where a verb's result goes and in which format. A file is written whole or
 * not at all.
 */

/* What -o and --format said. */
struct output {
	const struct console *console; /* who tells of a failure */
	const char *path;              /* "-" for stdout, or NULL */
	const char *format;            /* NULL: by suffix of path, else text */
};

/*
 * The row of @formats that --format or the suffix of --output names, else the
 * first. NULL, after a message, if there is none of that name.
 */
const struct format *output_format(const struct output *output,
				   const struct format *formats);

/*
 * Whether @path can be written to; NULL and "-" always can. 0, or CMD_FAILED
 * after a message: work is not to end in a file that cannot be written.
 */
int output_check(const struct output *output, const char *path);

/*
 * Let @write write @what to --output, or to @otherwise without one. @status,
 * or CMD_FAILED after a message.
 */
int output_write(const struct output *output, write_fn write, const void *what,
		 FILE *otherwise, int status);

/* The same in one of a verb's formats. */
int output_write_as(const struct output *output, const struct format *format,
		    const void *what, FILE *otherwise, int status);

/* What the reader's terminal can show, and progress on it. */

/*
 * How to dress text that goes to @to. Colour as --color says; if it leaves
 * that open: on a terminal, unless NO_COLOR is set (no-color.org) or the
 * terminal is a dumb one. Lines are as wide as the terminal, 80 elsewhere.
 */
struct report_style terminal_style(const struct console *console, FILE *to);

/*
 * Progress of long work: one line on a terminal; elsewhere, in a log, a note a
 * minute. Nothing with --quiet.
 */
struct progress {
	FILE *to;                      /* the terminal; NULL: there is none */
	const struct console *console; /* who writes notes; NULL: none */
	const char *what;
	const char *unit; /* "kernels" */
	size_t total;
	unsigned shown;      /* percent on the screen */
	uint64_t started_ns; /* tells how much longer it will take */
	uint64_t noted_ns;   /* when the last note was written, or the start */
	uint64_t every_ns;   /* from one note to the next */
};

void progress_start(struct progress *p, const struct console *console,
		    const char *what, const char *unit, size_t total);
void progress_step(struct progress *p, size_t done);
void progress_end(struct progress *p); /* clears the line */

/* "Did you mean": the best few of the names offered, by edit distance. */

#define NEAREST_MAX 3

struct nearest {
	const char *wanted;             /* borrowed */
	const char *names[NEAREST_MAX]; /* borrowed, best first */
	unsigned distances[NEAREST_MAX];
	size_t n;
	char text[160];
};

void nearest_init(struct nearest *near, const char *wanted);

/* Offer @name; it is kept if it is close enough and among the best. */
void nearest_add(struct nearest *near, const char *name);

/* "did you mean --a, --b or --c?", or NULL if nothing is close. */
const char *nearest_text(struct nearest *near, const char *prefix);

/* Insertions, deletions, replacements and swaps of neighbours between. */
unsigned edit_distance(const char *a, const char *b);

/*
 * Files and folders that a command makes for itself: private, below TMPDIR
 * (or /tmp), and gone with the command, also when SIGINT, SIGTERM or SIGHUP
 * ends it. Folders of commands that were killed go when the next one is made.
 */

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
