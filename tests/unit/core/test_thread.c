/* SPDX-License-Identifier: BSD-3-Clause */
/* Which threads are known, from their start to their end. */
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

TEST(test_thread_is_known_until_it_ends)
{
	pthread_t other;
	pid_t tid = 0;
	void *ok;
	int n = 0;

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

TEST(test_list_says_when_it_is_too_short)
{
	unsigned long ids[1];
	int n = 0;

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

TEST(test_user_names_threads)
{
	thread_get();
	thread_set_id_function(always_42);
	assert_int_equal(thread_id(), 42);
	assert_int_equal(thread_get()->id, 42);
	thread_set_id_function(NULL);
	assert_int_equal(thread_id(), getpid());
}

TEST(test_child_has_its_own_id)
{
	pid_t child;
	int status;

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

TEST(test_forgotten_thread_comes_back)
{
	int n = 5;

	thread_get();
	thread_forget();
	assert_int_equal(thread_list(NULL, &n), 0);
	assert_int_equal(n, 0);
	assert_non_null(thread_get());
}

RUN_ALL_TESTS
