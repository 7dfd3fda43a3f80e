/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Gives out numbers, takes them back, and lets a thread wait for another to
 * leave a handle. What an EventSet does is left to src/core.
 */
#include "papi/handles.h"

#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

void handles_init(struct handles *h)
{
	for (int i = 0; i < HANDLES_CHUNKS; i++)
		atomic_init(&h->chunks[i], NULL);
	pthread_mutex_init(&h->lock, NULL);
	h->generation = 0;
	h->made = 0;
	h->first = h->last = -1;
	h->n_free = 0;
}

void handles_fini(struct handles *h)
{
	for (int i = 0; i < HANDLES_CHUNKS; i++)
		free(atomic_load(&h->chunks[i]));
	pthread_mutex_destroy(&h->lock);
}

/* A number that never was in use, in a chunk that is there. */
static int take_fresh(struct handles *h, int *id)
{
	unsigned at = (unsigned)h->made + HANDLES_FIRST;
	unsigned top = 31U - (unsigned)__builtin_clz(at);

	if (h->made >= INT_MAX - HANDLES_FIRST)
		return PAPI_ENOMEM;
	if (at == 1U << top) {
		struct handle *chunk = calloc(at, sizeof(*chunk));

		if (!chunk)
			return PAPI_ENOMEM;
		atomic_store_explicit(&h->chunks[top - 6], chunk,
				      memory_order_release);
	}
	*id = h->made++;
	return 0;
}

static int take_id(struct handles *h, int *id)
{
	if (h->n_free <= HANDLES_REST)
		return take_fresh(h, id);
	*id = h->first;
	h->first = handles_place(h, *id)->next;
	h->n_free--;
	return 0;
}

static void give_back(struct handles *h, int id)
{
	handles_place(h, id)->next = -1;
	if (h->n_free++ == 0)
		h->first = id;
	else
		handles_place(h, h->last)->next = id;
	h->last = id;
}

struct handle *handles_far_place(struct handles *h, int id)
{
	unsigned at = (unsigned)id + HANDLES_FIRST;
	unsigned top;
	struct handle *chunk;

	if (id < 0 || at > INT_MAX)
		return NULL;
	top = 31U - (unsigned)__builtin_clz(at);
	chunk = atomic_load_explicit(&h->chunks[top - 6], memory_order_acquire);
	return chunk ? &chunk[at - (1U << top)] : NULL;
}

int handles_add(struct handles *h, struct registry *r, int *id)
{
	struct eventset *set;
	struct handle *handle;
	int fresh, err;

	pthread_mutex_lock(&h->lock);
	err = take_id(h, &fresh);
	pthread_mutex_unlock(&h->lock);
	if (err)
		return err;

	err = eventset_new(r, fresh, &set);
	if (err) {
		handles_remove(h, fresh);
		return err;
	}
	handle = handles_place(h, fresh);
	handle->on_overflow = NULL;
	handle->profiling = NULL;
	handle->generation = h->generation;
	atomic_store_explicit(&handle->set, set, memory_order_release);
	*id = fresh;
	return 0;
}

void handles_remove(struct handles *h, int id)
{
	atomic_store_explicit(&handles_place(h, id)->set, NULL,
			      memory_order_release);
	pthread_mutex_lock(&h->lock);
	give_back(h, id);
	pthread_mutex_unlock(&h->lock);
}

void handles_fork(struct handles *h)
{
	uintptr_t self = handle_self();

	h->generation++;
	for (int id = 0; id < h->made; id++) {
		struct handle *handle = handles_place(h, id);

		atomic_store(&handle->heir, 0);
		if (atomic_load(&handle->user) != self)
			handle_leave(handle);
	}
}

/* Whether @self is the heir, as it now is if nobody was. */
static bool is_heir(struct handle *handle, uintptr_t self)
{
	uintptr_t heir = 0;

	return atomic_compare_exchange_strong_explicit(
		       &handle->heir, &heir, self, memory_order_relaxed,
		       memory_order_relaxed) ||
	       heir == self;
}

static void leave_the_queue(struct handle *handle, uintptr_t self)
{
	uintptr_t heir = self;

	atomic_compare_exchange_strong_explicit(&handle->heir, &heir, 0,
						memory_order_relaxed,
						memory_order_relaxed);
}

enum handle_way handle_wait(struct handle *handle, uintptr_t self)
{
	enum {
		YIELDS = 100,
		MILLISECONDS = 5000
	};
	enum handle_way way = HANDLE_BUSY;

	for (int i = 0; i < YIELDS + MILLISECONDS; i++) {
		uintptr_t user = 0;

		if (is_heir(handle, self) &&
		    atomic_compare_exchange_strong_explicit(
			    &handle->user, &user, self, memory_order_acquire,
			    memory_order_relaxed)) {
			way = HANDLE_IN;
			break;
		}
		if (i < YIELDS)
			sched_yield();
		else
			usleep(1000);
	}
	leave_the_queue(handle, self);
	return way;
}
