/* SPDX-License-Identifier: BSD-3-Clause */
/* assay metrics check: is a file of metrics well formed, and where not? */

#include <papi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "console/console.h"
#include "metric/convert.h"
#include "metricfile/metricfile.h"

/* Line @number of @text, and how long it is; NULL if there is none. */
static const char *line_of(const char *text, size_t number, size_t *length)
{
	for (; number > 1; number--) {
		text = strchr(text, '\n');
		if (!text)
			return NULL;
		text++;
	}
	*length = strcspn(text, "\r\n");
	return text;
}

#define SHOWN 160 /* bytes of a line */

/* The line, and a caret below the column; tabs stay tabs in both. */
static void show_place(const char *line, size_t length, size_t column)
{
	size_t from = 0;

	if (column > length + 1)
		column = length + 1;
	if (column > SHOWN)
		from = column - SHOWN / 2;
	if (length - from > SHOWN)
		length = from + SHOWN;
	fprintf(stderr, "  %.*s\n  ", (int)(length - from), line + from);
	for (size_t i = from; i + 1 < column; i++)
		if (((unsigned char)line[i] & 0xc0) != 0x80)
			putc(line[i] == '\t' ? '\t' : ' ', stderr);
	fputs("^\n", stderr);
}

int metrics_say_fault(const struct console *console, int err, const char *text,
		      const struct diag *diag)
{
	const char *line;
	size_t length;

	if (err == PAPI_ENOMEM || !diag->file || !diag->line) {
		say_error(console, "%s",
			  *diag->text ? diag->text : "out of memory");
		return err == PAPI_EINVAL ? CMD_USAGE : CMD_FAILED;
	}
	if (diag->column == 0) {
		fprintf(stderr, "%s:%zu: %s\n", diag->file, diag->line,
			diag->text);
		return CMD_USAGE;
	}
	fprintf(stderr, "%s:%zu:%zu: %s\n", diag->file, diag->line,
		diag->column, diag->text);
	line = text ? line_of(text, diag->line, &length) : NULL;
	if (line)
		show_place(line, length, diag->column);
	return CMD_USAGE;
}

/* The metrics for every PMU that the file names: none may use itself. */
static int check_sections(const struct defs *defs, struct diag *diag)
{
	struct metric_set *set = NULL;
	int err = metric_set_new(defs, NULL, &set, diag);

	metric_set_free(err ? NULL : set);
	for (size_t i = 0; !err && i < defs->n_sections; i++)
		for (size_t k = 0; !err && k < defs->sections[i].n; k++) {
			const char *cpus[] = { defs->sections[i].cpus[k],
					       NULL };

			err = metric_set_new(defs, cpus, &set, diag);
			metric_set_free(err ? NULL : set);
		}
	if (err && !diag->file)
		diag->file = defs->file;
	return err;
}

static void say_fine(const char *path, const struct defs *defs)
{
	printf("%s: %zu definition%s, %zu constant%s", path, defs->n,
	       defs->n == 1 ? "" : "s", defs->n_constants,
	       defs->n_constants == 1 ? "" : "s");
	if (defs->n_sections > 1)
		printf(", %zu section%s for certain PMUs", defs->n_sections - 1,
		       defs->n_sections == 2 ? "" : "s");
	putchar('\n');
}

static int check_file(const struct metrics_call *call, const char *path)
{
	struct diag diag = { .text = "" };
	struct defs *defs = NULL;
	OWNED char *text = NULL;
	size_t length;
	int status = CMD_OK;
	int err = file_read(path, &text, &length, &diag);

	if (!err)
		err = convert_parse(path, text, length, &defs, &diag);
	if (!err)
		err = check_sections(defs, &diag);
	if (err)
		status = metrics_say_fault(call->console, err, text, &diag);
	else if (!call->console->quiet)
		say_fine(path, defs);
	defs_free(defs);
	return status;
}

/* All are checked; the worst status counts. */
int metrics_check(const struct metrics_call *call, int argc, char **argv)
{
	int worst = CMD_OK;

	for (int i = 0; i < argc; i++) {
		int status = check_file(call, argv[i]);

		if (status > worst)
			worst = status;
	}
	return say_flush(call->console, worst);
}
