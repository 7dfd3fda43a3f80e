/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Output formats as rows: of reports, profiles, machines, and of every verb
 * with a result of its own. What writes a format takes the result as it is and
 * knows nothing of files: console/console.h finds the row and opens the file.
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "base/strbuf.h"
#include "write/style.h"

/* Something that writes itself to a stream; 0, or PAPI_ESYS or PAPI_ENOMEM. */
typedef int (*write_fn)(const void *what, const struct report_style *style,
			FILE *to);

struct json;

/*
 * Says what a result holds, as members of an object that is open already
 * (json.h). 0, or an error that makes the file worthless.
 */
typedef int (*describe_fn)(const void *what, struct json *j);

/* Makes a file of what @describe says; 0, PAPI_ESYS, PAPI_ENOMEM. */
typedef int (*document_fn)(describe_fn describe, const void *what, FILE *to);

/*
 * A row has its own writer, or a description and a format for all of those
 * (document.h). A table of formats ends with a row whose name is
 * NULL.
 */
struct format {
	const char *name;   /* as given to --format */
	const char *suffix; /* of files in it, with the dot; NULL: none */
	write_fn write;
	describe_fn describe; /* where there is no writer */
	document_fn document;
	const char *beginning; /* of a file's name instead; or NULL */
	bool binary;           /* nothing for a terminal */
};

/* A row with nothing else to say. */
#define FORMAT(name_, suffix_, write_)                                         \
	{                                                                      \
		.name = (name_), .suffix = (suffix_), .write = (write_)        \
	}

/* By name, or by a file's name (the longest suffix that fits); or NULL. */
const struct format *format_find(const struct format *formats,
				 const char *name);
const struct format *format_for_file(const struct format *formats,
				     const char *path);

/* Write @what in that format; as write_fn. */
int format_write(const struct format *format, const void *what,
		 const struct report_style *style, FILE *to);

/* Whether another row of the same name is taken instead. */
bool format_is_hidden(const struct format *formats, const struct format *row);

/* "text, json, csv", added to @names. */
void format_add_names(const struct format *formats, struct strbuf *names);
