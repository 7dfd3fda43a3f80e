/* SPDX-License-Identifier: BSD-3-Clause */
/* What the parts of a report as text share: inside write_text alone. */
#pragma once

#include <stdio.h>

#include "report/writer.h"

#define NUMBER_COLUMNS 16 /* a count of 10^12 with its commas */

/* One report being written. */
struct page {
	const struct report *r;
	const struct report_style *style;
	FILE *to;
};

static inline const char *on(const struct page *p, enum ink ink)
{
	return style_on(p->style, ink);
}

static inline const char *off(const struct page *p)
{
	return style_off(p->style);
}

static inline void put_spaces(const struct page *p, size_t n)
{
	fprintf(p->to, "%*s", (int)n, "");
}

/* A time is shown as one, whatever @unit it was counted in; 0: it is none. */
double text_seconds_in(const char *unit);

/* The parts that have a line for each thing counted. */
void text_put_events(const struct page *p);
void text_put_metrics(const struct page *p);
void text_put_threads(const struct page *p);
