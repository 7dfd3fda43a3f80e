/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts of many threads in few numbers, and the outlier. */
#include "tests/unit/testing.h"

#include <papi.h>

#include "report/report.h"
#include "tests/unit/refuse.h"

static const struct report_event event = { .name = "e", .unit = "" };

static void add_threads(struct report *r, const long double *values, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct report_thread thread = { (long)i, "" };

		assert_int_equal(report_add_thread(r, &thread), 0);
	}
	assert_int_equal(report_add_fold(r, &event, values), 0);
}

TEST(test_range_and_mean)
{
	const long double values[] = { 4, 2, 9 };
	struct report r = { 0 };
	const struct report_fold *f;

	add_threads(&r, values, 3);
	f = &r.threads.folds[0];
	assert_int_equal(f->least, 1);
	assert_int_equal(f->most, 2);
	assert_true(f->mean == 5);
	assert_int_equal(f->n_outliers, 0); /* too few to say what is usual */
	report_fini(&r);
}

TEST(test_the_outlier_is_found)
{
	const long double values[] = { 100, 103, 98, 300, 101, 99 };
	struct report r = { 0 };
	const struct report_fold *f;

	add_threads(&r, values, 6);
	f = &r.threads.folds[0];
	assert_int_equal(f->n_outliers, 1);
	assert_true(f->is_outlier[3]);
	report_fini(&r);
}

TEST(test_equal_threads_have_no_outliers)
{
	const long double values[] = { 1000, 1000, 1000, 1001, 1000 };
	struct report r = { 0 };

	add_threads(&r, values, 5);
	assert_int_equal(r.threads.folds[0].n_outliers, 0);
	report_fini(&r);
}

static int try_to_add(void *context)
{
	static const long double values[] = { 4, 2, 9 };
	struct report r = { 0 };
	int err = 0;

	(void)context;
	for (long i = 0; !err && i < 3; i++)
		err = report_add_thread(&r, &(struct report_thread){ i, "" });
	if (!err)
		err = report_add_fold(&r, &event, values);
	assert_int_equal(err, refused ? PAPI_ENOMEM : 0);
	report_fini(&r);
	return err;
}

TEST(test_no_memory)
{
	if (!REFUSE_WORKS)
		skip();
	assert_true(refuse_each(try_to_add, NULL) >= 5);
}

RUN_ALL_TESTS
