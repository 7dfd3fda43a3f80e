/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A profile: samples of a run, attributed to instructions, lines and
 * functions. The tables are those of docs/formats/profile.md, and rows name
 * other rows by their place in a table. Nothing here knows how samples are
 * taken or how addresses get names.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"
#include "base/pairs.h"
#include "base/texts.h"
#include "write/format.h"

#define PROFILE_NONE ((size_t)-1) /* no row */

struct profile_event {
	const char *name;
	const char *unit;   /* "" for a plain count, "ns" for clocks */
	const char *source; /* the component that counts it */
	bool exact;         /* every crossing has its sample and its address */
	uint64_t period;
	uint64_t samples;
	long double value; /* of the whole run; NaN: not known */
};

struct profile_thread {
	long pid;
	long tid;
	const char *name;
};

enum profile_kind {
	PROFILE_FILE,
	PROFILE_VDSO,
	PROFILE_ANONYMOUS,
	PROFILE_KERNEL,
	PROFILE_UNKNOWN,
};

/* What the functions of an object are known from. */
enum profile_symbols {
	PROFILE_DEBUG,
	PROFILE_SYMTAB,
	PROFILE_DYNSYM,
	PROFILE_NO_SYMBOLS,
};

struct profile_object {
	const char *path; /* or a name in brackets */
	enum profile_kind kind;
	const char *build_id; /* hexadecimal, or NULL */
	enum profile_symbols symbols;
};

struct profile_file {
	const char *path;
	bool found; /* could be read when the profile was made */
};

struct profile_function {
	const char *name; /* never empty */
	size_t object;
	size_t file; /* where it is defined, or PROFILE_NONE */
	long line;   /* 0: not known */
	bool inlined;
	uint64_t address; /* the object's own; of one that is not inlined */
	uint64_t bytes;   /* 0: not known */
};

struct profile_frame {
	size_t function;
	size_t file; /* or PROFILE_NONE */
	long line;   /* 0: not known */
};

struct profile_location {
	size_t object;
	uint64_t address;
	uint64_t bytes;               /* 1, or of a histogram's bucket */
	struct profile_frame *frames; /* innermost inlined function first */
	size_t n;
};

struct profile_stack {
	size_t caller; /* a row before this one, or PROFILE_NONE */
	size_t location;
};

/* Samples of a piece of the time. */
struct profile_bin {
	size_t bin;
	uint64_t n;
};

struct profile_bins {
	struct profile_bin *items; /* ascending by bin */
	size_t n;
};

struct profile_sample {
	size_t thread;
	size_t stack;
	uint64_t *counts;           /* one for each event */
	struct profile_bins *times; /* the same; NULL: not known */
};

/* The time of the recording, in bins of one width. */
struct profile_timeline {
	const char *unit; /* "ns", "cycles", "instructions" */
	uint64_t step;    /* width of a bin */
	size_t bins;      /* 0: the times of samples are not known */
	size_t entries;
};

#define PROFILE_BINS 1024 /* that a recording has at most */

/* Zero-initialise it; profile_fini() ends it, and its texts. */
struct profile {
	const char **command;
	size_t words;      /* of the command */
	int exit;          /* -1: not known */
	const char *pmu;   /* "hw", "sim", "none" */
	const char *model; /* or NULL */
	double wall_s;
	bool native;

	struct profile_event *events;
	size_t n_events;
	struct profile_thread *threads;
	size_t n_threads;
	struct profile_object *objects;
	size_t n_objects;
	struct profile_file *files;
	size_t n_files;
	struct profile_function *functions;
	size_t n_functions;
	struct profile_location *locations;
	size_t n_locations;
	struct profile_stack *stacks;
	size_t n_stacks;
	struct profile_sample *samples;
	size_t n_samples;
	struct profile_timeline timeline;
	uint64_t lost;
	uint64_t throttled; /* times that the kernel stopped sampling */
	const char **notes;
	size_t n_notes;
	struct texts texts; /* of all of it */

	/* while it is made: rows that are there already */
	struct pairs stack_rows;  /* by caller and location */
	struct pairs sample_rows; /* by thread and stack */
};

void profile_fini(struct profile *p);

/* Building; each is 0 with the row in *@row (may be NULL), or PAPI_ENOMEM. */
int profile_add_word(struct profile *p, const char *word); /* of the command */
int profile_add_note(struct profile *p, const char *note);
int profile_add_event(struct profile *p, const struct profile_event *event);
int profile_add_thread(struct profile *p, const struct profile_thread *thread,
		       size_t *row);
int profile_add_object(struct profile *p, const struct profile_object *object,
		       size_t *row);
int profile_add_file(struct profile *p, const char *path, bool found,
		     size_t *row);
int profile_add_function(struct profile *p,
			 const struct profile_function *function, size_t *row);
int profile_add_location(struct profile *p,
			 const struct profile_location *location, size_t *row);

/* The same, but a row that is there already is used again. */
int profile_find_stack(struct profile *p, size_t caller, size_t location,
		       size_t *row);

/* @n more samples of @event; the events must all be there before. */
int profile_add_samples(struct profile *p, size_t thread, size_t stack,
			size_t event, uint64_t n);

/* What a sample belongs to, by rows. */
struct profile_place {
	size_t thread, stack, event;
};

/*
 * One more sample, taken @time units after the beginning of the recording;
 * the unit has to be set until the profile is written.
 */
int profile_add_at(struct profile *p, const struct profile_place *place,
		   uint64_t time);

/* @n more samples in @bin of the timeline, whose step the caller sets. */
int profile_add_to_bin(struct profile *p, const struct profile_place *place,
		       size_t bin, uint64_t n);

/*
 * Read the file @path, in the format of docs/formats/profile.md. All rows
 * exist that another names. PAPI_EINVAL or PAPI_ESYS with the sentence.
 */
int profile_read(const char *path, struct profile *out, struct diag *diag);

/* The same from a text; @name is what to call it. */
int profile_parse(const char *text, const char *name, struct profile *out,
		  struct diag *diag);

/* Whether @text, the beginning of a file, looks like a profile. */
bool profile_is_one(const char *text);

/*
 * Output formats. Zero-terminated strings may hold any bytes: each escapes
 * what its format cannot hold. @profile is a struct profile. 0, or PAPI_ESYS
 * (PAPI_ENOMEM for pprof).
 */
extern const struct format profile_formats[];

int profile_write_json(const void *profile, const struct report_style *style,
		       FILE *to);
int profile_write_text(const void *profile, const struct report_style *style,
		       FILE *to);
int profile_write_folded(const void *profile, const struct report_style *style,
			 FILE *to);
int profile_write_callgrind(const void *profile,
			    const struct report_style *style, FILE *to);
int profile_write_pprof(const void *profile, const struct report_style *style,
			FILE *to);
int profile_write_speedscope(const void *profile,
			     const struct report_style *style, FILE *to);
