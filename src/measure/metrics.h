/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The metrics that the command knows: those that come with it and those in
 * files that the user names. A group is a file ("hpm") or a category within
 * files ("cache").
 */
#ifndef MEASURE_METRICS_H
#define MEASURE_METRICS_H

#include "measure/constants.h"
#include "measure/selection.h"
#include "metric/set.h"

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

#endif /* MEASURE_METRICS_H */
