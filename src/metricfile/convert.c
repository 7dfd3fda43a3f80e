/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * assay metrics convert: text, XML, and the metrics of other tools. What is
 * written was read again first, so a file that comes out is one that goes in.
 */

#include <papi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "console/console.h"
#include "metric/convert.h"
#include "metric/import.h"
#include "metricfile/metricfile.h"

typedef int (*import_fn)(const char *text, struct strbuf *out,
			 struct import_counts *counts, struct diag *diag);

static bool begins_line(const char *text, const char *word)
{
	size_t n = strlen(word);

	for (; text; text = strchr(text, '\n')) {
		text += *text == '\n';
		if (strncmp(text, word, n) == 0)
			return true;
	}
	return false;
}

/* Whose file this is, by what it begins with; NULL: ours. */
static import_fn importer_for(const char *text)
{
	char first = text[strspn(text, " \t\r\n")];

	if (first == '[' || first == '{')
		return import_json;
	if (begins_line(text, "EVENTSET") && begins_line(text, "METRICS"))
		return import_likwid;
	return NULL;
}

/* Other tools' metrics become text in the place of *@text. */
static int import(const struct metrics_call *call, const char *path,
		  char **text, size_t *length, struct diag *diag)
{
	import_fn take = importer_for(*text);
	struct import_counts counts = { 0 };
	STRBUF(out);
	int err;

	if (!take)
		return 0;
	err = take(*text, &out, &counts, diag);
	if (!err && out.failed)
		err = diag_fail(diag, PAPI_ENOMEM, "out of memory");
	if (err) {
		diag->file = path;
		return err;
	}
	say_note(call->console,
		 "%s: %zu metrics converted, %zu kept as comments", path,
		 counts.taken, counts.left);
	free(*text);
	*length = out.len;
	*text = strbuf_take(&out);
	return *text ? 0 : diag_fail(diag, PAPI_ENOMEM, "out of memory");
}

static int read_any(const struct metrics_call *call, const char *path,
		    struct defs **defs)
{
	struct diag diag = { .text = "" };
	char *text = NULL;
	size_t length;
	int status = CMD_OK;
	int err = file_read(path, &text, &length, &diag);

	if (!err)
		err = import(call, path, &text, &length, &diag);
	if (!err)
		err = convert_parse(path, text, length, defs, &diag);
	if (err)
		status = metrics_say_fault(call->console, err, text, &diag);
	free(text);
	return status;
}

static bool has_suffix(const char *path, const char *suffix)
{
	size_t n = strlen(path), k = strlen(suffix);

	return n > k && strcmp(path + n - k, suffix) == 0;
}

/* 1 for XML, 0 for text, or -1 after a message. */
static int wants_xml(const struct metrics_call *call, const char *path)
{
	if (call->output.format) {
		if (strcmp(call->output.format, "xml") == 0)
			return 1;
		if (strcmp(call->output.format, "text") == 0)
			return 0;
		say_error(call->console,
			  "cannot convert to %s; formats: text, xml",
			  call->output.format);
		return -1;
	}
	if (has_suffix(path, ".xml"))
		return 1;
	if (has_suffix(path, ".txt") || has_suffix(path, ".csv") ||
	    strcmp(path, "-") == 0)
		return 0;
	say_error(call->console,
		  "'%s' does not end in .txt or .xml; name the format with "
		  "--format",
		  path);
	return -1;
}

static int put_text(const void *what, const struct report_style *style,
		    FILE *to)
{
	const struct strbuf *text = what;

	(void)style;
	fwrite(strbuf_text(text), 1, text->len, to);
	return ferror(to) ? PAPI_ESYS : 0;
}

/* OUT, as an argument or with -o; NULL after a message. */
static const char *output_path(const struct metrics_call *call, int argc,
			       char **argv)
{
	if (argc > 1 && call->output.path) {
		say_error(call->console,
			  "'%s' and -o %s both name the output; give one",
			  argv[1], call->output.path);
		return NULL;
	}
	if (argc > 1)
		return argv[1];
	if (!call->output.path && !call->output.format)
		say_error(call->console,
			  "no output given; usage: %s convert "
			  "IN OUT, or IN -o OUT",
			  call->console->as);
	else
		return call->output.path ? call->output.path : "-";
	return NULL;
}

int metrics_convert(const struct metrics_call *call, int argc, char **argv)
{
	const char *path = output_path(call, argc, argv);
	int xml = path ? wants_xml(call, path) : -1;
	struct diag diag = { .text = "" };
	STRBUF(out);
	struct defs *defs = NULL;
	int status;
	int err = 0;

	if (xml < 0)
		return CMD_USAGE;
	status = read_any(call, argv[0], &defs);
	if (status)
		return status;
	if (xml)
		err = convert_to_xml(defs, &out, &diag);
	else
		convert_to_text(defs, &out);
	if (!err && out.failed)
		err = diag_fail(&diag, PAPI_ENOMEM, "out of memory");
	if (err) {
		status = metrics_say_fault(call->console, err, NULL, &diag);
	} else {
		struct output output = call->output;

		output.path = path;
		status = output_write(&output, put_text, &out, stdout, CMD_OK);
	}
	defs_free(defs);
	return status;
}
