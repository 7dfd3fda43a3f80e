/* SPDX-License-Identifier: BSD-3-Clause */
/* A comparison as text, JSON, JUnit XML, GitHub annotations or a page. */
#pragma once

#include <stdio.h>

#include "diff/compare.h"

struct json;
struct metrics;
struct report_style;

struct compare_view {
	const struct comparison *comparison;
	const char *a; /* paths */
	const char *b;
	const char *missing_a; /* in its counts; NULL: nothing */
	const char *missing_b;
	const struct limit *limits;
	size_t n_limits;
	bool all;                      /* rows that are the same, too */
	const struct metrics *metrics; /* to name them by, for text_of() */
	/* What a value means, in a few words; "" if not known. */
	const char *(*text_of)(const struct metrics *metrics, const char *name);
};

/* Whether a row is worth showing: it differs, or all are wanted. */
bool compare_is_shown(const struct compare_view *view,
		      const struct compare_row *row);

/* A struct compare_view as a write_fn and a describe_fn want it. */
int compare_write_text(const void *view, const struct report_style *style,
		       FILE *to);
int compare_describe(const void *view, struct json *j);
int compare_write_junit(const void *view, const struct report_style *style,
			FILE *to);
int compare_write_github(const void *view, const struct report_style *style,
			 FILE *to);
int compare_write_page(const void *view, const struct report_style *style,
		       FILE *to);
