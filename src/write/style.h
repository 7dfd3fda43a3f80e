/* SPDX-License-Identifier: BSD-3-Clause */
/* How text for people is dressed: colour, signs beyond ASCII, line breaks. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* How text may look; of no concern to formats that programs read. */
struct report_style {
	bool color;
	bool unicode;   /* the reader's terminal shows more than ASCII */
	unsigned width; /* columns */
	bool verbose;   /* also what is usually left out */
};

enum ink {
	INK_PLAIN,
	INK_BOLD,
	INK_DIM,
	INK_GOOD,
	INK_FAIR,
	INK_POOR,
	INK_HEADING,
};

/* What switches @ink on; "" without colour. */
const char *style_on(const struct report_style *style, enum ink ink);
const char *style_off(const struct report_style *style);

/* Signs, with a spelling for terminals that know only ASCII. */
enum sign {
	SIGN_PLUS_MINUS,
	SIGN_AT_LEAST,
	SIGN_AT_MOST,
	SIGN_ELLIPSIS,
	SIGN_RULE, /* one column of a line across */
	SIGN_BULLET,
};

const char *style_sign(const struct report_style *style, enum sign sign);

/* @n blanks. */
void style_blanks(size_t n, FILE *to);

/* Columns that @text takes: UTF-8 characters, each counted as one. */
size_t style_columns(const char *text);

/*
 * Write what somebody else chose, such as a name: what a terminal would act on,
 * and what is no UTF-8, as '?'. At most @most columns of it; gives back how
 * many were left over.
 */
size_t style_put(const char *text, size_t most, FILE *to);

/*
 * Write @text in lines of at most the style's width. The first starts at
 * column @at, where the cursor is; the others are indented by @indent.
 */
void style_wrap(const struct report_style *style, const char *text, size_t at,
		size_t indent, FILE *to);

/*
 * "topic         text", the topic in heading colour, the text in @ink from
 * column STYLE_TOPIC on. A further line of the same topic has "" for it.
 */
#define STYLE_TOPIC 14
void style_topic(const struct report_style *style, const char *topic,
		 enum ink ink, const char *text, FILE *to);

/* "-- title ----------", across the width, in heading colour. */
void style_heading(const struct report_style *style, const char *title,
		   FILE *to);
