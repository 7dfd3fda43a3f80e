/* SPDX-License-Identifier: BSD-3-Clause */
/* Output streams and files of the command. */

#include "console/output.h"

#include <errno.h>
#include <string.h>

#include "base/file.h"
#include "base/strbuf.h"
#include "console/nearest.h"
#include "console/say.h"
#include "console/terminal.h"
#include "write/html.h"

static bool is_stdout(const char *path)
{
	return strcmp(path, "-") == 0;
}

static const struct report_writer *by_name(const struct console *console,
					   const char *name)
{
	const struct report_writer *w = report_writer_find(name);
	struct strbuf all = { 0 };

	if (w)
		return w;
	for (w = report_writers; w->name; w++)
		strbuf_addf(&all, "%s%s", w == report_writers ? "" : ", ",
			    w->name);
	say_error(console, "there is no format '%s'; there are %s", name,
		  strbuf_text(&all));
	strbuf_fini(&all);
	return NULL;
}

const struct report_writer *output_writer(const struct output *output)
{
	const char *slash, *name, *dot;

	if (output->format)
		return by_name(output->console, output->format);
	if (!output->path || is_stdout(output->path))
		return report_writer_find("text");

	slash = strrchr(output->path, '/');
	name = slash ? slash + 1 : output->path;
	dot = strrchr(name, '.');
	if (!dot || dot == name)
		return report_writer_find("text");
	if (report_writer_for_file(name))
		return report_writer_for_file(name);
	say_error(output->console,
		  "no format writes files that end in '%s'; name one "
		  "with --format",
		  dot);
	return NULL;
}

int output_check(const struct output *output, const char *path)
{
	struct diag diag = { .text = "" };

	if (!path || is_stdout(path) || outfile_check(path, &diag) == 0)
		return 0;
	say_error(output->console, "%s", diag.text);
	return CMD_FAILED;
}

static const char *why(int err)
{
	if (err == PAPI_ENOSUPP && html_missing())
		return html_missing();
	return strerror(errno);
}

static int write_file(const struct output *output, output_fn write,
		      const void *what)
{
	struct outfile *file;
	struct diag diag = { 0 };
	struct report_style style;
	int err;

	if (outfile_open(output->path, &file, &diag)) {
		say_error(output->console, "%s", diag.text);
		return CMD_FAILED;
	}
	style = terminal_style(output->console, outfile_stream(file));
	err = write(what, &style, outfile_stream(file));
	if (err) {
		say_error(output->console, "cannot write %s: %s", output->path,
			  why(err));
		outfile_abort(file);
		return CMD_FAILED;
	}
	if (outfile_commit(file, &diag)) {
		say_error(output->console, "%s", diag.text);
		return CMD_FAILED;
	}
	return CMD_OK;
}

int output_write(const struct output *output, output_fn write, const void *what,
		 FILE *otherwise, int status)
{
	struct report_style style;
	FILE *to = otherwise;
	int err;

	if (output->path && !is_stdout(output->path)) {
		int failed = write_file(output, write, what);

		return failed ? failed : status;
	}
	if (output->path)
		to = stdout;
	style = terminal_style(output->console, to);
	err = write(what, &style, to);
	if (err || fflush(to)) {
		say_error(output->console, "cannot write the result: %s",
			  why(err));
		return CMD_FAILED;
	}
	return status;
}

struct report_and_writer {
	const struct report *report;
	const struct report_writer *writer;
};

static int write_report(const void *what, const struct report_style *style,
			FILE *to)
{
	const struct report_and_writer *both = what;

	return both->writer->write(both->report, style, to);
}

int output_report(const struct output *output,
		  const struct report_writer *writer,
		  const struct report *report, int status)
{
	struct report_and_writer both = { report, writer };

	return output_write(output, write_report, &both, stderr, status);
}
