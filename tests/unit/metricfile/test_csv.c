/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines and fields of CSV, good and bad. */
#include "tests/unit/testing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "metricfile/csv.h"

static FILE *open_text(const char *text)
{
	FILE *from = fmemopen((char *)text, strlen(text), "r");

	assert_non_null(from);
	return from;
}

/* The line's fields, each in brackets. */
static void join(const char *line, char *out, size_t room, struct diag *diag)
{
	struct csv csv = { .path = "x", .from = open_text(line) };
	char *field;

	*out = '\0';
	assert_int_equal(csv_next_line(&csv, diag), 1);
	while (csv.at) {
		size_t n = strlen(out);

		if (csv_next_field(&csv, &field, diag)) {
			snprintf(out + n, room - n, "!");
			break;
		}
		snprintf(out + n, room - n, "[%s]", field);
	}
	fclose(csv.from);
	csv_fini(&csv);
}

TEST(test_fields)
{
	static const struct {
		int line;
		const char *text;
		const char *want;
	} rows[] = {
		{ __LINE__, "a,b\n", "[a][b]" },
		{ __LINE__, "a,b\r\n", "[a][b]" },
		{ __LINE__, " a , b\t", "[a][b]" },
		{ __LINE__, "a,,c", "[a][][c]" },
		{ __LINE__, "a,", "[a][]" },
		{ __LINE__, ",", "[][]" },
		{ __LINE__, "\"a,b\",c", "[a,b][c]" },
		{ __LINE__, "\"a\"\"b\" , c", "[a\"b][c]" },
		{ __LINE__, "\"\"", "[]" },
		{ __LINE__, "a,\"b", "[a]!" },
		{ __LINE__, "\"a\"b,c", "!" },
	};
	char seen[128];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct diag diag = { 0 };

		join(rows[i].text, seen, sizeof(seen), &diag);
		if (strcmp(seen, rows[i].want) != 0)
			fail_msg("row at line %d: %s", rows[i].line, seen);
	}
}

TEST(test_a_fault_has_its_place)
{
	struct csv csv = { .path = "x.csv", .from = open_text("a,b\n1,\"2\n") };
	struct diag diag = { 0 };
	char *field;

	assert_int_equal(csv_next_line(&csv, &diag), 1);
	assert_int_equal(csv_next_line(&csv, &diag), 1);
	assert_int_equal(csv_next_field(&csv, &field, &diag), 0);
	assert_int_equal(csv_next_field(&csv, &field, &diag), PAPI_EINVAL);
	assert_string_equal(diag.file, "x.csv");
	assert_int_equal(diag.line, 2);
	assert_int_equal(diag.column, 3);
	assert_int_equal(csv_next_line(&csv, &diag), 0);
	fclose(csv.from);
	csv_fini(&csv);
}

TEST(test_numbers)
{
	double value = 1;

	assert_true(csv_number("-1.5e3", &value) && value == -1500);
	assert_true(csv_number("", &value) && isnan(value));
	assert_false(csv_number("1x", &value));
	assert_false(csv_number("x", &value));
	assert_false(csv_number("inf", &value));
	assert_false(csv_number("1e999", &value));
}

RUN_ALL_TESTS
