/* SPDX-License-Identifier: BSD-3-Clause */
/* Workloads: named once, in pairs that exist, and doing the same each time. */
#include <string.h>

#include "tests/unit/testing.h"
#include "workload/workload.h"

TEST(test_names_are_unique_and_fit)
{
	const struct workload *w;

	for (size_t i = 0; (w = workload_get(i)); i++) {
		assert_ptr_equal(workload_find(w->name), w);
		assert_true(strlen(w->name) < 48);
		assert_non_null(w->run);
		assert_true(w->bytes > 0 || w->share > 0);
	}
	assert_null(workload_get(workload_count()));
}

TEST(test_the_slower_one_of_a_pair_is_there)
{
	const struct workload *w;
	size_t pairs = 0;

	for (size_t i = 0; (w = workload_get(i)); i++)
		if (w->slower) {
			const struct workload *slow = workload_find(w->slower);

			assert_non_null(slow);
			assert_int_equal(slow->bytes, w->bytes);
			pairs++;
		}
	assert_true(pairs >= 20);
}

/* Caches of a small machine, so that all of them are run in little memory. */
TEST(test_every_workload_runs_again_and_again)
{
	const struct workload_machine small = { 8 << 10, 64 << 10, 256 << 10 };
	const struct workload *w;

	for (size_t i = 0; (w = workload_get(i)); i++) {
		struct workload_run run;

		assert_int_equal(workload_start(&run, w, &small), 0);
		w->run(&run);
		w->run(&run);
		w->run(&run);
		workload_end(&run);
	}
}

RUN_ALL_TESTS
