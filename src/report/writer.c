/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of output formats. */

#include "report/writer.h"

#include <string.h>

const struct report_writer report_writers[] = {
	{ "text", ".txt", write_text },
	{ "json", ".json", write_json },
	{ "csv", ".csv", write_csv },
	{ "openmetrics", ".om", write_openmetrics },
	{ "xml", ".xml", write_xml },
	{ "html", ".html", write_html },
	{ NULL, NULL, NULL },
};

const struct report_writer *report_writer_find(const char *name)
{
	for (const struct report_writer *w = report_writers; w->name; w++)
		if (strcmp(w->name, name) == 0)
			return w;
	return NULL;
}

const struct report_writer *report_writer_for_file(const char *path)
{
	size_t n = strlen(path);

	for (const struct report_writer *w = report_writers; w->name; w++) {
		size_t m = w->suffix ? strlen(w->suffix) : 0;

		if (m > 0 && n > m && strcmp(path + n - m, w->suffix) == 0)
			return w;
	}
	return NULL;
}
