/* SPDX-License-Identifier: BSD-3-Clause */
/* Output streams and files of the command. */

#include "console/console.h"

#include <errno.h>
#include <string.h>

#include "base/file.h"
#include "base/strbuf.h"
#include "write/html.h"

static bool is_stdout(const char *path)
{
	return strcmp(path, "-") == 0;
}

/* The last part of @path from its dot on; NULL: it has none. */
static const char *suffix_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	const char *dot = strrchr(name, '.');

	return dot && dot > name ? dot : NULL;
}

const struct format *output_format(const struct output *output,
				   const struct format *formats)
{
	bool to_file = output->path && !is_stdout(output->path);
	const char *asked = output->format;
	const struct format *f = formats;
	STRBUF(names);

	if (asked) {
		f = format_find(formats, asked);
	} else if (to_file) {
		f = format_for_file(formats, output->path);
		asked = suffix_of(output->path);
		if (!f && !asked)
			f = formats;
	}
	if (f)
		return f;
	format_add_names(formats, &names);
	say_error(output->console, "cannot write %s here; formats: %s", asked,
		  strbuf_text(&names));
	return NULL;
}

int output_check(const struct output *output, const char *path)
{
	struct diag diag = { .text = "" };

	if (!path || is_stdout(path) || outfile_check(path, &diag) == 0)
		return 0;
	return say_failure(output->console, "%s", diag.text);
}

static const char *why(int err)
{
	if (err == PAPI_ENOSUPP && html_missing())
		return html_missing();
	return strerror(errno);
}

static int write_file(const struct output *output, write_fn write,
		      const void *what)
{
	struct outfile *file;
	struct diag diag = { 0 };
	struct report_style style;
	int err;

	if (outfile_open(output->path, &file, &diag))
		return say_failure(output->console, "%s", diag.text);
	style = terminal_style(output->console, outfile_stream(file));
	err = write(what, &style, outfile_stream(file));
	if (err) {
		say_error(output->console, "cannot write %s: %s", output->path,
			  why(err));
		outfile_abort(file);
		return CMD_FAILED;
	}
	if (outfile_commit(file, &diag))
		return say_failure(output->console, "%s", diag.text);
	return CMD_OK;
}

int output_write(const struct output *output, write_fn write, const void *what,
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
	if (err || fflush(to))
		return say_failure(output->console,
				   "cannot write the result: %s", why(err));
	return status;
}

struct formatted {
	const struct format *format;
	const void *what;
};

static int write_formatted(const void *what, const struct report_style *style,
			   FILE *to)
{
	const struct formatted *f = what;

	return format_write(f->format, f->what, style, to);
}

int output_write_as(const struct output *output, const struct format *format,
		    const void *what, FILE *otherwise, int status)
{
	struct formatted f = { format, what };

	return output_write(output, write_formatted, &f, otherwise, status);
}
