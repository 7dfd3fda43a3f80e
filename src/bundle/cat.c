/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What PAPI's Counter Analysis Toolkit (cat_collect -branch) has measured, as a
 * file of counts: a directory of files EVENT.branch, each of which has what the
 * event counts in an iteration of eleven kernels, a number a line, rounded to a
 * quarter. The kernels are the 2018 paper's, and so are ours of these names.
 */
#include <inttypes.h>
#include <math.h>
#include <papi.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/fs.h"
#include "bundle/counts.h"
#include "bundle/foreign.h"
#include "bundle/request.h"

#define SUFFIX ".branch"

/* In the order of the lines. */
static const char *const kernels[] = {
	"branch/1",  "branch/2",  "branch/3", "branch/4",
	"branch/4a", "branch/4b", "branch/5", "branch/5a",
	"branch/5b", "branch/6",  "branch/7",
};
#define KERNELS ARRAY_SIZE(kernels)

/* Iterations of a count that stands for each: its quarters are whole. */
#define TIMES 4096

static bool is_branch_file(const char *name)
{
	size_t n = strlen(name), m = strlen(SUFFIX);

	return n > m && strcmp(name + n - m, SUFFIX) == 0;
}

/* The numbers of one file; it has as many lines as there are kernels. */
static int read_numbers(const struct fs *fs, const char *name,
			double numbers[KERNELS], struct diag *diag)
{
	OWNED char *text = fs_read(fs, name);
	const char *at = text;
	size_t n = 0;
	char *end;

	for (; at && n < KERNELS; n++, at = end) {
		numbers[n] = strtod(at, &end);
		if (end == at || !(fabs(numbers[n]) < 1e12))
			break;
	}
	if (at && n == KERNELS)
		at += strspn(at, " \t\r\n");
	if (!at || n < KERNELS || *at) {
		diag_fail(diag, PAPI_EINVAL,
			  "'%s' is not %zu lines with a number each, as "
			  "cat_collect -branch writes",
			  name, KERNELS);
		return PAPI_EINVAL;
	}
	return 0;
}

static void put_head(struct strbuf *to, char *const *names, size_t n)
{
	const struct kernel_machine nothing = { .page_bytes = 4096 };
	size_t event = 0;

	strbuf_add(to, COUNTS_MAGIC
		   "assay none\nwhere by PAPI's cat_collect\ncpu another "
		   "machine\npmu hw 0 cat\n");
	counts_geometry(to, &nothing);
	strbuf_add(to, "repeats 1\n");
	for (size_t i = 0; i < n; i++)
		if (is_branch_file(names[i]))
			strbuf_addf(to, "event %.*s\n",
				    (int)(strlen(names[i]) - strlen(SUFFIX)),
				    names[i]);
	strbuf_add(to, "set");
	for (size_t i = 0; i < n; i++)
		if (is_branch_file(names[i]))
			strbuf_addf(to, " %zu", event++);
	strbuf_add(to, "\n");
	for (size_t k = 0; k < KERNELS; k++) {
		const struct experiment_unit unit = {
			.kernel = kernels_find(kernels[k]),
			.point = { .times = TIMES },
		};

		counts_unit(to, &unit, &nothing);
	}
	strbuf_add(to, "counts\n");
}

static int put_counts(struct strbuf *to, const struct fs *fs,
		      char *const *names, size_t n, struct diag *diag)
{
	double(*numbers)[KERNELS] = calloc(n + 1, sizeof(*numbers));
	size_t events = 0;
	int err = numbers ? 0 : PAPI_ENOMEM;

	for (size_t i = 0; i < n && !err; i++)
		if (is_branch_file(names[i]))
			err = read_numbers(fs, names[i], numbers[events++],
					   diag);
	for (size_t k = 0; k < KERNELS && !err; k++) {
		strbuf_addf(to, "c %zu 0", k);
		for (size_t e = 0; e < events; e++)
			strbuf_addf(to, " %.0f", numbers[e][k] * TIMES);
		strbuf_add(to, " .\n");
	}
	free(numbers);
	return err;
}

void foreign_end(struct strbuf *to)
{
	strbuf_addf(to, "end %016" PRIx64 "\n",
		    request_hash(HASH_START, strbuf_text(to), to->len));
}

int foreign_read(const char *folder, struct strbuf *to, struct diag *diag)
{
	const struct fs fs = { .root = folder };
	char **names = NULL;
	size_t n = 0, events = 0;
	int err = fs_list(&fs, "", &names, &n);

	for (size_t i = 0; i < n && !err; i++)
		events += is_branch_file(names[i]);
	if (!err && events == 0)
		err = diag_fail(diag, PAPI_EINVAL,
				"the directory has no files EVENT" SUFFIX
				" of PAPI's cat_collect");
	if (!err) {
		put_head(to, names, n);
		err = put_counts(to, &fs, names, n, diag);
	}
	fs_free_names(names, n);
	if (!err)
		foreign_end(to);
	return !err && to->failed ? PAPI_ENOMEM : err;
}
