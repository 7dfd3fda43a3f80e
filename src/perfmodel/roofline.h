/* SPDX-License-Identifier: BSD-3-Clause */
/* A roofline: a machine's ceilings, and where a program stands below them. */
#pragma once

#include <stddef.h>
#include <stdio.h>

#include "base/err.h"
#include "base/strbuf.h"
#include "perfmodel/perfmodel.h"
#include "report/writer.h"

#define ROOFLINE_CEILINGS 12

struct ceiling {
	const char *name; /* borrowed */
	double value;
};

/* Ceilings from the highest down; the first ones are the roof. */
struct roofline {
	struct ceiling flops[ROOFLINE_CEILINGS]; /* in flop/s */
	size_t n_flops;
	struct ceiling bytes[ROOFLINE_CEILINGS]; /* in B/s */
	size_t n_bytes;
	double intensity; /* of the program, flop/B; NaN or 0: not on the plot
			   */
	double rate;      /* flop/s */
};

struct modelled;

/* The machine's ceilings for the cores that @m kept busy, and its place. */
struct roofline roofline_make(const struct modelled *m);

/* What can be attained at @intensity, in flop/s; NaN without a roof. */
double roofline_at(const struct roofline *r, double intensity);

/* As characters, for a terminal; and as a picture. */
void roofline_plot_text(const struct roofline *r,
			const struct report_style *style, FILE *to);
void roofline_plot_svg(const struct roofline *r, FILE *to);

/*
 * Where programs stand under a roofline: of each program the whole, its
 * threads, and the traffic of each level of the memory. Points of earlier runs
 * come from the JSON of `assay model roofline`.
 */

enum roofline_kind {
	ROOFLINE_PROGRAM,
	ROOFLINE_LEVEL,
	ROOFLINE_THREAD,
};

struct roofline_point {
	char *program; /* "matmul 60" */
	char *name;    /* "memory", "L3", "thread 2"; of the program: "" */
	enum roofline_kind kind;
	double intensity; /* flop/B */
	double rate;      /* flop/s */
};

struct roofline_points {
	struct roofline_point *list;
	size_t n;
};

extern const char *const roofline_kinds[];

/* The program's name without directories, and its arguments; to be freed. */
char *roofline_program(const struct modelled *m);

/* Points of @m, of a file; each adds to @points. 0 or a code, the latter with
 * the sentence in @diag. */
int roofline_points_add(struct roofline_points *points,
			const struct modelled *m);
int roofline_points_read(struct roofline_points *points, const char *path,
			 struct diag *diag);
void roofline_points_fini(struct roofline_points *points);

/* A roofline as a page: what it means in a sentence, and the plot. */

void roofline_lead(const struct modelled *m, struct strbuf *text);
void roofline_page(const struct modelled *m, struct html_report *page);
