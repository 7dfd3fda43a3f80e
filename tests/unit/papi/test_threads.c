/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads, what they keep, the user's locks, and the clocks. */
#include <pthread.h>
#include <time.h>

#include "tests/unit/papi/open_toys.h"

static unsigned long my_id(void)
{
	return 4711;
}

TEST_WITH(test_thread_id_is_what_the_user_says, open_toys, close_toys)
{
	assert_int_equal((int)PAPI_thread_id(), PAPI_EMISC);
	assert_int_equal(PAPI_thread_init(NULL), PAPI_EINVAL);
	assert_int_equal(PAPI_thread_init(my_id), PAPI_OK);
	assert_int_equal(PAPI_thread_id(), 4711);
	assert_int_equal(PAPI_is_initialized(),
			 PAPI_LOW_LEVEL_INITED | PAPI_THREAD_LEVEL_INITED);
}

static void *keep_own(void *mine)
{
	void *got = NULL;
	intptr_t bad = 0;

	bad |= PAPI_get_thr_specific(PAPI_USR1_TLS, &got) != PAPI_OK;
	bad |= got != NULL;
	bad |= PAPI_set_thr_specific(PAPI_USR1_TLS, mine) != PAPI_OK;
	bad |= PAPI_get_thr_specific(PAPI_USR1_TLS, &got) != PAPI_OK;
	bad |= got != mine;
	return (void *)bad;
}

TEST_WITH(test_each_thread_keeps_its_own, open_toys, close_toys)
{
	int here, there;
	void *got = NULL, *bad;
	pthread_t thread;

	assert_int_equal(PAPI_set_thr_specific(PAPI_USR1_TLS, &here), PAPI_OK);
	pthread_create(&thread, NULL, keep_own, &there);
	pthread_join(thread, &bad);
	assert_null(bad);
	assert_int_equal(PAPI_get_thr_specific(PAPI_USR1_TLS, &got), PAPI_OK);
	assert_ptr_equal(got, &here);
	assert_int_equal(PAPI_set_thr_specific(PAPI_USR1_TLS, NULL), PAPI_OK);
}

TEST_WITH(test_thread_slots_are_checked, open_toys, close_toys)
{
	void *got;
	PAPI_all_thr_spec_t all = { .num = 4 };

	assert_int_equal(PAPI_set_thr_specific(-1, NULL), PAPI_EINVAL);
	assert_int_equal(PAPI_set_thr_specific(PAPI_NUM_TLS, NULL),
			 PAPI_EINVAL);
	assert_int_equal(PAPI_get_thr_specific(-1, &got), PAPI_EINVAL);
	assert_int_equal(PAPI_get_thr_specific(PAPI_NUM_TLS, &got),
			 PAPI_EINVAL);
	assert_int_equal(PAPI_get_thr_specific(PAPI_USR1_TLS, NULL),
			 PAPI_EINVAL);
	assert_int_equal(
		PAPI_get_thr_specific(PAPI_USR1_TLS | PAPI_TLS_ALL_THREADS,
				      (void **)(void *)&all),
		PAPI_EINVAL);
}

TEST_WITH(test_threads_are_listed_once_known, open_toys, close_toys)
{
	unsigned long ids[8];
	void *data[8];
	int here, n = 8;
	PAPI_all_thr_spec_t all = { .num = 8, .id = ids, .data = data };

	assert_int_equal(PAPI_register_thread(), PAPI_OK);
	assert_int_equal(PAPI_list_threads(ids, &n), PAPI_OK);
	assert_int_equal(n, 1);
	assert_int_equal(PAPI_list_threads(NULL, NULL), PAPI_EINVAL);
	n = -1;
	assert_int_equal(PAPI_list_threads(ids, &n), PAPI_EINVAL);

	assert_int_equal(PAPI_set_thr_specific(PAPI_USR2_TLS, &here), PAPI_OK);
	assert_int_equal(
		PAPI_get_thr_specific(PAPI_USR2_TLS | PAPI_TLS_ALL_THREADS,
				      (void **)(void *)&all),
		PAPI_OK);
	assert_int_equal(all.num, 1);
	assert_ptr_equal(data[0], &here);
	assert_int_equal(PAPI_unregister_thread(), PAPI_OK);
	n = 8;
	assert_int_equal(PAPI_list_threads(ids, &n), PAPI_OK);
	assert_int_equal(n, 0);
}

TEST_WITH(test_locks_know_their_holder, open_toys, close_toys)
{
	for (int lck = 0; lck < PAPI_NUM_LOCK; lck++) {
		assert_int_equal(PAPI_unlock(lck), PAPI_EPERM);
		assert_int_equal(PAPI_lock(lck), PAPI_OK);
		assert_int_equal(PAPI_lock(lck), PAPI_EINVAL);
		assert_int_equal(PAPI_unlock(lck), PAPI_OK);
	}
	assert_int_equal(PAPI_lock(7), PAPI_EINVAL);
	assert_int_equal(PAPI_lock(-1), PAPI_EINVAL);
	assert_int_equal(PAPI_unlock(2), PAPI_EINVAL);
	assert_int_equal(PAPI_unlock(-1), PAPI_EINVAL);
}

static int shared;

static void *count_up(void *unused)
{
	for (int i = 0; i < 1000; i++) {
		PAPI_lock(PAPI_USR1_LOCK);
		shared++;
		PAPI_unlock(PAPI_USR1_LOCK);
	}
	return unused;
}

TEST_WITH(test_lock_keeps_others_out, open_toys, close_toys)
{
	pthread_t threads[4];

	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, count_up, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	assert_int_equal(shared, 4000);
}

static void *fail_here(void *unused)
{
	PAPI_num_events(123);
	return unused;
}

TEST_WITH(test_error_is_of_the_thread, open_toys, close_toys)
{
	pthread_t thread;

	assert_int_equal(PAPI_lock(9), PAPI_EINVAL);
	pthread_create(&thread, NULL, fail_here, NULL);
	pthread_join(thread, NULL);
	assert_string_equal(assay_error(), "there is no lock 9");
}

TEST_WITH(test_clocks_agree_with_the_kernel, open_toys, close_toys)
{
	struct timespec now;
	long long before = PAPI_get_real_nsec(), real, virt;

	clock_gettime(CLOCK_MONOTONIC, &now);
	real = now.tv_sec * 1000000000LL + now.tv_nsec;
	assert_true(before <= real && real <= PAPI_get_real_nsec());
	assert_true(PAPI_get_real_usec() >= before / 1000);

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	virt = now.tv_sec * 1000000000LL + now.tv_nsec;
	assert_true(PAPI_get_virt_nsec() >= virt);
	assert_true(PAPI_get_virt_usec() >= virt / 1000);
}

TEST_WITH(test_clocks_never_step_back, open_toys, close_toys)
{
	long long cyc = PAPI_get_real_cyc(), virt = PAPI_get_virt_cyc();

	for (int i = 0; i < 10000; i++) {
		long long next_cyc = PAPI_get_real_cyc();
		long long next_virt = PAPI_get_virt_cyc();

		assert_true(next_cyc >= cyc && next_virt >= virt);
		cyc = next_cyc;
		virt = next_virt;
	}
}

/*
 * A thread's cycles are its time at the rate of the real-time counter: both
 * pairs of clocks must give the same rate. Each reading of cycles lies between
 * two of time, so that the bounds hold whatever comes between.
 */
TEST_WITH(test_virtual_cycles_run_at_the_real_rate, open_toys, close_toys)
{
	long long ns[4], virt_ns[2];
	double cyc, virt;

	ns[0] = PAPI_get_real_nsec();
	cyc = (double)-PAPI_get_real_cyc();
	ns[1] = PAPI_get_real_nsec();
	while (PAPI_get_real_nsec() - ns[1] < 20000000)
		;
	ns[2] = PAPI_get_real_nsec();
	cyc += (double)PAPI_get_real_cyc();
	ns[3] = PAPI_get_real_nsec();
	virt_ns[0] = PAPI_get_virt_nsec();
	virt = (double)PAPI_get_virt_cyc();
	virt_ns[1] = PAPI_get_virt_nsec();
	assert_true(virt / (double)virt_ns[0] >
		    0.98 * cyc / (double)(ns[3] - ns[0]));
	assert_true(virt / (double)virt_ns[1] <
		    1.02 * cyc / (double)(ns[2] - ns[1]));
}

RUN_ALL_TESTS
