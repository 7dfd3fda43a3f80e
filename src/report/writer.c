/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of formats that reports are written in. */

#include "report/writer.h"

#include "write/document.h"

const struct format report_formats[] = {
	FORMAT("text", ".txt", write_text),
	FORMAT("csv", ".csv", write_csv),
	DATA_FORMATS(report_describe),
	FORMAT("openmetrics", ".om", write_openmetrics),
	FORMAT("xml", ".xml", write_xml),
	FORMAT("html", ".html", write_html),
	{ 0 },
};
