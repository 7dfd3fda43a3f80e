/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A run's sections as a tree for the terminal: inclusive and exclusive values,
 * shares, and how evenly threads and ranks are loaded. Which files make a run,
 * and the sums over its tasks, come from view/view.h.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/err.h"
#include "view/view.h"
#include "write/format.h"

enum outline_sort {
	OUTLINE_INCLUSIVE,
	OUTLINE_EXCLUSIVE,
	OUTLINE_CALLS,
	OUTLINE_IMBALANCE,
	OUTLINE_LABEL,
	OUTLINE_FILE, /* as in the file */
};

extern const char *const outline_sort_names[]; /* in that order; then NULL */

struct outline_options {
	const char *by; /* an event or "time"; NULL: the best there is */
	enum outline_sort sort;
	unsigned depth;   /* levels shown; 0: all */
	double min_share; /* hide sections below this share, in percent */
	bool per_thread;  /* also a row for each task and thread */
};

/* Who was loaded how much; n is 0 where there is nothing to compare. */
struct outline_spread {
	size_t n;
	double mean;
	long double min, max; /* counts to the last digit */
	long min_task, min_thread, max_task, max_thread; /* -1: not known */
};

/* Percent that the most loaded is above the mean; NaN without a spread. */
double outline_imbalance(const struct outline_spread *spread);

struct outline_node {
	struct task_section
		section; /* its data are owned, its strings are not */
	const struct view_section *rows;
	long parent; /* index, or -1 */
	size_t depth;
	double calls;
	long double inclusive, exclusive; /* of outline.by; NaN: none */
	double share;                     /* percent, see outline_build() */
	struct outline_spread ranks, threads;
	bool hidden;
};

struct outline {
	const struct view_run *run;
	const struct outline_options *options;
	struct task_head head;
	struct task_event *events; /* strings are the run's */
	size_t n_events;
	struct outline_node *nodes; /* each behind the one around it */
	size_t n;
	const char *by; /* name of a datum: an event, or "IncSec" */
	bool simulated;
};

/*
 * Build the tree of @run, which must outlive it. The share of a section is its
 * inclusive value in percent of what all sections of its kind have together
 * (the sum of those that are in no other of their kind). PAPI_ENOMEM, or
 * PAPI_EINVAL with a sentence if the run has no such event as the options name.
 */
int outline_build(struct outline *o, const struct view_run *run,
		  const struct outline_options *options, struct diag *diag);
void outline_fini(struct outline *o);

/*
 * Check every count of every section: 0 <= exclusive <= inclusive. @tell hears
 * of those that do not hold in a sentence; returns how many they are.
 */
typedef void outline_broken_fn(void *ctx, const char *sentence);
size_t outline_check(const struct outline *o, outline_broken_fn *tell,
		     void *ctx);

/* The data of @node called @name, or NULL. */
const struct task_datum *outline_find(const struct outline_node *node,
				      const char *name);

/* The spreads of every node, from the rows of tasks and threads. */
int outline_measure_spreads(struct outline *o);

/* Everything that `assay report` was given. */
struct outline_report {
	struct outline *outlines;
	size_t n;
	const struct view *view; /* its profiles */
};

extern const struct format outline_formats[];

int outline_write_text(const void *report, const struct report_style *style,
		       FILE *to);
int outline_describe(const void *report, struct json *j);
int outline_write_csv(const void *report, const struct report_style *style,
		      FILE *to);
