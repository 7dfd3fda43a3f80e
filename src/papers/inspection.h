/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The table and the figures of the 2018 paper (Counter Inspection Toolkit),
 * measured anew: each is written as a picture and as data, and judged.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "console/console.h"
#include "lab/experiment.h"
#include "papers/papers.h"
#include "write/chart.h"

/* What Figures 12 and 13 share: loads by the level that served them. */
struct inspection_sweep;

struct inspection {
	const struct console *console;
	struct papers_machine machine;
	const char *worker; /* runs the kernels; NULL: the usual program */
	const char *folder; /* for pictures and data; NULL: none are written */
	char *files[32];    /* written so far, owned; NULL ends them */
	size_t n_files;
	struct inspection_sweep *sweeps; /* one for each model; or NULL */
};

struct inspection_verdict {
	bool pass;
	bool skipped; /* cannot be had here; the detail says why */
	char detail[400];
};

/* One table or figure. 0 with *@verdict, or an exit status after a message. */
struct inspection_item {
	const char *name; /* "Table 1" */
	const char *text; /* what it shows */
	int (*run)(struct inspection *i, struct inspection_verdict *verdict);
};

/* Ends with a row whose name is NULL. */
extern const struct inspection_item inspection_items[];

void inspection_fini(struct inspection *i);

/* What the items share. */

/*
 * Run @n_units units on the simulated machine @model and count @n_events
 * events. 0 with *@result, or an exit status after a message; also if a unit
 * could not be run or an event not be counted.
 */
int inspection_measure(const struct inspection *i, const char *model,
		       const char *const *events, size_t n_events,
		       const struct experiment_unit *units, size_t n_units,
		       struct experiment_result **result);

/* Counts of event @event each time, in unit @unit. */
double inspection_rate(const struct experiment_result *result,
		       const struct experiment_unit *units, size_t unit,
		       size_t event);

/*
 * Write @chart as @name.svg and @name.csv into the folder. 0, or an exit
 * status after a message.
 */
int inspection_draw(struct inspection *i, const char *name,
		    const struct chart *chart);

/* A line of text @text into the file @name of the folder; as above. */
int inspection_keep(struct inspection *i, const char *name, const char *text);

/* The path of @name in the folder, to be freed; NULL: no memory. */
char *inspection_path(const struct inspection *i, const char *name);

/* Say in *@v that something is not as it should be; the first one stays. */
void inspection_fail(struct inspection_verdict *v, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

void inspection_free_sweeps(struct inspection_sweep *sweeps);

int inspect_table1(struct inspection *i, struct inspection_verdict *v);
int inspect_table1_clang(struct inspection *i, struct inspection_verdict *v);
int inspect_pearson(struct inspection *i, struct inspection_verdict *v);
int inspect_goodness(struct inspection *i, struct inspection_verdict *v);
int inspect_simple_code(struct inspection *i, struct inspection_verdict *v);
int inspect_else(struct inspection *i, struct inspection_verdict *v);
int inspect_rate(struct inspection *i, struct inspection_verdict *v);
int inspect_hits(struct inspection *i, struct inspection_verdict *v);
int inspect_misses(struct inspection *i, struct inspection_verdict *v);
int inspect_units(struct inspection *i, struct inspection_verdict *v);
int inspect_pages(struct inspection *i, struct inspection_verdict *v);
int inspect_rotation(struct inspection *i, struct inspection_verdict *v);
int inspect_rotation_timed(struct inspection *i, struct inspection_verdict *v);
