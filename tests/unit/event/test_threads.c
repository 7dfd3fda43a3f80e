/* SPDX-License-Identifier: BSD-3-Clause */
/* Names and plans from many threads at once; for the thread sanitizer. */
#include <pthread.h>

#include "tests/unit/event/toy.h"

enum {
	THREADS = 8,
	ROUNDS = 20
};

static void *ask(void *context)
{
	struct events *e = context;
	const char *names[2];
	size_t good = 0;

	for (int round = 0; round < ROUNDS; round++) {
		int code = PAPI_L1_DCM;

		do {
			const struct recipe *plan;

			good += events_plan(e, code, &plan, NULL) == 0;
			good += events_available(e, code, NULL) == 0;
			good += events_name(e, code) != NULL;
		} while (!events_next(e, &code, PAPI_ENUM_EVENTS, -1));
		good += events_find(e, "PAPI_IPS", &code, NULL) == 0;
		good += events_find(e, "in:bytes", &code, NULL) == 0;
		good += events_find(e, "r1f", &code, NULL) == 0;
		good += events_nearest(e, "tot_cyc", names, 2) > 0;
	}
	return (void *)good;
}

TEST(test_threads_find_the_same)
{
	pthread_t threads[THREADS];
	void *first = NULL;
	struct toys t;

	toys_open(&t);
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(
			pthread_create(&threads[i], NULL, ask, t.events), 0);
	for (int i = 0; i < THREADS; i++) {
		void *good;

		assert_int_equal(pthread_join(threads[i], &good), 0);
		if (i == 0)
			first = good;
		assert_ptr_equal(good, first);
	}
	assert_true((size_t)first > (size_t)ROUNDS * 108);
	toys_close(&t);
}

RUN_ALL_TESTS
