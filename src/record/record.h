/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of `assay record` share. */
#pragma once

#include <assay/record.h>

#include "base/map.h"
#include "base/pairs.h"
#include "measure/counting.h"
#include "measure/metrics.h"
#include "measure/pmu.h"
#include "profile/profile.h"
#include "symbol/symbol.h"
#include "symbol/unwind.h"

/* An event to be sampled. */
struct record_event {
	char *name;
	char *unit;
	int code;
	bool hardware;
	uint64_t period; /* 0: not said */
	bool by_default; /* the period is ours */
};

struct record_events {
	struct record_event *items;
	size_t n;
	/* For those that have no threshold; 0: not said, at most one is. */
	uint64_t period;
	uint64_t hz; /* samples a second, of a clock */
};

/*
 * Each name of @selection, with its "@threshold". 0, or CMD_USAGE after a
 * message. Needs no library.
 */
int record_parse_events(const struct console *console,
			const struct selection *selection,
			struct record_events *out);
void record_free_events(struct record_events *events);

/*
 * Look them up in the library that is open, and give each that has no
 * threshold the usual one. 0, or a status after a message.
 */
int record_look_up(const struct console *console, struct record_events *events,
		   enum pmu_kind kind);

/* Whether all are the kernel's own, so that no PMU is needed. */
bool record_is_software(const struct record_events *events);

/* "1000", "100k", "5M", "1G", from 1 on. */
bool record_read_number(const char *text, uint64_t *out);

/* Say which thresholds are ours. */
void record_tell_periods(const struct console *console,
			 const struct record_events *events);

/* A piece of an address space. */
struct space_map {
	uint64_t start, end, offset;
	size_t object; /* in the gathering */
};

/* A process, as long as it executes one program. */
struct space {
	pid_t pid;
	size_t image; /* a number that no other has */
	char *name;   /* of the program */
	struct space_map *maps;
	size_t n;
	struct unwinder *unwinder;
	bool is_stale; /* maps have changed since the unwinder was made */
};

/* An object that is mapped somewhere. */
struct gather_object {
	char *path;
	struct symbol_object *symbols; /* NULL: none could be read */
	size_t row;                    /* in the profile */
	enum profile_kind kind;
};

/*
 * Samples on their way to a profile. Zero-initialise it; the profile's events
 * have to be there before the first sample.
 */
struct gather {
	struct profile profile;
	struct gather_object *objects;
	size_t n_objects;
	struct map object_rows; /* by path */
	struct space *spaces;
	size_t n_spaces;
	size_t images;
	struct pairs thread_rows;   /* by pid and tid, and image */
	struct pairs location_rows; /* by object and address */
	struct map function_rows, file_rows;
	char **keys; /* of those two */
	size_t n_keys;
	bool has_begun;
	uint64_t began;           /* time of the first record */
	uint64_t truncated;       /* stacks that end too early */
	struct taken_line *taken; /* lines that cores took from each other */
	size_t n_taken;
};

/* A line, and by which instructions, the most frequent first. */
#define TAKEN_BY 3
struct taken_line {
	pid_t pid;
	uint64_t start, end;
	uint64_t count;
	char *what; /* the variables in it, or where else it is */
	struct {
		uint64_t count;
		char *where; /* source line, or function */
	} by[TAKEN_BY];
};

/* A record of the kind ASSAY_RECORD_TAKEN. 0 or PAPI_ENOMEM. */
int taken_add(struct gather *g, const struct assay_record *record);

/* Notes of the profile on the lines that were taken most. The same. */
int taken_note(struct gather *g);
void taken_fini(struct gather *g);

/* An assay_record_fn; 0 or PAPI_ENOMEM. */
int gather_take(void *gather, const struct assay_record *record);

/* The row of @path's object, made if need be. */
int gather_find_object(struct gather *g, const char *path, size_t *out);

/* The row of the place @address in an object of the gathering. */
int gather_find_location(struct gather *g, size_t object, uint64_t address,
			 uint64_t bytes, size_t *row);

/* The row of a function; @object is a row of the profile. */
int gather_find_function(struct gather *g, size_t object,
			 const struct symbol_frame *frame, size_t *row);

/* What process @pid has mapped by now. */
int record_read_maps(struct gather *g, pid_t pid);

/* After the end: give names to code that was made at run time. */
int gather_name_made_code(struct gather *g);

/* All but the profile. */
void gather_fini(struct gather *g);

/* The space of process @pid, made if need be; NULL: no memory. */
struct space *space_get(struct gather *g, pid_t pid);
int space_exec(struct gather *g, pid_t pid, const char *program);
int space_fork(struct gather *g, pid_t pid, pid_t parent);
int space_map(struct gather *g, const struct assay_record *record);
/* The object at @address, and its own address of it. */
int space_find(struct gather *g, const struct space *space, uint64_t address,
	       size_t *object, uint64_t *own);
void space_fini(struct space *space);

/* Program counters of the sample, the innermost first; how many. */
size_t space_unwind(struct gather *g, struct space *space,
		    const struct assay_record *record, uint64_t *pcs,
		    size_t capacity);

/* A program run while its samples are taken. */

struct record_run {
	struct pmu *pmu;
	const struct record_events *events;
	bool stacks;
	struct gather *gather; /* its profile gets all there is to know */
	/* internal */
	struct assay_recorder *recorder;
	int failed;                   /* what a take gave, other than 0 */
	struct simulation simulation; /* what the simulated PMU did not see */
};

/* 0 with the program's status in the profile, or a status after a message. */
int record_run(const struct console *console, struct record_run *run,
	       char **argv);

/* Likewise for a process that runs already. */
int record_attach(const struct console *console, struct record_run *run,
		  const struct attach_target *attach);

/* Profiles from files: our own, or histograms that a program left. */

/*
 * Read the profile or histogram @path; the addresses of a histogram are
 * attributed now. PAPI_EINVAL, PAPI_ESYS or PAPI_ENOMEM with the sentence.
 */
int record_import(const char *path, struct profile *out, struct diag *diag);

/* The same from a text; @name is what to call it. */
int record_import_text(const char *text, const char *name, struct profile *out,
		       struct diag *diag);

/* Whether @text, the beginning of a file, looks like either. */
bool record_can_import(const char *text);
