/* SPDX-License-Identifier: BSD-3-Clause */
/* One description, read back as JSON and as CSV. */
#include "tests/unit/testing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/err.h"
#include "write/csv.h"
#include "write/document.h"
#include "write/html.h"

static char *written(document_fn document, describe_fn describe, int expected)
{
	char *text = NULL;
	size_t n = 0;
	FILE *to = open_memstream(&text, &n);

	assert_non_null(to);
	assert_int_equal(document(describe, NULL, to), expected);
	fclose(to);
	return text;
}

static void expect_csv(describe_fn describe, const char *expected)
{
	char *text = written(document_write_csv, describe, 0);

	assert_string_equal(text, expected);
	free(text);
}

static int describe_table(const void *what, struct json *j)
{
	(void)what;
	json_string(j, "platform", "here");
	json_table(j, "rows");
	json_row(j, NULL);
	json_string(j, "name", "a, \"b\"");
	json_unsigned(j, "count", UINT64_MAX);
	json_row(j, "pmu");
	json_string(j, "kind", "sim");
	json_end_object(j);
	json_list(j, "needs");
	json_string(j, NULL, "x");
	json_string(j, NULL, "y");
	json_end_array(j);
	json_end_object(j);
	json_row(j, NULL);
	json_string(j, "name", NULL);
	json_number(j, "count", NAN);
	json_bool(j, "late", true);
	json_end_object(j);
	json_end_array(j);
	json_number(j, "after", 1);
	return 0;
}

TEST(test_the_table_is_what_csv_holds)
{
	expect_csv(describe_table,
		   "name,count,pmu.kind,needs,late\r\n"
		   "\"a, \"\"b\"\"\",18446744073709551615,sim,x; y,\r\n"
		   ",,,,true\r\n");
}

static int describe_facts(const void *what, struct json *j)
{
	(void)what;
	json_string(j, "cpu", "one");
	json_object(j, "pmu");
	json_number(j, "counters", 4);
	json_end_object(j);
	json_array(j, "tried"); /* a table that is not the result */
	json_row(j, NULL);
	json_string(j, "name", "left out");
	json_end_object(j);
	json_end_array(j);
	json_string(j, "next", "run");
	return 0;
}

TEST(test_facts_are_one_row)
{
	expect_csv(describe_facts, "cpu,pmu.counters,next\r\none,4,run\r\n");
}

static int describe_nothing(const void *what, struct json *j)
{
	(void)what;
	json_table(j, "rows");
	json_end_array(j);
	return 0;
}

TEST(test_an_empty_table_has_no_rows)
{
	expect_csv(describe_nothing, "\r\n");
}

TEST(test_json_is_the_whole)
{
	char *text = written(document_write_json, describe_facts, 0);

	assert_non_null(strstr(text, "\"assay\": 1"));
	assert_non_null(strstr(text, "\"left out\""));
	free(text);
}

/* The same once more, by the row of DATA_FORMATS that no verb knows of. */
TEST(test_a_page_holds_facts_and_table)
{
	char *text;

	if (html_missing())
		skip();
	text = written(document_write_html, describe_table, 0);
	assert_non_null(strstr(
		text, "{ \"name\": \"platform\", \"value\": \"here\" }"));
	assert_non_null(
		strstr(text, "{ \"name\": \"after\", \"value\": \"1\" }"));
	assert_non_null(strstr(text, "\"title\": \"rows\""));
	assert_non_null(strstr(text, "{ \"name\": \"count\", \"kind\": "
				     "\"number\" }"));
	assert_non_null(strstr(text, "\"18446744073709551615\", \"sim\", "
				     "\"x; y\", null ]"));
	assert_non_null(strstr(text, "[ null, null, null, null, \"true\" ]"));
	free(text);
}

static int describe_twice(const void *what, struct json *j)
{
	describe_table(what, j);
	json_table(j, "last");
	json_row(j, NULL);
	json_string(j, "code", "0x3c");
	json_end_object(j);
	json_end_array(j);
	return 0;
}

TEST(test_the_last_of_two_tables_is_the_result)
{
	expect_csv(describe_twice, "code\r\n0x3c\r\n");
}

static int describe_fault(const void *what, struct json *j)
{
	(void)what;
	json_string(j, "name", "half");
	return PAPI_ENOMEM;
}

TEST(test_a_failed_description_fails)
{
	free(written(document_write_json, describe_fault, PAPI_ENOMEM));
	free(written(document_write_csv, describe_fault, PAPI_ENOMEM));
	free(written(document_write_html, describe_fault, PAPI_ENOMEM));
}

RUN_ALL_TESTS
