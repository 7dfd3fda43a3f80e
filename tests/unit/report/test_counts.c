/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counts of 64 bits stay what they are to the last digit, through every writer
 * and every reader, or are refused: the ones where doubles end, and random
 * ones.
 */
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/testing.h"

#include "base/strbuf.h"
#include "diff/compare.h"
#include "report/runfile.h"
#include "report/writer.h"
#include "taskfile/taskfile.h"
#include "view/view.h"
#include "write/html.h"

#define RANDOM_COUNTS 40

static char path[] = "/tmp/assay-counts-XXXXXX";

static int make_file(void **state)
{
	int fd = mkstemp(path);

	(void)state;
	return fd < 0 ? -1 : close(fd);
}

static int remove_file(void **state)
{
	(void)state;
	return unlink(path);
}

/* xorshift, from a fixed seed: of every length up to 63 bits. */
static int64_t random_count(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return (int64_t)(*seed >> (1 + (*seed & 15)));
}

static void for_each_count(void (*check)(int64_t count))
{
	static const int64_t edges[] = { 0,
					 (1LL << 53) - 1,
					 1LL << 53,
					 (1LL << 53) + 1,
					 (1LL << 62) + 1,
					 INT64_MAX };
	uint64_t seed = 0x9e3779b97f4a7c15;

	for (size_t i = 0; i < sizeof(edges) / sizeof(*edges); i++)
		check(edges[i]);
	for (int i = 0; i < RANDOM_COUNTS; i++)
		check(random_count(&seed));
}

static void fill(struct report *r, int64_t count, unsigned runs)
{
	static const char *const command[] = { "p", NULL };
	const long double values[] = { count, count, count };
	const struct report_event event = {
		.name = "EVENT",
		.text = "",
		.unit = "",
		.source = "sim",
		.number = report_number_of(values, runs),
		.error = NAN,
	};
	const struct report_thread thread = { 1, "" };

	*r = (struct report){ .command = command, .runs = runs };
	r->machine.cpu = r->machine.vendor = r->machine.kernel = "";
	r->pmu.kind = "sim";
	r->time.wall_s = r->time.user_s = r->time.system_s =
		report_number_of(values, 0);
	r->threads.asked = true;
	assert_int_equal(report_add_event(r, &event), 0);
	assert_int_equal(report_add_thread(r, &thread), 0);
	assert_int_equal(report_add_fold(r, &event, values), 0);
}

static char *written(const struct report *r, const struct format *format)
{
	const struct report_style style = { .width = 200 };
	char *text;
	size_t len;
	FILE *to = open_memstream(&text, &len);

	assert_int_equal(format_write(format, r, &style, to), 0);
	fclose(to);
	return text;
}

static void put(const char *text)
{
	FILE *to = fopen(path, "w");

	assert_non_null(to);
	assert_true(fputs(text, to) >= 0);
	assert_int_equal(fclose(to), 0);
}

static bool stands_in(const char *text, const char *digits)
{
	size_t n = strlen(digits);

	for (const char *at = strstr(text, digits); at;
	     at = strstr(at + 1, digits))
		if ((at == text || !isdigit(at[-1])) && !isdigit(at[n]))
			return true;
	return false;
}

/* Whether the number @digits stands in @text, as it is or in groups of three.
 * Takes the commas out of @text. */
static bool has_number(char *text, const char *digits)
{
	size_t used = 0;

	if (stands_in(text, digits))
		return true;
	for (const char *s = text; *s; s++)
		if (*s != ',')
			text[used++] = *s;
	text[used] = '\0';
	return stands_in(text, digits);
}

static void check_writers(int64_t count)
{
	char digits[24];
	struct report r;

	snprintf(digits, sizeof(digits), "%" PRId64, count);
	for (unsigned runs = 1; runs <= 3; runs += 2) {
		fill(&r, count, runs);
		for (const struct format *f = report_formats; f->name; f++) {
			char *text;

			if (format_is_hidden(report_formats, f) ||
			    (strcmp(f->name, "html") == 0 && html_missing()))
				continue;
			text = written(&r, f);
			if (!has_number(text, digits))
				fail_msg("%s loses %s", f->name, digits);
			free(text);
		}
		report_fini(&r);
	}
}

TEST(test_every_writer_has_all_digits)
{
	for_each_count(check_writers);
}

static const struct format *format_called(const char *name)
{
	const struct format *f = report_formats;

	while (strcmp(f->name, name) != 0)
		f++;
	return f;
}

/* Write a report of @count to the file. */
static void write_as(const char *format, int64_t count, unsigned runs)
{
	struct report r;
	char *text;

	fill(&r, count, runs);
	text = written(&r, format_called(format));
	put(text);
	free(text);
	report_fini(&r);
}

static long double value_in(const struct runfile *run, const char *name)
{
	for (size_t i = 0; i < run->n; i++)
		if (strcmp(run->values[i].name, name) == 0)
			return run->values[i].value;
	return NAN;
}

static void load(struct runfile *run)
{
	struct diag diag = { 0 };

	assert_int_equal(runfile_load(path, RUNFILE_TOTALS, run, &diag), 0);
}

static void check_readers(int64_t count)
{
	static const char *const formats[] = { "json", "xml" };

	for (size_t i = 0; i < 2; i++) {
		struct runfile run = { 0 };

		write_as(formats[i], count, 1);
		load(&run);
		assert_true(value_in(&run, "EVENT") == (long double)count);
		runfile_fini(&run);
	}
}

TEST(test_every_reader_has_all_digits)
{
	for_each_count(check_readers);
}

/* One more or one less is a difference, with repeated runs, too. */
static void check_diff(int64_t count)
{
	for (unsigned runs = 1; runs <= 3; runs += 2) {
		struct runfile a = { 0 }, b = { 0 };
		struct comparison c = { 0 };

		write_as("json", count, runs);
		load(&a);
		write_as("json", count == 0 ? 1 : count - 1, runs);
		load(&b);
		assert_int_equal(compare_runs(&a, &b, NULL, 0, &c), 0);
		assert_int_equal(c.n, 1);
		assert_int_equal(c.rows[0].result, COMPARE_DIFFERENT);
		comparison_fini(&c);
		runfile_fini(&a);
		runfile_fini(&b);
	}
}

TEST(test_diff_sees_the_last_digit)
{
	for_each_count(check_diff);
}

struct seen {
	long double value;
	char *reason;
};

static int take_section(void *context, const struct task_section *section)
{
	struct seen *seen = context;

	for (size_t i = 0; i < section->n; i++)
		if (strcmp(section->data[i].name, "EVENT") == 0) {
			seen->value = section->data[i].value;
			free(seen->reason);
			seen->reason = section->data[i].reason
					       ? strdup(section->data[i].reason)
					       : NULL;
		}
	return 0;
}

/* The sum of the file with itself: to the last digit, or none with a reason. */
static void check_merge(int64_t count)
{
	static const char *const formats[] = { "json", "xml" };

	for (size_t i = 0; i < 2; i++) {
		struct seen seen = { NAN, NULL };
		struct taskfile_sink sink = { .context = &seen,
					      .section = take_section };
		struct taskfile_merge *merge;
		struct diag diag = { 0 };

		write_as(formats[i], count, 1);
		assert_int_equal(taskfile_merge_new(&merge), 0);
		for (int k = 0; k < 2; k++)
			assert_int_equal(taskfile_merge_add(merge, path, &diag),
					 0);
		assert_int_equal(taskfile_merge_give(merge, &sink), 0);
		taskfile_merge_free(merge);
		if (count <= INT64_MAX / 2)
			assert_true(seen.value == 2 * (long double)count);
		else
			assert_true(isnan(seen.value) && seen.reason);
		free(seen.reason);
	}
}

TEST(test_sums_have_all_digits_or_a_reason)
{
	for_each_count(check_merge);
}

/* For a browser: a string where a double would lose digits. */
static void check_view(int64_t count)
{
	struct view v = { 0 };
	struct diag diag = { 0 };
	char *text, *rows, wanted[32];
	size_t len;
	FILE *to = open_memstream(&text, &len);
	FILE *more = open_memstream(&rows, &len);

	snprintf(wanted, sizeof(wanted),
		 count > 1LL << 53 ? "\"%" PRId64 "\"" : " %" PRId64 " ",
		 count);
	write_as("json", count, 1);
	assert_int_equal(view_add_file(&v, path, &diag), 0);
	assert_int_equal(view_complete(&v), 0);
	assert_int_equal(view_write_json(&v, to), 0);
	assert_int_equal(view_write_rows(&v, 0, 0, more), 0);
	fclose(to);
	fclose(more);
	if (!strstr(text, wanted) || !strstr(rows, wanted))
		fail_msg("%s is not in %s or %s", wanted, text, rows);
	free(text);
	free(rows);
	view_fini(&v);
}

TEST(test_the_viewer_gets_all_digits)
{
	for_each_count(check_view);
}

/* PAPI writes numbers of regions as strings. */
static void check_regions(int64_t count)
{
	struct runfile run = { 0 };
	char *text =
		str_format("{\"threads\": {\"0\": {\"regions\": {\"0\": "
			   "{\"name\": \"r\", \"EVENT\": \"%" PRId64 "\"}}}}}",
			   count);

	put(text);
	load(&run);
	assert_true(value_in(&run, "EVENT") == (long double)count);
	runfile_fini(&run);
	free(text);
}

TEST(test_regions_have_all_digits)
{
	for_each_count(check_regions);
}

TEST(test_more_than_64_bits_are_refused)
{
	static const char *const files[] = {
		"<hpm version=\"1\" program=\"p\" task=\"0\" pmu=\"sim\">"
		"<InstrumentationPt lid=\"1\" label=\"l\" file=\"\" id=\"1\" "
		"kind=\"process\"><data name=\"EVENT\" "
		"value=\"18446744073709551616\"/></InstrumentationPt></hpm>",
		"{\"assay\": 1, \"command\": [\"p\"], \"events\": [{\"name\": "
		"\"EVENT\", \"value\": 18446744073709551616}]}",
		"{\"threads\": {\"0\": {\"regions\": {\"0\": {\"name\": \"r\", "
		"\"EVENT\": \"18446744073709551616\"}}}}}",
	};

	for (size_t i = 0; i < 3; i++) {
		struct runfile run = { 0 };
		struct diag diag = { 0 };

		put(files[i]);
		assert_int_equal(
			runfile_load(path, RUNFILE_TOTALS, &run, &diag),
			PAPI_EINVAL);
		assert_non_null(strstr(diag.text, "64 bits"));
	}
}

RUN_ALL_TESTS_WITH(make_file, remove_file)
