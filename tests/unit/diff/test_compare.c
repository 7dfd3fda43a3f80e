/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runs compared with numbers whose verdict is known; limits as they are
 * written.
 */
#include <math.h>
#include <string.h>

#include "diff/compare.h"
#include "tests/unit/testing.h"

static struct run_value value(const char *section, const char *name,
			      double number, bool exact)
{
	return (struct run_value){ .section = (char *)section,
				   .name = (char *)name,
				   .value = number,
				   .n = 1,
				   .exact = exact };
}

static enum compare_result compare_one(struct run_value a, struct run_value b,
				       const char *limit_text, size_t *broken)
{
	struct runfile ra = { .values = &a, .n = 1 };
	struct runfile rb = { .values = &b, .n = 1 };
	struct limit limit = { 0 };
	struct comparison c;
	enum compare_result result;

	if (limit_text)
		assert_int_equal(limit_parse(limit_text, &limit, NULL), 0);
	assert_int_equal(compare_runs(&ra, &rb, &limit, limit_text ? 1 : 0, &c),
			 0);
	assert_int_equal(c.n, 1);
	result = c.rows[0].result;
	*broken = c.broken;
	comparison_fini(&c);
	limit_fini(&limit);
	return result;
}

/* What is missing in one run only leaves nothing to guard. */
TEST(test_incomplete_values_break_limits)
{
	for (int i = 0; i < 4; i++) {
		struct run_value a = value("", "x", 1000, false);
		struct run_value b = value("", "x", 900, false);
		size_t broken;

		a.is_part = i & 1;
		b.is_part = i & 2;
		compare_one(a, b, "x<+1%", &broken);
		assert_int_equal(broken, i == 1 || i == 2);
		compare_one(a, b, "y<+1%", &broken);
		assert_int_equal(broken, 0);
	}
}

TEST(test_limits)
{
	static const struct {
		int line;
		double a, b;
		const char *limit;
		size_t broken;
	} rows[] = {
		{ __LINE__, 1000, 1000, "x<+0%", 0 },
		{ __LINE__, 1000, 1001, "x<+0%", 1 },
		{ __LINE__, 1000, 1010, "x<+1%", 0 },
		{ __LINE__, 1000, 1011, "x<+1%", 1 },
		{ __LINE__, 1000, 900, "x<+1%", 0 },
		{ __LINE__, 1000, 979, "x>-2%", 1 },
		{ __LINE__, 1000, 981, "x>-2%", 0 },
		{ __LINE__, 1000, 1005, "x<+4", 1 },
		{ __LINE__, 0, 5, "x<+1%", 1 },
		{ __LINE__, 0, 0, "x<+1%", 0 },
		{ __LINE__, 1000, 2000, "y<+1%", 0 },
		{ __LINE__, 1000, NAN, "x<+1%", 1 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		size_t broken;

		compare_one(value("s", "x", rows[i].a, true),
			    value("s", "x", rows[i].b, true), rows[i].limit,
			    &broken);
		CHECK_AT(rows[i].line, broken == rows[i].broken);
	}
}

TEST(test_malformed_limits_have_a_column)
{
	static const struct {
		int line;
		const char *text;
		size_t column;
	} rows[] = {
		{ __LINE__, "", 1 },        { __LINE__, "<1", 1 },
		{ __LINE__, "x", 2 },       { __LINE__, "x<", 3 },
		{ __LINE__, "x<a", 3 },     { __LINE__, "x<1%%", 5 },
		{ __LINE__, "x<1 %", 4 },   { __LINE__, "x<nan", 6 },
		{ __LINE__, "x<1e999", 8 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct diag diag = { 0 };
		struct limit limit;

		CHECK_AT(rows[i].line, limit_parse(rows[i].text, &limit,
						   &diag) == PAPI_EINVAL);
		CHECK_AT(rows[i].line, diag.column == rows[i].column);
	}
}

TEST(test_noise_is_not_a_difference)
{
	struct run_value a = value("", "x", 100, false);
	struct run_value b = value("", "x", 103, false);
	size_t broken;

	a.stddev = b.stddev = 5;
	a.n = b.n = 5;
	assert_int_equal(compare_one(a, b, "x<+1%", &broken),
			 COMPARE_UNRESOLVED);
	assert_int_equal(broken, 0);
	a.stddev = b.stddev = 0.5;
	assert_int_equal(compare_one(a, b, "x<+1%", &broken),
			 COMPARE_DIFFERENT);
	assert_int_equal(broken, 1);
	/* one run each of what varies: unknown, but a gate holds */
	a.n = b.n = 1;
	assert_int_equal(compare_one(a, b, "x<+1%", &broken),
			 COMPARE_UNRESOLVED);
	assert_int_equal(broken, 1);
}

/* Once exact, once with a spread: the spread decides. */
TEST(test_a_spread_on_one_side_is_enough)
{
	struct run_value a = value("", "x", 100, true);
	struct run_value b = value("", "x", 128, false);
	size_t broken;

	a.n = b.n = 3;
	b.stddev = 40;
	assert_int_equal(compare_one(a, b, "x<+1%", &broken),
			 COMPARE_UNRESOLVED);
	assert_int_equal(broken, 0);
	b.stddev = 1;
	assert_int_equal(compare_one(a, b, "x<+1%", &broken),
			 COMPARE_DIFFERENT);
	assert_int_equal(broken, 1);
}

TEST(test_what_one_run_lacks_is_shown)
{
	struct run_value a = value("", "x", 1, true);
	struct run_value b = value("", "y", 2, true);
	struct runfile ra = { .values = &a, .n = 1 };
	struct runfile rb = { .values = &b, .n = 1 };
	struct comparison c;

	assert_int_equal(compare_runs(&ra, &rb, NULL, 0, &c), 0);
	assert_int_equal(c.n, 2);
	assert_int_equal(c.rows[0].result, COMPARE_ONE_SIDED);
	assert_true(isnan(c.rows[0].b));
	assert_true(isnan(c.rows[1].a));
	assert_string_equal(c.rows[1].name, "y");
	comparison_fini(&c);
}

/* Counts that are one double, and one apart. */
TEST(test_counts_above_2_to_the_53rd_differ_by_one)
{
	struct run_value a = value("", "x", 0x1p53, true);
	struct run_value b = a;
	size_t broken;

	b.value += 1;
	assert_int_equal(compare_one(a, b, "x<+0", &broken), COMPARE_DIFFERENT);
	assert_int_equal(broken, 1);
	assert_int_equal(compare_one(a, a, "x<+0", &broken), COMPARE_SAME);
}

/* It has another name in the JSON of a program and in performance files. */
TEST(test_a_limit_on_time_is_on_elapsed_time)
{
	static const struct {
		int line;
		const char *name;
		size_t broken;
	} rows[] = {
		{ __LINE__, "wall_s", 1 },
		{ __LINE__, "IncSec", 1 },
		{ __LINE__, "user_s", 0 },
		{ __LINE__, "ExcSec", 0 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct run_value a = value("", rows[i].name, 1, false);
		struct run_value b = value("", rows[i].name, 1.1, false);
		size_t broken;

		a.n = b.n = 5;
		a.stddev = b.stddev = 0.001;
		compare_one(a, b, "time<+3%", &broken);
		CHECK_AT(rows[i].line, broken == rows[i].broken);
	}
}

RUN_ALL_TESTS
