/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What papers' examples are made of again: kernels on a simulated machine,
 * each with the events of whole groups of metrics, all counted at once, and
 * the metrics of these.
 */
#pragma once

#include "lab/experiment.h"
#include "measure/metrics.h"
#include "papers/papers.h"
#include "write/chart.h"

/* A kernel at a point, as a program of the paper. */
struct papers_work {
	const char *name; /* as tables have it */
	const char *kernel;
	uint64_t times, footprint;
	uint32_t unit;
	uint32_t k;
};

struct papers_lab {
	const struct papers_work *works;
	size_t n;
	struct metrics metrics;
	struct constants constants;
	struct experiment_result *result;
};

/*
 * Count @works on the model called @model, each @repeats times: the events
 * that @groups need (ends with NULL), and @extra (likewise). 0, or a status
 * after a message.
 */
struct papers_plan {
	const char *model;
	const char *constants; /* a file's; NULL: the model's */
	const struct papers_work *works;
	size_t n;
	const char *const *groups;
	const char *const *extra;
	unsigned repeats;
};
/* A file of user-defined events, for workers that are started next. */
struct papers_events {
	char *path, *before;
};
/* 0, or a status after a message; to be reset in any case. */
int papers_events_set(const struct papers *papers, const char *text,
		      struct papers_events *events);
void papers_events_reset(struct papers_events *events);

int papers_lab_open(const struct papers *papers, const struct papers_plan *plan,
		    struct papers_lab *lab);
void papers_lab_close(struct papers_lab *lab);

/* The count of @event in the first repeat of work @i; NaN: there is none. */
double papers_lab_count(const struct papers_lab *lab, size_t i,
			const char *event);
double papers_lab_repeat(const struct papers_lab *lab, size_t i,
			 const char *event, unsigned repeat);

/*
 * The metric called @name of group @file. Its times are the simulated
 * machine's: cycles by its clock rate.
 */
double papers_lab_metric(const struct papers_lab *lab, size_t i,
			 const char *file, const char *name);

/* A picture, NAME.svg, and its data, NAME.csv. 0, or a status. */
int papers_draw(struct papers *papers, const char *name,
		const struct chart *chart);
