/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rows of format tables found by name or suffix; files are opened by
 * console/output.c.
 */
#include "write/format.h"

#include <string.h>

/* Of rows with the same name or suffix, a verb's own writer is taken. */
static bool is_better(const struct format *row, const struct format *than)
{
	return !than || (row->write && !than->write);
}

const struct format *format_find(const struct format *formats, const char *name)
{
	const struct format *best = NULL;

	for (const struct format *f = formats; f->name; f++)
		if (strcmp(f->name, name) == 0 && is_better(f, best))
			best = f;
	return best;
}

/* Several suffixes may fit (".speedscope.json", ".json"): the longest does. */
const struct format *format_for_file(const struct format *formats,
				     const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	const struct format *best = NULL;
	size_t longest = 0;

	for (const struct format *f = formats; f->name; f++) {
		size_t n = f->suffix ? strlen(f->suffix) : 0;

		if (f->beginning &&
		    strncmp(name, f->beginning, strlen(f->beginning)) == 0)
			return f;
		if (n && strlen(name) > n &&
		    strcmp(name + strlen(name) - n, f->suffix) == 0 &&
		    (n > longest || (n == longest && is_better(f, best)))) {
			longest = n;
			best = f;
		}
	}
	return best;
}

int format_write(const struct format *format, const void *what,
		 const struct report_style *style, FILE *to)
{
	return format->write ? format->write(what, style, to)
			     : format->document(format->describe, what, to);
}

bool format_is_hidden(const struct format *formats, const struct format *row)
{
	return format_find(formats, row->name) != row;
}

void format_add_names(const struct format *formats, struct strbuf *names)
{
	for (const struct format *f = formats; f->name; f++)
		if (!format_is_hidden(formats, f))
			strbuf_addf(names, "%s%s", f == formats ? "" : ", ",
				    f->name);
}
