/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/testing.h"

#include <math.h>

#include "report/report.h"
#include "report/writer.h"

static void test_spread_of_several_runs(void **state)
{
	const double values[] = { 2, 4, 4, 4, 5, 5, 7, 9 };
	struct report_number n = report_number_of(values, 8);

	(void)state;
	assert_true(n.value == 5);
	assert_true(fabs(n.stddev - sqrt(32.0 / 7)) < 1e-12);
	assert_true(n.min == 2);
	assert_true(n.max == 9);
}

static void test_one_run_has_no_spread(void **state)
{
	const double value = 3;
	struct report_number n = report_number_of(&value, 1);

	(void)state;
	assert_true(n.value == 3);
	assert_true(isnan(n.stddev) && isnan(n.min) && isnan(n.max));
}

static void test_runs_without_value_do_not_count(void **state)
{
	const double values[] = { NAN, 10, NAN, 12 };
	const double none[] = { NAN, NAN };
	struct report_number n = report_number_of(values, 4);

	(void)state;
	assert_true(n.value == 11);
	assert_true(n.min == 10 && n.max == 12);
	assert_true(isnan(report_number_of(none, 2).value));
	assert_true(isnan(report_number_of(NULL, 0).value));
}

static void test_large_equal_counts_have_no_spread(void **state)
{
	const double values[] = { 9e15, 9e15, 9e15 };

	(void)state;
	assert_true(report_number_of(values, 3).stddev == 0);
}

static void test_texts_live_as_long_as_the_report(void **state)
{
	struct report r = { 0 };
	const char *first = report_text(&r, "%s %d", "number", 0);

	(void)state;
	for (int i = 1; i < 100; i++)
		report_text(&r, "number %d", i);
	assert_string_equal(first, "number 0");
	report_fini(&r);
	assert_null(r.texts);
}

static void test_writers_are_found_by_name_and_suffix(void **state)
{
	(void)state;
	assert_ptr_equal(format_find(report_formats, "json")->write,
			 write_json);
	assert_null(format_find(report_formats, "jso"));
	assert_ptr_equal(format_for_file(report_formats, "a/b.csv")->write,
			 write_csv);
	assert_null(format_for_file(report_formats, "a.json/b"));
	assert_null(format_for_file(report_formats, ".json"));
	assert_null(format_for_file(report_formats, ""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_spread_of_several_runs),
		cmocka_unit_test(test_one_run_has_no_spread),
		cmocka_unit_test(test_runs_without_value_do_not_count),
		cmocka_unit_test(test_large_equal_counts_have_no_spread),
		cmocka_unit_test(test_texts_live_as_long_as_the_report),
		cmocka_unit_test(test_writers_are_found_by_name_and_suffix),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
