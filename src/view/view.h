/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the viewer shows: runs, their sections, the numbers of every task and
 * thread in them, and the sources that they name.
 *
 * A run is put together of the files of its tasks. Its sections are those of
 * taskfile_merge: sums, and how they vary; what each task and thread had is
 * kept beside them as rows, and handed out section by section.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/map.h"
#include "base/texts.h"
#include "profile/profile.h"
#include "taskfile/taskfile.h"
#include "view/serve.h"
#include "write/json.h"

/* What one thread of one task had in a section. */
struct view_row {
	long task;           /* -1: several */
	long thread;         /* -1: several */
	long double *values; /* in the order of the run's columns; NaN: none */
	size_t n;            /* may be less than there are columns by now */
};

struct view_section {
	const char *key; /* place, label, kind and number */
	const char
		*match; /* what it is called in every run, wherever it moved */
	struct view_row *rows;
	size_t n;
};

struct view_problem {
	const char *what;
	const char *file;
	long id;
	long line;
	double count;
};

/* What else is known of a run; the name is "" for a sentence. */
struct view_remark {
	const char *name;
	const char *text;
};

struct view_run {
	const char *name;    /* what it is called on the screen */
	const char *folder;  /* of its files */
	const char *program; /* "" until the first file's head is read */
	long long started;
	const char **paths; /* its files */
	size_t n_paths;
	bool merged; /* one of its files holds many tasks: it takes no other */
	long *tasks; /* one for each file */
	struct taskfile_merge *merge;
	const char *
		*columns; /* names of data, in the order in which they came */
	size_t n_columns;
	struct map column_index;
	struct view_section *sections;
	size_t n_sections;
	struct map section_index;
	struct view_problem *problems;
	size_t n_problems;
	struct view_remark *remarks;
	size_t n_remarks;
	struct texts texts; /* of all of it */
};

struct view_source {
	const char *name; /* as the data has it */
	const char *path; /* where it was found, links resolved; or NULL */
	const char *reason;
};

/* A profile, and where its files stand among the sources. */
struct view_profile {
	const char *name;
	struct profile profile;
	size_t *sources; /* one for each of its files */
};

struct view {
	struct view_run **runs;
	size_t n_runs;
	struct view_profile *profiles;
	size_t n_profiles;
	const char *
		*folders; /* where sources are looked for, most wanted first */
	size_t n_folders;
	struct view_source *sources;
	size_t n_sources;
	struct map source_index;
	struct texts texts; /* of all but the runs */
};

void view_fini(struct view *v);

/*
 * Add @profile under @name; it is taken over and left empty. 0 or PAPI_ENOMEM,
 * after which it is still the caller's.
 */
int view_add_profile(struct view *v, const char *name, struct profile *profile);

/*
 * Add the file @path: a profile, or a performance file, which that of `assay
 * count` is too. The latter goes to the run that it belongs to: that of the
 * same program and folder which has no such task yet and began closest to it,
 * or else a new one. A file that is larger than VIEW_FILE_MAX is refused.
 */
#define VIEW_FILE_MAX ((off_t)512 << 20)
int view_add_file(struct view *v, const char *path, struct diag *diag);

/* Where to look for sources, besides where files and the command are. */
int view_add_folder(struct view *v, const char *folder);

/*
 * After the last file: give runs their names, and find every source that a
 * section names. Only regular files whose names are those of source files are
 * ever opened, whatever the data asks for.
 */
int view_complete(struct view *v);
int view_name_runs(struct view *v);    /* the names alone */
int view_find_sources(struct view *v); /* view_complete() does */

/* What the page is called. */
const char *view_title(const struct view *v);

/* The text of source @i, to be freed; PAPI_EINVAL with a sentence. */
int view_read_source(const struct view *v, size_t i, char **text, size_t *len,
		     struct diag *diag);

/* The document that the viewer begins with, and the rows of a section. */
int view_write_json(const struct view *v, FILE *to);
int view_write_rows(const struct view *v, size_t run, size_t section, FILE *to);
int view_write_source(const struct view *v, size_t i, FILE *to);
int view_write_profile(const struct view *v, size_t i, FILE *to);

/* The whole as one page that needs no server. */
int view_write_page(const struct view *v, FILE *to);

/* Runs of a view side by side, by the statistics of `assay diff`. */

/*
 * After the last file: name sections alike in every run, by label and file;
 * lines move when a program is changed. 0 or PAPI_ENOMEM.
 */
int view_match_sections(struct view *v);

/*
 * The member "compare": each run after the first against the first. Nothing
 * if there is one run. 0 or PAPI_ENOMEM.
 */
int view_compare_json(const struct view *v, struct json *j);

/* A view, served until it is ended. */

/* Returns the exit status. */
int view_serve(const struct console *console, const struct view *v,
	       const struct serve_options *options);

/* What the server answers; @view_server of view_server_new(). */
struct view_server;
int view_server_new(const struct view *v, struct view_server **out);
void view_server_free(struct view_server *server);
void view_answer(void *view_server, const struct serve_request *request,
		 struct serve_answer *answer);

/*
 * The machine code of functions that a profile has samples in, as text. The
 * disassembler is Zydis, loaded when it is there; x86-64 only. Code is read
 * from the file that the profile names, if that is still the same.
 */

/* The block "assembly-N" of docs/formats/page.md. 0 or a code. */
int view_write_assembly(const struct view *v, size_t i, FILE *to);

/*
 * Text of the instruction at @code, of at most @n bytes, which is at @address:
 * its length, or 0 if it is none. NULL without a disassembler.
 */
typedef size_t (*assembly_fn)(uint64_t address, const unsigned char *code,
			      size_t n, char *text, size_t capacity);
assembly_fn assembly_load(void);
