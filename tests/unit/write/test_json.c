/* SPDX-License-Identifier: BSD-3-Clause */
/* JSON as it is written, character by character. */
#include "tests/unit/testing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "write/json.h"

struct sink {
	struct json j;
	FILE *to;
	char *text;
	size_t n;
};

static void sink_open(struct sink *s)
{
	s->to = open_memstream(&s->text, &s->n);
	assert_non_null(s->to);
	json_init(&s->j, s->to);
}

static void sink_expect(struct sink *s, const char *expected)
{
	assert_int_equal(json_finish(&s->j), 0);
	fclose(s->to);
	assert_string_equal(s->text, expected);
	free(s->text);
}

TEST(test_members_are_separated_and_indented)
{
	struct sink s;

	sink_open(&s);
	json_object(&s.j, NULL);
	json_unsigned(&s.j, "a", 1);
	json_array(&s.j, "b");
	json_row(&s.j, NULL);
	json_bool(&s.j, "c", true);
	json_string(&s.j, "d", "x");
	json_end_object(&s.j);
	json_row(&s.j, NULL);
	json_end_object(&s.j);
	json_end_array(&s.j);
	json_list(&s.j, "e");
	json_end_array(&s.j);
	json_end_object(&s.j);
	sink_expect(&s, "{\n"
			"  \"a\": 1,\n"
			"  \"b\": [\n"
			"    { \"c\": true, \"d\": \"x\" },\n"
			"    {}\n"
			"  ],\n"
			"  \"e\": []\n"
			"}\n");
}

TEST(test_strings_are_escaped)
{
	static const struct {
		int line;
		const char *text;
		const char *json;
	} rows[] = {
		{ __LINE__, "", "\"\"\n" },
		{ __LINE__, "a\"b\\c", "\"a\\\"b\\\\c\"\n" },
		{ __LINE__, "\n\t\x01", "\"\\u000a\\u0009\\u0001\"\n" },
		{ __LINE__, "gr\xc3\xbc\xc3\x9f", "\"gr\xc3\xbc\xc3\x9f\"\n" },
		{ __LINE__, "\xf0\x9f\x8e\x89", "\"\xf0\x9f\x8e\x89\"\n" },
		{ __LINE__, "a\xff", "\"a\\ufffd\"\n" },
		{ __LINE__, "\xc3", "\"\\ufffd\"\n" },
		{ __LINE__, "\xe2\x82", "\"\\ufffd\\ufffd\"\n" },
		{ __LINE__, "\xc0\xaf", "\"\\ufffd\\ufffd\"\n" },
		{ __LINE__, "\xed\xa0\x80",
		  "\"\\ufffd\\ufffd\\ufffd\"\n" }, /* a surrogate */
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct sink s;

		sink_open(&s);
		json_string(&s.j, NULL, rows[i].text);
		json_finish(&s.j);
		fclose(s.to);
		CHECK_AT(rows[i].line, strcmp(s.text, rows[i].json) == 0);
		free(s.text);
	}
}

TEST(test_no_value_is_null)
{
	struct sink s;

	sink_open(&s);
	json_list(&s.j, NULL);
	json_number(&s.j, NULL, NAN);
	json_number(&s.j, NULL, INFINITY);
	json_string(&s.j, NULL, NULL);
	json_number(&s.j, NULL, -0.5);
	json_end_array(&s.j);
	sink_expect(&s, "[ null, null, null, -0.5 ]\n");
}

TEST(test_a_row_is_written_in_one_call)
{
	const char *volatile none = NULL; /* a compiler would refuse it */
	struct sink s;

	sink_open(&s);
	json_array(&s.j, NULL);
	json_row_of(&s.j, NULL,
		    "name %s, share %g, value %Lg, n %zu, "
		    "cpus %u, exit %i, short %d, reason %s",
		    "b", 0.5, 18446744073709551615.0L, SIZE_MAX, 3U, -1, true,
		    none);
	json_row_of(&s.j, NULL, "share %g", NAN);
	json_end_array(&s.j);
	sink_expect(&s, "[\n"
			"  { \"name\": \"b\", \"share\": 0.5, "
			"\"value\": 18446744073709551615, "
			"\"n\": 18446744073709551615, \"cpus\": 3, "
			"\"exit\": -1, \"short\": true, \"reason\": null },\n"
			"  { \"share\": null }\n"
			"]\n");
}

TEST(test_arrays_are_written_in_one_call)
{
	static const double numbers[] = { 1, NAN };
	static const char *const texts[] = { "a", NULL };
	struct sink s;

	sink_open(&s);
	json_array(&s.j, NULL);
	json_numbers(&s.j, NULL, numbers, 2);
	json_strings(&s.j, NULL, texts, 2);
	json_cells(&s.j, "%s %g %Lg", "b", 0.5, 9007199254740993.0L);
	json_end_array(&s.j);
	sink_expect(&s, "[\n"
			"  [ 1, null ],\n"
			"  [ \"a\", null ],\n"
			"  [ \"b\", 0.5, \"9007199254740993\" ]\n"
			"]\n");
}

TEST(test_a_full_disk_is_noticed)
{
	FILE *full = fopen("/dev/full", "w");
	struct json j;

	assert_non_null(full);
	json_init(&j, full);
	json_string(&j, NULL, "x");
	assert_int_not_equal(json_finish(&j), 0);
	fclose(full);
}

RUN_ALL_TESTS
