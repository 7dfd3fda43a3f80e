/* SPDX-License-Identifier: BSD-3-Clause */
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/err.h"
#include "core/thread.h"
#include "tests/unit/testing.h"

static void *visit(void *out)
{
	struct thread *t = thread_get();

	t->specific[1] = out;
	*(pid_t *)out = thread_tid();
	return t->tid == gettid() ? out : NULL;
}

static void test_thread_is_known_until_it_ends(void **state)
{
	pthread_t other;
	pid_t tid = 0;
	void *ok;
	int n = 0;

	(void)state;
	assert_int_equal(thread_get()->tid, getpid());
	assert_int_equal(thread_list(NULL, &n), 0);
	assert_int_equal(n, 1);
	assert_int_equal(pthread_create(&other, NULL, visit, &tid), 0);
	pthread_join(other, &ok);
	assert_non_null(ok);
	assert_int_not_equal(tid, getpid());
	assert_int_equal(thread_list(NULL, &n), 0);
	assert_int_equal(n, 1);
}

static void test_list_says_when_it_is_too_short(void **state)
{
	unsigned long ids[1];
	int n = 0;

	(void)state;
	thread_get();
	assert_int_equal(thread_list(ids, &n), PAPI_EBUF);
	assert_int_equal(n, 1);
	assert_int_equal(thread_list(ids, &n), 0);
	assert_int_equal(ids[0], (unsigned long)getpid());
}

static unsigned long always_42(void)
{
	return 42;
}

static void test_user_names_threads(void **state)
{
	(void)state;
	thread_get();
	thread_set_id_function(always_42);
	assert_int_equal(thread_id(), 42);
	assert_int_equal(thread_get()->id, 42);
	thread_set_id_function(NULL);
	assert_int_equal(thread_id(), getpid());
}

static void test_child_has_its_own_id(void **state)
{
	pid_t child;
	int status;

	(void)state;
	thread_get();
	thread_tid();
	child = fork();
	if (child == 0)
		_exit(thread_tid() == getpid() && thread_get()->tid == getpid()
			      ? 0
			      : 1);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

static void test_forgotten_thread_comes_back(void **state)
{
	int n = 5;

	(void)state;
	thread_get();
	thread_forget();
	assert_int_equal(thread_list(NULL, &n), 0);
	assert_int_equal(n, 0);
	assert_non_null(thread_get());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_thread_is_known_until_it_ends),
		cmocka_unit_test(test_list_says_when_it_is_too_short),
		cmocka_unit_test(test_user_names_threads),
		cmocka_unit_test(test_child_has_its_own_id),
		cmocka_unit_test(test_forgotten_thread_comes_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
