/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Line charts as SVG: the figures of papers, curves of reports. One picture
 * stands alone in a file or inside an HTML page.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum chart_line {
	CHART_LINE,   /* points joined by a line */
	CHART_DASHED, /* a line for what is expected, without points */
	CHART_POINTS,
};

struct chart_series {
	const char *name;
	const double *x;
	const double *y;
	const double *error; /* half length of error bars; NULL: none */
	size_t n;            /* points; those with a NaN are left out */
	enum chart_line line;
	unsigned colour; /* the n-th series' colour; 0: its own */
};

enum chart_scale {
	CHART_LINEAR,
	CHART_LOG2,  /* labelled with numbers */
	CHART_BYTES, /* the same, labelled 4K, 32K, 1M */
};

struct chart {
	const char *title;
	const char *x_label;
	const char *y_label;
	enum chart_scale x_scale;
	double y_min, y_max; /* both 0: as the data need */
	const struct chart_series *series;
	size_t n;
	/* x of vertical marks, as sizes of caches, with what they are */
	const double *marks;
	const char *const *mark_names;
	size_t n_marks;
};

/* 0, or PAPI_ESYS if the stream failed. */
int chart_write_svg(const struct chart *c, FILE *to);
