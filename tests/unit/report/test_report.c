/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers of several runs, texts and formats of a report. */
#include "tests/unit/testing.h"

#include <math.h>

#include "report/report.h"
#include "report/writer.h"

TEST(test_spread_of_several_runs)
{
	const long double values[] = { 2, 4, 4, 4, 5, 5, 7, 9 };
	struct report_number n = report_number_of(values, 8);

	assert_true(n.value == 5);
	assert_true(fabs(n.stddev - sqrt(32.0 / 7)) < 1e-12);
	assert_true(n.min == 2);
	assert_true(n.max == 9);
}

TEST(test_one_run_has_no_spread)
{
	const long double value = 3;
	struct report_number n = report_number_of(&value, 1);

	assert_true(n.value == 3);
	assert_true(isnan(n.stddev) && isnan(n.min) && isnan(n.max));
}

TEST(test_runs_without_value_do_not_count)
{
	const long double values[] = { NAN, 10, NAN, 12 };
	const long double none[] = { NAN, NAN };
	struct report_number n = report_number_of(values, 4);

	assert_true(n.value == 11);
	assert_true(n.min == 10 && n.max == 12);
	assert_true(isnan(report_number_of(none, 2).value));
	assert_true(isnan(report_number_of(NULL, 0).value));
}

TEST(test_large_equal_counts_have_no_spread)
{
	const long double values[] = { 0x1p63L - 1, 0x1p63L - 1, 0x1p63L - 1 };

	assert_true(report_number_of(values, 3).stddev == 0);
	assert_true(report_number_of(values, 3).value == 0x1p63L - 1);
}

TEST(test_texts_live_as_long_as_the_report)
{
	struct report r = { 0 };
	const char *first = report_text(&r, "%s %d", "number", 0);

	for (int i = 1; i < 100; i++)
		report_text(&r, "number %d", i);
	assert_string_equal(first, "number 0");
	report_fini(&r);
	assert_null(r.texts.newest);
}

TEST(test_writers_are_found_by_name_and_suffix)
{
	assert_ptr_equal(format_find(report_formats, "json")->describe,
			 report_describe);
	assert_null(format_find(report_formats, "jso"));
	assert_ptr_equal(format_for_file(report_formats, "a/b.csv")->write,
			 write_csv);
	assert_null(format_for_file(report_formats, "a.json/b"));
	assert_null(format_for_file(report_formats, ".json"));
	assert_null(format_for_file(report_formats, ""));
}

RUN_ALL_TESTS
