/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads: who they are, what they keep with the library, and two locks. */
#include "core/thread.h"

#include <stdatomic.h>

#include "base/array.h"
#include "papi/entry.h"

int PAPI_thread_init(unsigned long (*id_fn)(void))
{
	if (!library_need())
		return PAPI_ENOINIT;
	if (!id_fn)
		return error_set(PAPI_EINVAL);
	thread_set_id_function(id_fn);
	library_set_level(PAPI_THREAD_LEVEL_INITED);
	return PAPI_OK;
}

unsigned long PAPI_thread_id(void)
{
	if (!library_need())
		return (unsigned long)PAPI_ENOINIT;
	if (!(PAPI_is_initialized() & PAPI_THREAD_LEVEL_INITED))
		return (unsigned long)error_say(
			PAPI_EMISC, "PAPI_thread_init() has not been called");
	return thread_id();
}

int PAPI_register_thread(void)
{
	if (!library_need())
		return PAPI_ENOINIT;
	return thread_get() ? PAPI_OK : error_set(PAPI_ENOMEM);
}

int PAPI_unregister_thread(void)
{
	if (!library_need())
		return PAPI_ENOINIT;
	thread_forget();
	return PAPI_OK;
}

int PAPI_list_threads(PAPI_thread_id_t *tids, int *number)
{
	if (!library_need())
		return PAPI_ENOINIT;
	if (!number || *number < 0)
		return error_set(PAPI_EINVAL);
	return error_pass(thread_list(tids, number));
}

static int get_all(int tag, PAPI_all_thr_spec_t *all)
{
	if (!all || all->num < 0 || !all->data)
		return error_set(PAPI_EINVAL);
	return error_pass(
		thread_list_specific(tag, all->id, all->data, &all->num));
}

int PAPI_get_thr_specific(int tag, void **ptr)
{
	int slot = tag & ~PAPI_TLS_ALL_THREADS;
	struct thread *thread;

	if (!library_need())
		return PAPI_ENOINIT;
	if (slot < 0 || slot >= PAPI_NUM_TLS || !ptr)
		return error_set(PAPI_EINVAL);
	if (tag & PAPI_TLS_ALL_THREADS)
		return get_all(slot, (PAPI_all_thr_spec_t *)(void *)ptr);
	thread = thread_get();
	if (!thread)
		return error_set(PAPI_ENOMEM);
	*ptr = thread->specific[slot];
	return PAPI_OK;
}

int PAPI_set_thr_specific(int tag, void *ptr)
{
	struct thread *thread;

	if (!library_need())
		return PAPI_ENOINIT;
	if (tag < 0 || tag >= PAPI_NUM_TLS)
		return error_set(PAPI_EINVAL);
	thread = thread_get();
	if (!thread)
		return error_set(PAPI_ENOMEM);
	thread->specific[tag] = ptr;
	return PAPI_OK;
}

/*
 * The user's locks. They know who holds them, so that a program which locks
 * twice or unlocks what it does not hold is told so.
 */
static struct {
	pthread_mutex_t mutex;
	_Atomic(const void *) holder; /* that thread's own_mark; NULL: free */
} locks[PAPI_NUM_LOCK] = {
	{ .mutex = PTHREAD_MUTEX_INITIALIZER },
	{ .mutex = PTHREAD_MUTEX_INITIALIZER },
};

static _Thread_local char own_mark; /* its address tells threads apart */

int PAPI_lock(int lck)
{
	if (lck < 0 || lck >= PAPI_NUM_LOCK)
		return error_say(PAPI_EINVAL, "there is no lock %d", lck);
	if (atomic_load(&locks[lck].holder) == &own_mark)
		return error_say(PAPI_EINVAL,
				 "this thread already holds lock %d", lck);
	pthread_mutex_lock(&locks[lck].mutex);
	atomic_store(&locks[lck].holder, &own_mark);
	return PAPI_OK;
}

int PAPI_unlock(int lck)
{
	if (lck < 0 || lck >= PAPI_NUM_LOCK)
		return error_say(PAPI_EINVAL, "there is no lock %d", lck);
	if (atomic_load(&locks[lck].holder) != &own_mark)
		return error_say(PAPI_EPERM,
				 "this thread does not hold lock %d", lck);
	atomic_store(&locks[lck].holder, NULL);
	pthread_mutex_unlock(&locks[lck].mutex);
	return PAPI_OK;
}
