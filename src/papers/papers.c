/* SPDX-License-Identifier: BSD-3-Clause */
/* Gates, tables and files of the papers that are made again. */

#include "papers/papers.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/file.h"
#include "console/console.h"

const struct paper *const paper_table[] = {
	&paper_papi,
	&paper_hpm,
	&paper_microbenchmarks,
	&paper_counter_inspection,
	&paper_user_events,
	NULL,
};

const char *machine_for(const struct papers_machine *machine, const char *usual)
{
	if (machine->model && strcmp(machine->replaces, usual) == 0)
		return machine->model;
	return usual;
}

void papers_add(struct papers *papers, const char *item,
		enum papers_verdict verdict, const char *format, ...)
{
	struct papers_item row = { .paper = papers->paper,
				   .verdict = verdict,
				   .item = strdup(item),
				   .source =
					   papers_source(papers->paper, item) };
	va_list args;

	va_start(args, format);
	if (vasprintf(&row.detail, format, args) < 0)
		row.detail = NULL;
	va_end(args);
	if (!row.item || !row.detail ||
	    array_grow(&papers->items, papers->n, sizeof(row))) {
		papers->failed = true;
		free(row.item);
		free(row.detail);
		return;
	}
	papers->items[papers->n++] = row;
}

void papers_print(struct papers *papers, const char *format, ...)
{
	char *text;
	va_list args;
	int n;

	va_start(args, format);
	n = vasprintf(&text, format, args);
	va_end(args);
	if (n < 0) {
		papers->failed = true;
		return;
	}
	strbuf_add(&papers->tables, text);
	free(text);
}

int papers_no_memory(const struct papers *papers)
{
	return say_no_memory(papers->console);
}

int papers_write(struct papers *papers, const char *name, const char *text)
{
	struct diag diag = { .text = "" };
	struct outfile *file = NULL;
	OWNED char *path = NULL;
	int err;

	if (!papers->folder)
		return 0;
	path = str_format("%s/%s", papers->folder, name);
	err = path ? outfile_open(path, &file, &diag) : PAPI_ENOMEM;
	if (!err) {
		fputs(text, outfile_stream(file));
		err = outfile_commit(file, &diag);
	}
	if (err)
		say_error(papers->console, "%s",
			  *diag.text ? diag.text : "out of memory");
	return err ? CMD_FAILED : 0;
}

size_t papers_failures(const struct papers *papers)
{
	size_t n = 0;

	for (size_t i = 0; i < papers->n; i++)
		n += papers->items[i].verdict == PAPERS_FAIL;
	return n;
}

void papers_fini(struct papers *papers)
{
	for (size_t i = 0; i < papers->n; i++) {
		free(papers->items[i].item);
		free(papers->items[i].detail);
	}
	free(papers->items);
	strbuf_fini(&papers->tables);
}
