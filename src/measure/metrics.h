/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The metrics that the command knows: those that come with it and those in
 * files that the user names. A group is a file ("hpm") or a category within
 * files ("cache").
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/fs.h"
#include "metric/defs.h"
#include "metric/set.h"

/* Which events are to be counted: names given by the user, or the usual. */

struct selection {
	char **names;
	size_t n;
	size_t named; /* the first so many are the user's own words */
	bool chosen;  /* by the user; else what fits of the usual events */
};

/*
 * Add the names of a list such as "PAPI_TOT_INS,cpu/event=0x3c,umask=1/". A
 * comma between slashes belongs to its name. A name that is there already is
 * not added again. 0, PAPI_EINVAL for an empty name, or PAPI_ENOMEM.
 */
int selection_add_list(struct selection *s, const char *list);

/* Add one name, unless it is there. 0 or PAPI_ENOMEM. */
int selection_add(struct selection *s, const char *name);

/*
 * Add the names in a file: one or a list a line; blank lines and what follows
 * a # do not count. An error has its sentence in @diag; also a file without a
 * name is one.
 */
int selection_add_file(struct selection *s, const char *path,
		       struct diag *diag);

/*
 * The usual events. Without a PMU that is also the few hardware events that
 * everybody looks for, so that their absence is explained.
 */
enum usual {
	USUAL_ALL,      /* of the machine's PMU and of the kernel */
	USUAL_HARDWARE, /* only the PMU's: the rest would be a simulator's */
	USUAL_SOFTWARE, /* the kernel's; no PMU */
};
int selection_add_usual(struct selection *s, enum usual usual);

void selection_fini(struct selection *s);

/*
 * The machine's constants: latencies, widths, peaks. They come from a file,
 * the user's or one that is shipped for the PMU's machine, and take the place
 * of those in files of metrics.
 */

struct constants {
	char *name;        /* "icx", or the user's file */
	bool is_users;     /* a file of the user's */
	bool is_guess;     /* nothing is known of this machine */
	struct defs *defs; /* its #define lines */
};

/*
 * Read @path: a text file of #define lines, what `assay machine` wrote as
 * JSON, or, if there is no such file, the shipped one of that name ("generic",
 * "opteron-8358"). With NULL, what `assay machine` measured of this machine (of
 * a modelled one, only if none is shipped), else those shipped for the machine
 * of PMU
 * @pmu ("sim-icx"), else the generic ones. 0, or a code with the sentence in
 * @diag.
 */
int constants_open(struct constants *c, const char *path, const char *pmu,
		   struct diag *diag);
/*
 * Let line_bytes be what the machine below @fs says, if it does: POWER has
 * lines of 128 bytes, the A64FX of 256. 0 or PAPI_ENOMEM.
 */
int constants_take_line(struct constants *c, const struct fs *fs);

void constants_fini(struct constants *c);

/* The value of @name; NaN if there is none. */
double constants_get(const struct constants *c, const char *name);

/* Put them into the place of those that @defs has by the same names. */
int constants_apply(const struct constants *c, struct defs *defs);

/* The files of share/metrics, compiled in. */

struct embedded {
	const char *file; /* its name, as in "hpm.txt"; NULL ends the array */
	const char *text;
};

extern const struct embedded metric_files[];

/* The files of share/machines, compiled in. */

extern const struct embedded machine_files[];

/* One file of metrics. */
struct metric_file {
	char *name; /* without folder and suffix: "hpm" */
	struct defs *defs;
	struct metric_set *set;
	bool shipped; /* not the user's */
};

struct metrics {
	struct metric_file *files;
	size_t n;
	const struct constants *constants; /* the machine's; NULL: the files' */
};

/*
 * Load the shipped files, for a machine whose PMU is @pmu ("" if there is
 * none). 0, or a code with the sentence in @diag.
 */
int metrics_init(struct metrics *m, const char *pmu, struct diag *diag);

/* Load a file of the user's, text or XML, before the shipped ones. */
int metrics_load(struct metrics *m, const char *path, const char *pmu,
		 struct diag *diag);

void metrics_fini(struct metrics *m);

/* Whether metric @i of @file belongs to @group; any does to NULL. */
bool metrics_in_group(const struct metric_file *file, size_t i,
		      const char *group);

/*
 * Add the events that a group needs to @s. PAPI_ENOEVNT if there is no such
 * group, PAPI_ENOMEM.
 */
int metrics_add_events(const struct metrics *m, const char *group,
		       struct selection *s);

/* "hpm, papi, cache, ...", to be freed; NULL if memory ran out. */
char *metrics_group_names(const struct metrics *m);

/* The metric called @name, and its file; NULL if there is none. */
const struct metric *metrics_find(const struct metrics *m, const char *name,
				  const struct metric_file **file);

/* What the metric called @name means, in a few words; "" if not known. */
const char *metrics_text(const struct metrics *m, const char *name);

/* Names in formulas that are not events: wall_s, and # for the clock rate. */
bool metrics_is_input(const char *name);

/*
 * What the verdict on @def goes by, as in "good >= 2, poor < 1"; to be freed;
 * NULL if there is none.
 */
char *metrics_threshold(const struct def *def);

/* What is good, as in ">= 2"; to be freed; NULL if nothing says so. */
char *metrics_goal(const struct def *def);
