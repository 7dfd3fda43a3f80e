/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What PAPI's Counter Analysis Toolkit (cat_collect) has measured, as a file of
 * counts: a directory of files EVENT.branch and EVENT.vec. Of the first, each
 * has what the event counts in an iteration of eleven kernels, a number a line,
 * rounded to a quarter: the kernels are the 2018 paper's, and so are ours of
 * these names. Of the second, each line has how many vector instructions a loop
 * of a million iterations has, and what the event counted in them.
 */
#include <inttypes.h>
#include <math.h>
#include <papi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/fs.h"
#include "bundle/counts.h"
#include "bundle/foreign.h"
#include "bundle/request.h"

/* In the order of the lines. */
static const char *const branches[] = {
	"branch/1",  "branch/2",  "branch/3", "branch/4",
	"branch/4a", "branch/4b", "branch/5", "branch/5a",
	"branch/5b", "branch/6",  "branch/7",
};
#define BRANCHES ARRAY_SIZE(branches)

/* Iterations of a count that stands for each: its quarters are whole. */
#define TIMES 4096

/* Of vectors: without and with multiply-adds, half, single and double
 * precision, up to three widths, three lengths. */
#define LENGTHS     3
#define WIDTHS      3
#define PRECISIONS  3
#define SERIES      2
#define VEC_LINES   (LENGTHS * WIDTHS * PRECISIONS * SERIES)
#define VEC_TURNS   1000000
#define LINES       (BRANCHES + VEC_LINES)
#define KERNEL_NAME 24

struct cat_event {
	char *name;
	double counts[LINES]; /* of each unit; NaN: none */
};

struct cat {
	const struct fs *fs;
	struct cat_event *events;
	size_t n;
};

/* Vector instructions in a turn of the loop that line @v is about. */
static unsigned vec_instructions(size_t v)
{
	return (v / (VEC_LINES / SERIES) ? 12u : 24u) << v % LENGTHS;
}

/* The kernel of a line, as if all widths were there; false: half precision,
 * which on x86 is not run and elsewhere not known here. */
static bool name_kernel(size_t line, char name[KERNEL_NAME])
{
	static const char *const widths[WIDTHS] = { "128", "256", "512" };
	size_t v = line - BRANCHES;
	size_t precision = v / (LENGTHS * WIDTHS) % PRECISIONS;

	if (line < BRANCHES) {
		snprintf(name, KERNEL_NAME, "%s", branches[line]);
		return true;
	}
	snprintf(name, KERNEL_NAME, "cat/%c%s%s", precision == 2 ? 'd' : 's',
		 widths[v / LENGTHS % WIDTHS],
		 v / (VEC_LINES / SERIES) ? "/fma" : "");
	return precision > 0;
}

static uint64_t times_of(size_t line)
{
	if (line < BRANCHES)
		return TIMES;
	return (uint64_t)vec_instructions(line - BRANCHES) * VEC_TURNS;
}

/* The numbers of a file: @n of them, if it has that many at most and nothing
 * else. */
static bool read_numbers(const struct fs *fs, const char *file, double *numbers,
			 size_t most, size_t *n)
{
	OWNED char *text = fs_read(fs, file);
	const char *at = text;
	char *end;

	*n = 0;
	if (!text)
		return false;
	for (; *n < most; at = end) {
		double number = strtod(at, &end);

		if (end == at)
			break;
		if (!(fabs(number) < 1e15))
			return false;
		numbers[(*n)++] = number;
	}
	return at[strspn(at, " \t\r\n")] == '\0';
}

static int read_branch(const struct fs *fs, const char *file,
		       struct cat_event *event, struct diag *diag)
{
	double numbers[BRANCHES];
	size_t n;

	if (!read_numbers(fs, file, numbers, BRANCHES, &n) || n < BRANCHES)
		return diag_fail(diag, PAPI_EINVAL,
				 "'%s' is not %zu lines with a number each, as "
				 "cat_collect -branch writes",
				 file, BRANCHES);
	for (size_t i = 0; i < BRANCHES; i++)
		event->counts[i] = numbers[i] * TIMES;
	return 0;
}

/* Where line @v of all widths is in a file that has @widths of them; or the
 * number of its lines. */
static size_t line_of(size_t v, size_t widths)
{
	size_t block = v / (LENGTHS * WIDTHS), rest = v % (LENGTHS * WIDTHS);

	return rest < LENGTHS * widths ? block * LENGTHS * widths + rest
				       : LENGTHS * widths * PRECISIONS * SERIES;
}

static int read_vec(const struct fs *fs, const char *file,
		    struct cat_event *event, struct diag *diag)
{
	double numbers[2 * VEC_LINES];
	size_t n, lines, widths;
	bool fits = read_numbers(fs, file, numbers, 2 * VEC_LINES, &n);

	lines = n / 2;
	widths = lines * WIDTHS / VEC_LINES;
	fits &= widths > 0 && n == 2 * widths * VEC_LINES / WIDTHS;
	for (size_t v = 0; v < VEC_LINES && fits; v++) {
		size_t line = line_of(v, widths);

		if (line == lines)
			continue;
		fits = numbers[2 * line] == vec_instructions(v);
		event->counts[BRANCHES + v] = numbers[2 * line + 1];
	}
	return fits ? 0
		    : diag_fail(diag, PAPI_EINVAL,
				"'%s' is not what cat_collect -vec writes: 18 "
				"lines for each width of vectors, each with "
				"the number of instructions and a count",
				file);
}

static const struct {
	const char *suffix;
	int (*read)(const struct fs *fs, const char *file,
		    struct cat_event *event, struct diag *diag);
} kinds[] = {
	{ ".branch", read_branch },
	{ ".vec", read_vec },
};

/* The event that the first @n bytes of @name name; a new one if need be. */
static struct cat_event *need_event(struct cat *cat, const char *name, size_t n)
{
	struct cat_event *event;

	for (size_t i = 0; i < cat->n; i++)
		if (strncmp(cat->events[i].name, name, n) == 0 &&
		    !cat->events[i].name[n])
			return &cat->events[i];
	if (array_grow(&cat->events, cat->n, sizeof(*cat->events)))
		return NULL;
	event = &cat->events[cat->n];
	event->name = strndup(name, n);
	for (size_t i = 0; i < LINES; i++)
		event->counts[i] = NAN;
	if (!event->name)
		return NULL;
	cat->n++;
	return event;
}

/* Other files are skipped. */
static int read_file(struct cat *cat, const char *file, struct diag *diag)
{
	size_t n = strlen(file);

	for (size_t k = 0; k < ARRAY_SIZE(kinds); k++) {
		size_t m = strlen(kinds[k].suffix);
		struct cat_event *event;

		if (n <= m || strcmp(file + n - m, kinds[k].suffix) != 0)
			continue;
		event = need_event(cat, file, n - m);
		return event ? kinds[k].read(cat->fs, file, event, diag)
			     : PAPI_ENOMEM;
	}
	return 0;
}

/* Whether some event has a count of @line. */
static bool is_counted(const struct cat *cat, size_t line)
{
	for (size_t i = 0; i < cat->n; i++)
		if (!isnan(cat->events[i].counts[line]))
			return true;
	return false;
}

static void put_head(struct strbuf *to, const struct cat *cat)
{
	const struct kernel_machine nothing = { .page_bytes = 4096 };

	strbuf_add(to, COUNTS_MAGIC
		   "assay none\nwhere by PAPI's cat_collect\ncpu another "
		   "machine\npmu hw 0 cat\n");
	counts_geometry(to, &nothing);
	strbuf_add(to, "repeats 1\n");
	for (size_t i = 0; i < cat->n; i++)
		strbuf_addf(to, "event %s\n", cat->events[i].name);
	strbuf_add(to, "set");
	for (size_t i = 0; i < cat->n; i++)
		strbuf_addf(to, " %zu", i);
	strbuf_add(to, "\n");
	for (size_t line = 0; line < LINES; line++) {
		char name[KERNEL_NAME];
		struct experiment_unit unit = {
			.point = { .times = times_of(line) },
		};

		if (!name_kernel(line, name) || !is_counted(cat, line))
			continue;
		unit.kernel = kernels_find(name);
		counts_unit(to, &unit, &nothing);
	}
	strbuf_add(to, "counts\n");
}

static void put_counts(struct strbuf *to, const struct cat *cat)
{
	char name[KERNEL_NAME];
	size_t unit = 0;

	for (size_t line = 0; line < LINES; line++) {
		if (!name_kernel(line, name) || !is_counted(cat, line))
			continue;
		strbuf_addf(to, "c %zu 0", unit++);
		for (size_t e = 0; e < cat->n; e++)
			if (isnan(cat->events[e].counts[line]))
				strbuf_add(to, " -");
			else
				strbuf_addf(to, " %.0f",
					    cat->events[e].counts[line]);
		strbuf_add(to, " .\n");
	}
}

void foreign_end(struct strbuf *to)
{
	strbuf_addf(to, "end %016" PRIx64 "\n",
		    request_hash(HASH_START, strbuf_text(to), to->len));
}

int foreign_read(const char *folder, struct strbuf *to, struct diag *diag)
{
	const struct fs fs = { .root = folder };
	struct cat cat = { .fs = &fs };
	char **names = NULL;
	size_t n = 0;
	int err = fs_list(&fs, "", &names, &n);

	for (size_t i = 0; i < n && !err; i++)
		err = read_file(&cat, names[i], diag);
	if (!err && cat.n == 0)
		err = diag_fail(diag, PAPI_EINVAL,
				"the directory has no files EVENT.branch or "
				"EVENT.vec of PAPI's cat_collect");
	if (!err) {
		put_head(to, &cat);
		put_counts(to, &cat);
		foreign_end(to);
	}
	fs_free_names(names, n);
	for (size_t i = 0; i < cat.n; i++)
		free(cat.events[i].name);
	free(cat.events);
	return !err && to->failed ? PAPI_ENOMEM : err;
}
