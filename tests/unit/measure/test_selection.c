/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists and files of events as users write them. */
#include "tests/unit/testing.h"

#include <papi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "measure/metrics.h"

/* The names of @s with one blank between, to be freed. */
static char *joined(const struct selection *s)
{
	char *text;
	size_t n;
	FILE *to = open_memstream(&text, &n);

	assert_non_null(to);
	for (size_t i = 0; i < s->n; i++)
		fprintf(to, "%s%s", i ? " " : "", s->names[i]);
	fclose(to);
	return text;
}

TEST(test_lists_are_split_at_commas)
{
	static const struct {
		int line;
		const char *list;
		const char *names;
	} rows[] = {
		{ __LINE__, "a", "a" },
		{ __LINE__, "a,b,c", "a b c" },
		{ __LINE__, " a , b ", "a b" },
		{ __LINE__, "a,b,a", "a b" },
		{ __LINE__, "cpu/event=0x3c,umask=0/,b",
		  "cpu/event=0x3c,umask=0/ b" },
		{ __LINE__, "cpu/event=0x3c,umask=0",
		  "cpu/event=0x3c,umask=0" },
		{ __LINE__, "perf::X:u,r003c", "perf::X:u r003c" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct selection s = { 0 };
		char *names;

		CHECK_AT(rows[i].line,
			 selection_add_list(&s, rows[i].list) == 0);
		names = joined(&s);
		CHECK_AT(rows[i].line, strcmp(names, rows[i].names) == 0);
		free(names);
		selection_fini(&s);
	}
}

TEST(test_empty_names_are_refused)
{
	static const char *const lists[] = { "",     ",",     "a,", ",a",
					     "a,,b", "a, ,b", " " };

	for (size_t i = 0; i < ARRAY_SIZE(lists); i++) {
		struct selection s = { 0 };

		assert_int_equal(selection_add_list(&s, lists[i]), PAPI_EINVAL);
		selection_fini(&s);
	}
}

TEST(test_files_have_comments_and_blank_lines)
{
	char path[] = "/tmp/test-selection-XXXXXX";
	int fd = mkstemp(path);
	struct selection s = { 0 };
	FILE *file = fdopen(fd, "w");
	struct diag diag = { .text = "" };
	char *names;

	assert_non_null(file);
	fputs("# events\n\nPAPI_TOT_INS # the first\n a,b \n", file);
	fclose(file);
	assert_int_equal(selection_add_file(&s, path, NULL), 0);
	names = joined(&s);
	assert_string_equal(names, "PAPI_TOT_INS a b");
	free(names);
	selection_fini(&s);
	unlink(path);
	assert_int_equal(selection_add_file(&s, path, &diag), PAPI_ESYS);
	assert_non_null(strstr(diag.text, path));
}

/* What names nothing is not to be taken for the usual events. */
TEST(test_files_without_events_are_refused)
{
	static const struct {
		const char *path, *why;
	} cases[] = {
		{ "/dev/null", "names no event" },
		{ "/dev/zero", "larger" },
		{ "/tmp", "directory" },
	};
	struct diag diag = { .text = "" };
	struct selection s = { 0 };

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		assert_true(selection_add_file(&s, cases[i].path, &diag) < 0);
		assert_non_null(strstr(diag.text, cases[i].why));
		assert_int_equal(s.n, 0);
	}
}

TEST(test_usual_events_differ_without_a_pmu)
{
	struct selection with = { 0 }, without = { 0 };

	assert_int_equal(selection_add_usual(&with, USUAL_ALL), 0);
	assert_int_equal(selection_add_usual(&without, USUAL_SOFTWARE), 0);
	assert_true(with.n > without.n);
	assert_string_equal(without.names[0], "PAPI_TOT_CYC");
	assert_string_equal(without.names[without.n - 1], "page-faults");
	selection_fini(&with);
	selection_fini(&without);
}

RUN_ALL_TESTS
