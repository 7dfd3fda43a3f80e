/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers as text: for people and to be read back. */
#include "tests/unit/testing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "write/number.h"

typedef const char *(*format_fn)(char *text, double value);
typedef const char *(*count_fn)(char *text, long double value);

TEST(test_counts_keep_every_digit)
{
	static const struct {
		int line;
		count_fn format;
		long double value;
		const char *text;
	} rows[] = {
		{ __LINE__, number_count, 0, "0" },
		{ __LINE__, number_count, 999, "999" },
		{ __LINE__, number_count, 1000, "1,000" },
		{ __LINE__, number_count, 1234567, "1,234,567" },
		{ __LINE__, number_count, -1234, "-1,234" },
		{ __LINE__, number_count, -123456, "-123,456" },
		{ __LINE__, number_count, 2.6, "3" },
		{ __LINE__, number_count, 1e20, "1e+20" },
		{ __LINE__, number_count, 0x1p53L + 1,
		  "9,007,199,254,740,993" },
		{ __LINE__, number_count, 0x1p63L - 1,
		  "9,223,372,036,854,775,807" },
		{ __LINE__, number_exact, 0x1p53L + 1, "9007199254740993" },
		{ __LINE__, number_exact, 1 - 0x1p63L, "-9223372036854775807" },
		{ __LINE__, number_exact, 0x1p64L - 1, "18446744073709551615" },
	};
	char text[NUMBER_CAPACITY];

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		CHECK_AT(rows[i].line,
			 strcmp(rows[i].format(text, rows[i].value),
				rows[i].text) == 0);
}

TEST(test_an_error_has_two_digits)
{
	static const struct {
		int line;
		double value, error;
		const char *text;
	} rows[] = {
		{ __LINE__, 2.1362, 0.0148, "2.136 ± 0.015" },
		{ __LINE__, 46685333.4, 321041.2, "46,685,333 ± 321,041" },
		{ __LINE__, 12, 3.04, "12.0 ± 3.0" },
		{ __LINE__, 2.1362, 0, "2.136" },
		{ __LINE__, 2.1362, NAN, "2.136" },
		{ __LINE__, 2.1362, 1e-12, "2.136" },
	};
	char text[NUMBER_CAPACITY];

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		CHECK_AT(rows[i].line, strcmp(number_error(text, rows[i].value,
							   rows[i].error),
					      rows[i].text) == 0);
}

TEST(test_forms_for_people)
{
	static const struct {
		int line;
		format_fn format;
		double value;
		const char *text;
	} rows[] = {
		{ __LINE__, number_short, 0, "0" },
		{ __LINE__, number_short, 0.87123, "0.871" },
		{ __LINE__, number_short, 0.01234, "0.0123" },
		{ __LINE__, number_short, 0.00001234, "1.23e-05" },
		{ __LINE__, number_short, 12.345, "12.35" },
		{ __LINE__, number_short, 123.45, "123.5" },
		{ __LINE__, number_short, 1234.56, "1,234.6" },
		{ __LINE__, number_short, 1234567.8, "1,234,568" },
		{ __LINE__, number_seconds, 0.0000012, "1.2 us" },
		{ __LINE__, number_seconds, 0.0123, "12.30 ms" },
		{ __LINE__, number_seconds, 1.5, "1.500 s" },
		{ __LINE__, number_seconds, 125.7, "2 min 05 s" },
		{ __LINE__, number_seconds, 0, "0 s" },
		{ __LINE__, number_seconds, NAN, "-" },
	};
	char text[NUMBER_CAPACITY];

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		CHECK_AT(rows[i].line,
			 strcmp(rows[i].format(text, rows[i].value),
				rows[i].text) == 0);
}

TEST(test_exact_reads_back)
{
	static const double values[] = {
		0,
		1,
		-1,
		0.1,
		1.0 / 3,
		1e300,
		5e-324,
		4503599627370497.0,
		123456789012.0,
		9007199254740993.0,
		2.5,
		1e-7,
	};
	char text[NUMBER_CAPACITY];

	for (size_t i = 0; i < ARRAY_SIZE(values); i++)
		assert_true(strtod(number_exact(text, values[i]), NULL) ==
			    values[i]);
	assert_string_equal(number_exact(text, 0.1), "0.1");
	assert_string_equal(number_exact(text, 123456789012.0), "123456789012");
}

TEST(test_kilobytes_take_their_unit)
{
	char text[NUMBER_CAPACITY];

	assert_string_equal(number_kilobytes(text, 0), "0 kB");
	assert_string_equal(number_kilobytes(text, 1023), "1023 kB");
	assert_string_equal(number_kilobytes(text, 11469), "11.2 MB");
	assert_string_equal(number_kilobytes(text, 3u << 20), "3.0 GB");
}

RUN_ALL_TESTS
