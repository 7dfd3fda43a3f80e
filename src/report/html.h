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
#ifndef REPORT_HTML_H
#define REPORT_HTML_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

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

#endif /* REPORT_HTML_H */
