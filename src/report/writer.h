/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Output formats. To add one: write write_NAME() in write_NAME.c, declare it
 * here and add its row to report_writers[] in writer.c.
 */
#ifndef REPORT_WRITER_H
#define REPORT_WRITER_H

#include <stdio.h>

#include "report/report.h"
#include "write/format.h"

extern const struct format report_formats[];

/* @report is a struct report. */
int write_csv(const void *report, const struct report_style *style, FILE *to);
int write_html(const void *report, const struct report_style *style, FILE *to);
int write_json(const void *report, const struct report_style *style, FILE *to);
int write_openmetrics(const void *report, const struct report_style *style,
		      FILE *to);
int write_text(const void *report, const struct report_style *style, FILE *to);
int write_xml(const void *report, const struct report_style *style, FILE *to);

#endif /* REPORT_WRITER_H */
