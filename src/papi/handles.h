/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From a user's EventSet number to the EventSet, without a lock.
 *
 * Handles lie in chunks of doubling size that never move, so a thread may look
 * one up while another makes more. A number that was given back is used again
 * only when many others were given back after it, so that a program which goes
 * on using it is told PAPI_ENOEVST instead of meeting a stranger's EventSet.
 *
 * A thread enters a handle for as long as a call uses its EventSet, and others
 * wait, so that none destroys what another one reads. One of them is next, and
 * nobody enters before it: a thread that uses the EventSet all the time would
 * be in again before anyone else is awake. Calls from the handler of a signal
 * that interrupted such a call are let through. Nobody waits for ever: two
 * handlers could wait for each other.
 */
#pragma once

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/eventset.h"

struct profiling;

struct handle {
	_Atomic(struct eventset *) set; /* NULL: nobody's */
	atomic_uintptr_t user;          /* the thread that is in; 0: none */
	atomic_uintptr_t heir;          /* who enters next; 0: anyone */
	PAPI_overflow_handler_t on_overflow; /* the user's */
	struct profiling *profiling;
	unsigned generation; /* of the process that made it */
	int next;            /* in the queue of free ones; -1: the last */
};

enum {
	HANDLES_FIRST = 64,  /* in the first chunk; a power of two */
	HANDLES_CHUNKS = 25, /* enough for every int */
	HANDLES_REST = 1024, /* free ones that wait until one is used again */
};

struct handles {
	_Atomic(struct handle *) chunks[HANDLES_CHUNKS];
	unsigned generation; /* one more in the child of a fork */

	pthread_mutex_t lock; /* guards all below */
	int made;
	int first, last; /* of the free ones; -1: none */
	int n_free;
};

void handles_init(struct handles *h);
void handles_fini(struct handles *h); /* the EventSets are gone by then */

/* Make a new EventSet, and a handle for it. */
int handles_add(struct handles *h, struct registry *r, int *id);

/* Forget handle @id, whose EventSet the caller has released. */
void handles_remove(struct handles *h, int id);

/* In the child of a fork: let out the threads that are not there. */
void handles_fork(struct handles *h);

enum handle_way {
	HANDLE_BUSY,   /* another thread is in, for seconds */
	HANDLE_NESTED, /* this thread was in already */
	HANDLE_IN,     /* leave it again */
};

/* Wait for another thread to leave. */
enum handle_way handle_wait(struct handle *handle, uintptr_t self);

/* A number that only this thread has; without a call where possible. */
static inline uintptr_t handle_self(void)
{
#if defined(__has_builtin)
#if __has_builtin(__builtin_thread_pointer)
	return (uintptr_t)__builtin_thread_pointer();
#endif
#endif
	return (uintptr_t)pthread_self();
}

static inline void handle_leave(struct handle *handle)
{
	atomic_store_explicit(&handle->user, 0, memory_order_release);
}

static inline bool handle_has_heir(struct handle *handle)
{
	return atomic_load_explicit(&handle->heir, memory_order_relaxed) != 0;
}

static inline enum handle_way handle_enter(struct handle *handle)
{
	uintptr_t self = handle_self();
	uintptr_t user = 0;

	if (!atomic_compare_exchange_strong_explicit(&handle->user, &user, self,
						     memory_order_acquire,
						     memory_order_relaxed))
		return user == self ? HANDLE_NESTED : handle_wait(handle, self);
	if (!handle_has_heir(handle))
		return HANDLE_IN;
	handle_leave(handle);
	return handle_wait(handle, self);
}

/* The place of a number that is not in the first chunk. */
struct handle *handles_far_place(struct handles *h, int id);

/* The place of number @id, in use or not; NULL if there never was one. */
static inline struct handle *handles_place(struct handles *h, int id)
{
	struct handle *chunk;

	if ((unsigned)id >= HANDLES_FIRST)
		return handles_far_place(h, id);
	chunk = atomic_load_explicit(&h->chunks[0], memory_order_acquire);
	return chunk ? &chunk[id] : NULL;
}

static inline struct eventset *handle_set(struct handle *handle)
{
	return atomic_load_explicit(&handle->set, memory_order_acquire);
}

/* The handle of EventSet @id, or NULL. */
static inline struct handle *handles_find(struct handles *h, int id)
{
	struct handle *handle = handles_place(h, id);

	return handle && handle_set(handle) ? handle : NULL;
}
