/* SPDX-License-Identifier: BSD-3-Clause */
/* Handles: any number, never the wrong EventSet, found while others are made */
#include "papi/handles.h"

#include <sched.h>
#include <stdlib.h>

#include "tests/unit/core/toy.h"
#include "tests/unit/testing.h"

static struct handles h;
static struct registry *r;

static int set_up(void **state)
{
	(void)state;
	r = toy_registry();
	handles_init(&h);
	return r ? 0 : -1;
}

static int tear_down(void **state)
{
	(void)state;
	for (int id = 0; id < h.made; id++) {
		struct handle *handle = handles_find(&h, id);

		if (handle)
			eventset_free(handle_set(handle));
	}
	handles_fini(&h);
	registry_close(r);
	return 0;
}

static int add(void)
{
	int id = PAPI_NULL;

	assert_int_equal(handles_add(&h, r, &id), 0);
	return id;
}

static void drop(int id)
{
	eventset_free(handle_set(handles_find(&h, id)));
	handles_remove(&h, id);
}

TEST_WITH(test_each_number_finds_its_own_set, set_up, tear_down)
{
	enum {
		MANY = 5000
	};

	for (int i = 0; i < MANY; i++)
		assert_int_equal(add(), i);
	for (int i = 0; i < MANY; i++)
		assert_int_equal(eventset_id(handle_set(handles_find(&h, i))),
				 i);
}

TEST_WITH(test_numbers_that_never_were_find_nothing, set_up, tear_down)
{
	static const int none[] = { -1, INT_MIN, INT_MAX, INT_MAX - 63,
				    64, 100000,  1 << 30, 1 };

	assert_int_equal(add(), 0);
	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
		assert_null(handles_find(&h, none[i]));
}

TEST_WITH(test_number_given_back_rests, set_up, tear_down)
{
	assert_int_equal(add(), 0);
	drop(0);
	assert_null(handles_find(&h, 0));
	for (int i = 0; i < HANDLES_REST; i++) {
		int id = add();

		assert_int_not_equal(id, 0);
		drop(id);
	}
	assert_null(handles_find(&h, 0));
}

TEST_WITH(test_numbers_are_used_again_in_turn, set_up, tear_down)
{
	for (int i = 0; i < 20 * HANDLES_REST; i++)
		drop(add());
	assert_in_range(h.made, HANDLES_REST, HANDLES_REST + 2);
	assert_int_equal(h.n_free, h.made);
}

/* One thread makes handles while the test looks for those it has made. */
static atomic_int made_by_thread;

static void *make_handles(void *unused)
{
	for (int i = 0; i < 20000; i++) {
		int id;

		if (handles_add(&h, r, &id))
			abort();
		atomic_store(&made_by_thread, id + 1);
	}
	return unused;
}

TEST_WITH(test_look_up_while_others_are_made, set_up, tear_down)
{
	pthread_t thread;
	int n = 0;

	atomic_store(&made_by_thread, 0);
	assert_int_equal(pthread_create(&thread, NULL, make_handles, NULL), 0);
	while (n < 20000) {
		n = atomic_load(&made_by_thread);
		if (n > 0)
			assert_non_null(handles_find(&h, n - 1));
	}
	pthread_join(thread, NULL);
}

/* Another thread enters once. */
static atomic_bool was_in;

static void *enter_once(void *argument)
{
	struct handle *handle = argument;

	if (handle_enter(handle) != HANDLE_IN)
		abort();
	atomic_store(&was_in, true);
	handle_leave(handle);
	return NULL;
}

TEST_WITH(test_who_waits_is_in_before_who_comes_again, set_up, tear_down)
{
	struct handle *handle = handles_find(&h, add());
	pthread_t thread;

	for (int i = 0; i < 20; i++) {
		atomic_store(&was_in, false);
		assert_int_equal(handle_enter(handle), HANDLE_IN);
		assert_int_equal(
			pthread_create(&thread, NULL, enter_once, handle), 0);
		while (!handle_has_heir(handle))
			sched_yield();
		handle_leave(handle);
		assert_int_equal(handle_enter(handle), HANDLE_IN);
		assert_true(atomic_load(&was_in));
		assert_int_equal(handle_enter(handle), HANDLE_NESTED);
		handle_leave(handle);
		pthread_join(thread, NULL);
		assert_false(handle_has_heir(handle));
	}
}

RUN_ALL_TESTS
