/* SPDX-License-Identifier: BSD-3-Clause */
/* Simulated against real cycles: errors, sums, orders, who is to blame. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/testing.h"
#include "validate/time.h"

static struct time_row *add(struct time_table *table, const char *name,
			    const char *kind, double real, double simulated)
{
	struct time_row *row = time_add_row(table, name, kind);

	assert_non_null(row);
	row->real = real;
	row->spread = 0.01;
	row->cycles = simulated;
	return row;
}

static struct time_table *new_table(void)
{
	struct time_table *table = calloc(1, sizeof(*table));

	assert_non_null(table);
	return table;
}

TEST(test_errors_have_a_median_and_a_worst)
{
	struct time_table *table = new_table();
	struct time_sum sum;

	add(table, "a", "kernel", 100, 110);
	add(table, "b", "kernel", 100, 70);
	add(table, "c", "kernel", 100, 102);
	add(table, "d", "program", 100, 400);
	add(table, "missing", "kernel", NAN, 400);
	time_judge(table);
	sum = time_sum_of(table, "kernel");
	assert_int_equal(sum.n, 3);
	assert_true(fabs(sum.median - 0.10) < 1e-9);
	assert_true(fabs(sum.worst - 0.30) < 1e-9);
	assert_string_equal(sum.worst_name, "b");
	assert_int_equal(sum.noisy, 0);
	assert_true(isnan(time_find(table, "missing")->error));
	time_free(table);
}

TEST(test_a_disturbed_row_is_counted_as_such)
{
	struct time_table *table = new_table();

	add(table, "a", "kernel", 100, 110)->spread = 0.5;
	time_judge(table);
	assert_int_equal(time_sum_of(table, "kernel").noisy, 1);
	/* an error within the spread blames nobody */
	assert_string_equal(table->rows[0].blame, "");
	time_free(table);
}

TEST(test_orders_are_judged_where_real_time_has_one)
{
	struct time_table *table = new_table();
	struct time_pairs pairs;

	strcpy(add(table, "a", "version", 100, 100)->slower, "b");
	add(table, "b", "version", 200, 120);
	strcpy(add(table, "c", "version", 100, 100)->slower, "d");
	add(table, "d", "version", 200, 90);
	strcpy(add(table, "e", "version", 100, 100)->slower, "f");
	add(table, "f", "version", 110, 90);
	/* the one that was meant to be slower is not, in both */
	strcpy(add(table, "g", "version", 200, 200)->slower, "h");
	add(table, "h", "version", 100, 100);
	time_judge(table);
	pairs = time_pairs_of(table);
	assert_int_equal(pairs.n, 4);
	assert_int_equal(pairs.judged, 3);
	assert_int_equal(pairs.right, 2);
	time_free(table);
}

TEST(test_blame_is_the_part_whose_kernels_are_off)
{
	struct time_table *table = new_table();
	struct time_row *row;

	strcpy(add(table, "k1", "kernel", 100, 200)->part, "L3");
	strcpy(add(table, "k2", "kernel", 100, 100.5)->part, "L2");
	row = add(table, "p", "program", 100, 150);
	row->wait[WAIT_L3] = 60;
	row->wait[WAIT_L2] = 70;
	row = add(table, "q", "program", 100, 150);
	row->wait[WAIT_L2] = 150;
	time_judge(table);
	assert_string_equal(time_find(table, "k1")->blame, "L3");
	assert_string_equal(time_find(table, "k2")->blame, "");
	assert_string_equal(time_find(table, "p")->blame, "L3");
	assert_string_equal(time_find(table, "q")->blame,
			    "not seen in kernels");
	time_free(table);
}

RUN_ALL_TESTS
