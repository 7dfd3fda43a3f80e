/* SPDX-License-Identifier: BSD-3-Clause */
/* Profiles: read, written again, and refused when they are wrong. */
#include "testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "profile/profile.h"

#define TWO FIXTURES "/profile/two.json"

static char *written(const struct profile *p)
{
	char *text = NULL;
	size_t n = 0;
	FILE *to = open_memstream(&text, &n);

	assert_int_equal(profile_write_json(p, NULL, to), 0);
	fclose(to);
	return text;
}

static void test_reads_what_it_writes(void **state)
{
	struct profile p, again;
	struct diag diag = { .text = "" };
	char *first, *second;

	(void)state;
	assert_int_equal(profile_read(TWO, &p, &diag), 0);
	assert_int_equal(p.n_functions, 9);
	assert_int_equal(p.locations[2].n, 2);
	assert_int_equal(p.stacks[6].caller, 4);
	assert_true(p.stacks[0].caller == PROFILE_NONE);
	assert_true(p.functions[3].inlined);
	assert_int_equal(p.events[1].samples, 61);
	first = written(&p);
	assert_true(profile_is_one(first));
	assert_int_equal(profile_parse(first, "again", &again, &diag), 0);
	second = written(&again);
	assert_string_equal(first, second);
	free(first);
	free(second);
	profile_fini(&p);
	profile_fini(&again);
}

/* The fixture with one piece replaced must be refused, for this reason. */
static const struct {
	int line;
	const char *from, *to, *why;
} wrong[] = {
	{ __LINE__, "\"assay_profile\": 1", "\"assay_profile\": 2",
	  "another version" },
	{ __LINE__, "\"assay_profile\"", "\"profile\"", "not a profile" },
	{ __LINE__, "\"period\": 500", "\"period\": 0", "period" },
	{ __LINE__, "\"period\": 500", "\"period\": -1", "out of range" },
	{ __LINE__, "\"stack\": 10", "\"stack\": 11", "does not exist" },
	{ __LINE__, "\"stack\": 10", "\"stack\": null", "missing" },
	{ __LINE__, "\"thread\": 1", "\"thread\": 2", "does not exist" },
	{ __LINE__, "\"object\": 4", "\"object\": 5", "does not exist" },
	{ __LINE__, "\"name\": \"main\"", "\"name\": \"\"", "a name" },
	{ __LINE__, "\"threads\":", "\"no\":", "no table 'threads'" },
	{ __LINE__, "\"lost\": 0", "\"lost\": 1e300", "out of range" },
	{ __LINE__, "}", "]", "the end is missing" },
};

static char *replaced(const char *text, const char *from, const char *to)
{
	const char *at = strstr(text, from);
	char *out = malloc(strlen(text) + strlen(to) + 1);

	assert_non_null(at);
	assert_non_null(out);
	memcpy(out, text, (size_t)(at - text));
	strcpy(out + (at - text), to);
	strcat(out, at + strlen(from));
	return out;
}

static void test_refuses_rows_that_are_not_there(void **state)
{
	size_t len;
	char *text;

	(void)state;
	assert_int_equal(file_read(TWO, &text, &len, NULL), 0);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		char *bad = replaced(text, wrong[i].from, wrong[i].to);
		struct diag diag = { .text = "" };
		struct profile p;

		CHECK_AT(wrong[i].line,
			 profile_parse(bad, "bad", &p, &diag) == PAPI_EINVAL);
		CHECK_AT(wrong[i].line, strstr(diag.text, wrong[i].why));
		free(bad);
	}
	free(text);
}

static void test_longest_suffix_decides(void **state)
{
	(void)state;
	assert_string_equal(format_for_file(profile_formats, "x/a.json")->name,
			    "json");
	assert_null(format_for_file(profile_formats, ".json"));
	assert_null(format_for_file(profile_formats, "a.odd"));
	assert_null(format_find(profile_formats, "odd"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reads_what_it_writes),
		cmocka_unit_test(test_refuses_rows_that_are_not_there),
		cmocka_unit_test(test_longest_suffix_decides),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
