/* SPDX-License-Identifier: BSD-3-Clause */
/* A comparison as text, JSON, JUnit XML, GitHub annotations or a page. */
#ifndef DIFF_WRITE_H
#define DIFF_WRITE_H

#include <stdio.h>

#include "diff/compare.h"

enum compare_form {
	COMPARE_TEXT,
	COMPARE_JSON,
	COMPARE_JUNIT,
	COMPARE_GITHUB,
	COMPARE_HTML,
};

struct compare_style {
	enum compare_form form;
	bool all; /* rows that are the same, too */
};

struct metrics;

struct compare_view {
	const struct comparison *comparison;
	const char *a; /* paths */
	const char *b;
	const struct limit *limits;
	size_t n_limits;
	struct compare_style style;
	const struct metrics *metrics; /* to name them by, for text_of() */
	/* What a value means, in a few words; "" if not known. */
	const char *(*text_of)(const struct metrics *metrics, const char *name);
};

/* Whether a row is worth showing: it differs, or all are wanted. */
bool compare_is_shown(const struct compare_view *view,
		      const struct compare_row *row);

/* As output_write() wants it: @view is a struct compare_view. */
int compare_write(const void *view, const struct report_style *style, FILE *to);

#endif /* DIFF_WRITE_H */
