/* SPDX-License-Identifier: BSD-3-Clause */
/* Bundles made, and what they brought back taken in. */

#include "bundle/bundle.h"

#include <errno.h>
#include <papi.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "bundle/foreign.h"
#include "console/console.h"
#include "process/process.h"

static const struct companion program = {
	.build = "static/bundle",
	.installed = "bundle",
	.variable = "ASSAY_BUNDLE",
	.mode = R_OK,
	.missing = "the program that bundles are made of is missing: it "
		   "should be in libexec/ beside this command, and is built "
		   "where the archive of libpfm4 is",
};

static const struct companion gpu_program = {
	.build = "static/bundle-gpu",
	.installed = "bundle-gpu",
	.variable = "ASSAY_BUNDLE_GPU",
	.mode = R_OK,
	.missing = "the program that counts on GPUs from a bundle is missing: "
		   "it should be in libexec/ beside this command",
};

static int read_program(const struct console *console,
			const struct companion *companion, char **bytes,
			size_t *n)
{
	struct diag diag = { .text = "" };
	OWNED char *path = companion_find(companion, &diag);
	int err = path ? file_read(path, bytes, n, &diag) : PAPI_ESYS;

	if (err)
		say_error(console, "%s", diag.text);
	return err ? CMD_FAILED : 0;
}

static int make_executable(const char *path)
{
	mode_t mask = umask(0);

	umask(mask);
	return chmod(path, 0777 & ~mask);
}

static int write_bundle(const struct console *console,
			const struct request *request, const char *path,
			const char *bytes[2], const size_t sizes[2])
{
	struct diag diag = { .text = "" };
	struct outfile *file;

	if (!outfile_open(path, &file, &diag)) {
		FILE *to = outfile_stream(file);

		if (fwrite(bytes[0], 1, sizes[0], to) != sizes[0] ||
		    request_write(request, bytes[1], sizes[1], to)) {
			diag_fail(&diag, PAPI_ESYS, "%s", strerror(errno));
			outfile_abort(file);
		} else if (!outfile_commit(file, &diag) &&
			   !make_executable(path)) {
			return 0;
		}
	}
	return say_failure(console, "cannot write '%s': %s", path,
			   *diag.text ? diag.text : strerror(errno));
}

int bundle_pack(const struct console *console, const struct request *request,
		const char *path)
{
	char *bytes[2] = { NULL, NULL };
	size_t sizes[2] = { 0, 0 };
	int status = read_program(console, &program, &bytes[0], &sizes[0]);

	if (!status && request->gpu)
		status = read_program(console, &gpu_program, &bytes[1],
				      &sizes[1]);
	if (!status)
		status = write_bundle(console, request, path,
				      (const char *[]){ bytes[0], bytes[1] },
				      sizes);
	free(bytes[0]);
	free(bytes[1]);
	return status;
}

/* The text of a file of counts, or of others' files that are made one. */
static int read_counts(const char *path, char **text, size_t *n,
		       struct diag *diag)
{
	STRBUF(made);
	struct stat what;
	bool folder = !stat(path, &what) && S_ISDIR(what.st_mode);
	int err = folder ? 0 : file_read(path, text, n, diag);

	if (err || (!folder && !perf_is(*text)))
		return err;
	err = folder ? foreign_read(path, &made, diag)
		     : perf_read(*text, &made, diag);
	if (!folder)
		free(*text);
	*n = made.len;
	*text = err ? NULL : strbuf_take(&made);
	if (!err && !*text)
		err = diag_fail(diag, PAPI_ENOMEM, "out of memory");
	return err;
}

int bundle_unpack(const struct console *console, const char *path,
		  struct bundle *bundle)
{
	struct diag diag = { .text = "" };
	struct counts *c = &bundle->counts;
	OWNED char *text = NULL;
	size_t n;
	int err = read_counts(path, &text, &n, &diag);

	if (err)
		return say_failure(console, "%s", diag.text);
	err = counts_parse(text, n, c, &diag);
	if (err)
		return say_failure(console, "cannot unpack '%s': %s", path,
				   diag.text);
	if (classify_plan_units(&bundle->plan, &c->machine, c->units,
				c->n_units)) {
		counts_fini(c);
		return say_no_memory(console);
	}
	say_note(console, "counted on %s (%s)", c->cpu, c->where);
	if (c->left_out)
		say_note(console,
			 "kernels that are unknown here or count something "
			 "else: left out %s",
			 c->left_out);
	return 0;
}

void bundle_fini(struct bundle *bundle)
{
	classify_plan_fini(&bundle->plan);
	counts_fini(&bundle->counts);
}
