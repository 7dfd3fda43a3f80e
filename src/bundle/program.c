/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The program that a bundle is (assay classify --pack): run on a machine, it
 * counts there what the bundle asks for and writes a file of counts. What is
 * finished goes to FILE.part at once, so that a run that was interrupted can
 * be taken up again; the file itself appears when all is there.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "base/file.h"
#include "bundle/bare.h"
#include "bundle/counts.h"
#include "bundle/drive.h"

#define DEFAULT_OUTPUT "assay-counts.txt"
#define STATUS_USAGE   2
#define STATUS_FAILED  125

/* The file of counts while it is written. */
struct counts_file {
	const char *path;
	char *part; /* its name until then; NULL: it has none */
	FILE *to;
	uint64_t hash; /* of all that was written */
	size_t resumed;
};

static int complain(const char *text)
{
	fprintf(stderr, "assay bundle: %s\n", text);
	return STATUS_FAILED;
}

static int complain_about(const char *what, const char *path)
{
	fprintf(stderr, "assay bundle: cannot %s '%s': %s\n", what, path,
		strerror(errno));
	return STATUS_FAILED;
}

static int add(struct counts_file *out, const char *text, size_t n)
{
	out->hash = request_hash(out->hash, text, n);
	if (fwrite(text, 1, n, out->to) == n && fflush(out->to) == 0)
		return 0;
	return complain_about("write", out->path);
}

/* Units and sets that a part of a file has; bytes that are whole lines. */
static size_t take_lines(struct drive *d, char *text)
{
	size_t n_sets = d->n_sets, units = d->plan.n_units;
	char *line = text, *end;

	for (; (end = strchr(line, '\n')); line = end + 1) {
		size_t unit, set = 0;
		bool all = line[0] == 'x';

		*end = '\0';
		if (!counts_is_whole(line) ||
		    (all ? sscanf(line, "x %zu", &unit) != 1
			 : sscanf(line, "c %zu %zu", &unit, &set) != 2) ||
		    unit >= units || set >= n_sets)
			break;
		*end = '\n';
		for (size_t s = 0; s < n_sets; s++)
			if (all || s == set)
				d->done[unit * n_sets + s] = true;
	}
	return (size_t)(line - text);
}

/* Go on with the part that is there. */
static int resume(struct counts_file *out, struct drive *d,
		  const struct strbuf *header, char *text)
{
	size_t whole;

	if (strncmp(text, header->text, header->len) != 0) {
		fprintf(stderr,
			"assay bundle: '%s' was started on another machine, "
			"with other events or by another bundle: remove it "
			"or name another file with -o\n",
			out->part);
		return STATUS_FAILED;
	}
	whole = header->len + take_lines(d, text + header->len);
	if (ftruncate(fileno(out->to), (off_t)whole) ||
	    fseeko(out->to, 0, SEEK_END))
		return complain_about("write", out->part);
	/* the cut line was changed, what is before it was not */
	out->hash = request_hash(HASH_START, text, whole);
	out->resumed = whole - header->len;
	return 0;
}

static int open_part(struct counts_file *out, struct drive *d,
		     const struct strbuf *header)
{
	struct diag diag = { .text = "" };
	OWNED char *text = NULL;
	size_t n = 0;
	int status, fd;

	if (asprintf(&out->part, "%s.part", out->path) < 0)
		return complain("out of memory");
	if (access(out->part, F_OK) == 0 &&
	    file_read(out->part, &text, &n, &diag))
		return complain(diag.text);
	fd = open(out->part, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
	out->to = fd < 0 ? NULL : fdopen(fd, "w");
	if (!out->to)
		status = complain_about("write", out->part);
	else if (n > 0)
		status = resume(out, d, header, text);
	else
		status = add(out, header->text, header->len);
	return status;
}

static int open_output(struct counts_file *out, struct drive *d)
{
	STRBUF(header);
	int status;

	out->hash = HASH_START;
	drive_header(d, &header);
	if (header.failed) {
		status = complain("out of memory");
	} else if (strcmp(out->path, "-") != 0) {
		status = open_part(out, d, &header);
	} else {
		out->to = tmpfile();
		status = out->to ? add(out, header.text, header.len)
				 : complain_about("create", "a temporary file");
	}
	return status;
}

/* Give standard output what was kept in a file without a name. */
static int copy_out(FILE *from)
{
	char buffer[4096];
	size_t n;

	rewind(from);
	while ((n = fread(buffer, 1, sizeof(buffer), from)) > 0)
		if (fwrite(buffer, 1, n, stdout) != n)
			return complain_about("write", "standard output");
	return fflush(stdout) ? complain_about("write", "standard output") : 0;
}

static int finish(struct counts_file *out)
{
	char line[32];
	int n = snprintf(line, sizeof(line), "end %016" PRIx64 "\n", out->hash);

	if (add(out, line, (size_t)n))
		return STATUS_FAILED;
	if (!out->part)
		return copy_out(out->to);
	if (fsync(fileno(out->to)) || rename(out->part, out->path))
		return complain_about("write", out->path);
	fprintf(stderr,
		"assay bundle: '%s' is complete: analyse it with "
		"assay classify --unpack %s\n",
		out->path, out->path);
	return 0;
}

/* Counting. */

static void show_progress(size_t done, size_t all)
{
	if (isatty(STDERR_FILENO))
		fprintf(stderr, "\r%zu of %zu %s", done, all,
			done == all ? "\n" : "");
}

static int count_one(struct counts_file *out, struct drive *d, size_t unit,
		     size_t set)
{
	struct diag diag = { .text = "" };
	STRBUF(lines);

	return drive_unit(d, unit, set, &lines, &diag)
		       ? complain(diag.text)
		       : add(out, strbuf_text(&lines), lines.len);
}

static bool is_done(const struct drive *d, size_t unit, size_t set)
{
	bool done = true;

	for (size_t s = 0; s < d->n_sets; s++)
		if (set == DRIVE_ALL || s == set)
			done = done && d->done[unit * d->n_sets + s];
	return done;
}

/*
 * A GPU takes longer to change from one set of events to another than for many
 * kernels, so there the sets are counted one after the other.
 */
static int count_all(struct counts_file *out, struct drive *d)
{
	size_t rounds = d->request->gpu ? d->n_sets : 1;
	size_t units = d->plan.n_units;
	int status = 0;

	for (size_t r = 0; !status && r < rounds; r++)
		for (size_t u = 0; !status && u < units; u++) {
			size_t set = d->request->gpu ? r : DRIVE_ALL;

			if (!is_done(d, u, set))
				status = count_one(out, d, u, set);
			show_progress(r * units + u + 1, rounds * units);
		}
	return status;
}

static int count(const struct request *request, const char *path)
{
	struct counts_file out = { .path = path };
	struct diag diag = { .text = "" };
	struct drive drive;
	int status = drive_start(&drive, request, &diag)
			     ? complain(diag.text)
			     : open_output(&out, &drive);

	if (!status && out.resumed)
		fprintf(stderr, "assay bundle: going on with '%s'\n", out.part);
	if (!status)
		status = count_all(&out, &drive);
	if (!status)
		status = finish(&out);
	if (out.to)
		fclose(out.to);
	free(out.part);
	drive_end(&drive);
	return status;
}

static int list_kernels(const struct request *request)
{
	struct diag diag = { .text = "" };

	return bare_list(request, stdout, &diag) ? complain(diag.text) : 0;
}

static int run_alone(const char *unit)
{
	struct diag diag = { .text = "" };

	return bare_run(unit, stdout, &diag) ? complain(diag.text) : 0;
}

static int usage(FILE *to, int status)
{
	fprintf(to,
		"usage: BUNDLE [-o FILE | --list | --run KERNEL]\n"
		"Count this machine's events while kernels run whose costs are "
		"known, and write the\ncounts to FILE (default: %s; -: "
		"standard output). Interrupted, it goes on\nwhere it was when "
		"it is started again. assay classify --unpack FILE analyses "
		"them.\n\n"
		"For those who count with perf stat: --list prints the "
		"kernels, a line each, and\n--run runs one of them and counts "
		"nothing:\n\n"
		"  BUNDLE --list | while read -r k; do\n"
		"    perf stat -x, -e cycles:u,instructions:u BUNDLE --run \"$k\"\n"
		"  done >FILE 2>&1\n",
		DEFAULT_OUTPUT);
	return status;
}

int main(int argc, char **argv)
{
	const char *path = DEFAULT_OUTPUT;
	struct diag diag = { .text = "" };
	struct request request;
	char *bytes = NULL;
	bool list = false;
	size_t n;
	int status;

	if (argc == 2 && strcmp(argv[1], "--help") == 0)
		return usage(stdout, 0);
	if (argc == 3 && strcmp(argv[1], "--run") == 0)
		return run_alone(argv[2]);
	if (argc == 2 && strcmp(argv[1], "--list") == 0)
		list = true;
	else if (argc == 3 && strcmp(argv[1], "-o") == 0 && *argv[2])
		path = argv[2];
	else if (argc != 1)
		return usage(stderr, STATUS_USAGE);
	signal(SIGPIPE, SIG_IGN);
	if (file_read("/proc/self/exe", &bytes, &n, &diag) &&
	    file_read((const char *)getauxval(AT_EXECFN), &bytes, &n, &diag))
		return complain(diag.text);
	status = request_read(bytes, n, &request, &diag) ? complain(diag.text)
		 : list ? list_kernels(&request)
			: count(&request, path);
	request_fini(&request);
	return status;
}
