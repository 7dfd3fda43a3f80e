/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Performance models of a program. To add one: fill in a struct model in
 * model_NAME.c, declare it below, and add its row in cmd_model.c. A model names
 * the groups of metrics that it needs; the rest is showing them.
 */
#pragma once

#include <stdio.h>

#include "console/console.h"
#include "measure/metrics.h"
#include "measure/pmu.h"
#include "report/report.h"
#include "write/html.h"
#include "write/json.h"
#include "write/style.h"

/* A program that was run and counted for a model. */
struct modelled {
	const struct model *model;
	struct report report; /* with the metrics of the model's groups */
	const struct constants *constants;
	bool simulated; /* cycles are the modelled machine's */
	const struct roofline_points *beside; /* of earlier runs; or NULL */
};

struct roofline_points;
struct strbuf;

struct model {
	const char *name;          /* as on the command line */
	const char *summary;       /* what it shows */
	const char *const *groups; /* of metrics; ends with NULL */
	/* Groups that it does without where counters are few; or NULL. */
	const char *const *free_groups;

	/* The model for people, and its members of the JSON document. */
	void (*text)(const struct modelled *m, const struct report_style *style,
		     FILE *to);
	void (*json)(const struct modelled *m, struct json *j);
	/* A picture of it; NULL: there is none. */
	void (*svg)(const struct modelled *m, FILE *to);
	/* The sentence that a page opens on; NULL: none. */
	void (*lead)(const struct modelled *m, struct strbuf *text);
	/* Parts of a page, before its text and metrics; NULL: none. */
	void (*page)(const struct modelled *m, struct html_report *page);
};

extern const struct model model_bandwidth;
extern const struct model model_cycles;
extern const struct model model_lcpi;
extern const struct model model_power;
extern const struct model model_roofline;

/* A metric's row in the report, or NULL; its value, or NaN. */
const struct report_metric *modelled_find(const struct modelled *m,
					  const char *name);
double modelled_value(const struct modelled *m, const char *name);

/* The count of an event, or NaN. */
double modelled_count(const struct modelled *m, const char *event);

/* Clock rate in Hz: the constants'; NaN if they have none. */
double modelled_clock(const struct modelled *m);

/*
 * How long the program took. On the simulated PMU, where each thread has a core
 * of its own, that is the cycles of the busiest thread by the model's clock
 * rate.
 */
double modelled_seconds(const struct modelled *m);

/* How many cores were busy during that time, on average; at least 1. */
double modelled_cores(const struct modelled *m);

/* "data accesses  1.73 cycles", or "-" and the reason. */
void modelled_put_metric(const struct modelled *m,
			 const struct report_metric *row,
			 const struct report_style *style, FILE *to);

/* Where the constants come from, and whether cycles are simulated. */
void modelled_put_source(const struct modelled *m,
			 const struct report_style *style, FILE *to);

/* A bar of @share (0 to 1) of @width columns, in @ink. */
void model_put_bar(const struct report_style *style, enum ink ink, double share,
		   unsigned width, FILE *to);

/* write_fn's: @what is a struct modelled. */
int model_write_text(const void *what, const struct report_style *style,
		     FILE *to);
int model_describe(const void *what, struct json *j);
int model_write_svg(const void *what, const struct report_style *style,
		    FILE *to);
int model_write_html(const void *what, const struct report_style *style,
		     FILE *to);

/* assay model power --fit: a power model from samples of counters and watts. */

struct fit_options {
	const char *path;     /* of the samples, in CSV */
	const char *response; /* the column to be explained; NULL: by name */
	unsigned folds;       /* of the cross-validation; 0: as many as usual */
	double ridge;
};

/* Fit and show. The exit status. */
int model_fit(const struct output *output, const struct fit_options *o);
