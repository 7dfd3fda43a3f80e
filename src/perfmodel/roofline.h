/* SPDX-License-Identifier: BSD-3-Clause */
/* A roofline: a machine's ceilings, and where a program stands below them. */
#ifndef PERFMODEL_ROOFLINE_H
#define PERFMODEL_ROOFLINE_H

#include <stddef.h>
#include <stdio.h>

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

#endif /* PERFMODEL_ROOFLINE_H */
