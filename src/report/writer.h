/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Output formats. To add one: write write_NAME() in write_NAME.c, declare it
 * here and add its row to report_writers[] in writer.c.
 */
#ifndef REPORT_WRITER_H
#define REPORT_WRITER_H

#include <stdio.h>

#include "report/report.h"
#include "write/style.h"

/* One output format. write() returns 0, or PAPI_ESYS if @to failed. */
struct report_writer {
	const char *name;   /* as given to --format */
	const char *suffix; /* of files in it, with the dot; NULL: none */
	int (*write)(const struct report *report,
		     const struct report_style *style, FILE *to);
};

/* Ends with a row whose name is NULL. */
extern const struct report_writer report_writers[];

/* By name, or by the suffix of a file's name; NULL if there is none. */
const struct report_writer *report_writer_find(const char *name);
const struct report_writer *report_writer_for_file(const char *path);

int write_csv(const struct report *r, const struct report_style *style,
	      FILE *to);
int write_html(const struct report *r, const struct report_style *style,
	       FILE *to);
int write_json(const struct report *r, const struct report_style *style,
	       FILE *to);
int write_openmetrics(const struct report *r, const struct report_style *style,
		      FILE *to);
int write_text(const struct report *r, const struct report_style *style,
	       FILE *to);
int write_xml(const struct report *r, const struct report_style *style,
	      FILE *to);

#endif /* REPORT_WRITER_H */
