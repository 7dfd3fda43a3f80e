/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pages: the viewer with data in it, as one file that opens from disk and
 * loads nothing from anywhere. docs/formats/page.md says what data it takes;
 * every verb that can write HTML comes here.
 *
 * A verb with one document calls html_write(). A large one is written in
 * blocks: the viewer reads the block "data" at once and others when it needs
 * them.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/memfile.h"
#include "base/strbuf.h"
#include "write/json.h"

/* Why there is no viewer in this build, as a sentence; NULL: there is one. */
const char *html_missing(void);

/*
 * Write the page that shows @json, a document of the @kind "report",
 * "sections", ... 0, PAPI_ESYS if @to failed, or PAPI_ENOSUPP if there is no
 * viewer (html_missing() tells why).
 */
int html_write(const char *kind, const char *json, FILE *to);

/* Who will read a page. */
enum html_reader {
	HTML_FROM_DISK, /* may load nothing at all */
	HTML_SERVED,    /* may ask the server it came from */
};

/* The same in pieces; errors as above. */
int html_begin(const char *title, enum html_reader reader, FILE *to);
void html_block(const char *id, const char *kind, const char *json, size_t len,
		FILE *to);
int html_end(FILE *to);

/*
 * A document of the kind "report", written with the calls of json.h into
 * memory: after opening, the members "facts" and "parts" are the caller's.
 * Closing writes the page, with errors as above, and frees the memory.
 */
struct html_report {
	struct json json;
	struct memfile file;
};

int html_report_open(struct html_report *r, const char *title,
		     const char *subtitle);
int html_report_close(struct html_report *r, FILE *page);

/* {"name", "value"}; and the beginning of a part, an object to be ended. */
void html_report_fact(struct html_report *r, const char *name,
		      const char *value);
void html_report_part(struct html_report *r, const char *kind,
		      const char *title);
/*
 * A part that is a table. After html_report_part() its columns, the name and
 * the kind of each, up to a NULL; then one by one those that are not always
 * there or, with _more, are shown only when asked for; then its rows, each with
 * json_cells(); then the end, which html_report_end() is for every part whose
 * last member is an array.
 */
void html_report_columns(struct html_report *r, ...) __attribute__((sentinel));
void html_report_column(struct html_report *r, const char *name,
			const char *kind);
void html_report_more(struct html_report *r, const char *name,
		      const char *kind);
void html_report_rows(struct html_report *r);
void html_report_end(struct html_report *r);

/* A chart's axis "x" or "y"; and a curve, an item of its "series". */
void html_report_axis(struct html_report *r, const char *axis,
		      const char *label, bool log);
void html_report_series(struct html_report *r, const char *name,
			const char *style, const double *x, const double *y,
			size_t n);

/* The sentence at the top, which is then freed. */
void html_report_lead(struct html_report *r, struct strbuf *lead);
