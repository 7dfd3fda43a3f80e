/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Formats of reports. One that all verbs are to have is made in src/write
 * (document.h) from report_describe(); one for reports alone is a write_NAME()
 * and a row in writer.c.
 */
#pragma once

#include <stdio.h>

#include "report/report.h"
#include "write/format.h"

extern const struct format report_formats[];

/* @report is a struct report. */
int report_describe(const void *report, struct json *j);
int write_csv(const void *report, const struct report_style *style, FILE *to);
int write_html(const void *report, const struct report_style *style, FILE *to);
int write_openmetrics(const void *report, const struct report_style *style,
		      FILE *to);
int write_text(const void *report, const struct report_style *style, FILE *to);
int write_xml(const void *report, const struct report_style *style, FILE *to);
