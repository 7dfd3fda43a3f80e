/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Keeps one record for each thread, forgets it when the thread ends, and starts
 * anew in the child of a fork. What others store with a thread is theirs.
 */
#include "core/thread.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/err.h"

static _Thread_local struct thread *self;
static _Thread_local pid_t self_tid;

static struct {
	pthread_mutex_t lock; /* guards list */
	struct thread *list;
	pthread_once_t once;
	pthread_key_t key; /* its destructor forgets a thread that ends */
	int key_error;
	unsigned long (*_Atomic id_fn)(void);
} threads = { .lock = PTHREAD_MUTEX_INITIALIZER, .once = PTHREAD_ONCE_INIT };

static void unlink_thread(struct thread *t)
{
	pthread_mutex_lock(&threads.lock);
	for (struct thread **at = &threads.list; *at; at = &(*at)->next) {
		if (*at == t) {
			*at = t->next;
			break;
		}
	}
	pthread_mutex_unlock(&threads.lock);
	free(t);
}

static void at_thread_end(void *thread)
{
	self = NULL;
	unlink_thread(thread);
}

/* A child has one thread, with another id. */
static void in_child(void)
{
	struct thread *t = threads.list;

	pthread_mutex_init(&threads.lock, NULL);
	self_tid = 0;
	while (t) {
		struct thread *next = t->next;

		if (t != self)
			free(t);
		t = next;
	}
	threads.list = self;
	if (self) {
		self->next = NULL;
		self->tid = thread_tid();
		self->id = thread_id();
	}
}

static void before_fork(void)
{
	pthread_mutex_lock(&threads.lock);
}

static void in_parent(void)
{
	pthread_mutex_unlock(&threads.lock);
}

static void set_up(void)
{
	threads.key_error = pthread_key_create(&threads.key, at_thread_end);
	pthread_atfork(before_fork, in_parent, in_child);
}

pid_t thread_tid(void)
{
	if (self_tid == 0) {
		pthread_once(&threads.once, set_up);
		self_tid = gettid();
	}
	return self_tid;
}

unsigned long thread_id(void)
{
	unsigned long (*id_fn)(void) = atomic_load(&threads.id_fn);

	return id_fn ? id_fn() : (unsigned long)thread_tid();
}

void thread_set_id_function(unsigned long (*id_fn)(void))
{
	atomic_store(&threads.id_fn, id_fn);
	if (self)
		self->id = thread_id();
}

struct thread *thread_get(void)
{
	struct thread *t = self;

	if (t)
		return t;
	pthread_once(&threads.once, set_up);
	if (threads.key_error)
		return NULL;
	t = calloc(1, sizeof(*t));
	if (!t)
		return NULL;
	t->tid = thread_tid();
	t->id = thread_id();
	if (pthread_setspecific(threads.key, t)) {
		free(t);
		return NULL;
	}
	pthread_mutex_lock(&threads.lock);
	t->next = threads.list;
	threads.list = t;
	pthread_mutex_unlock(&threads.lock);
	self = t;
	return t;
}

void thread_forget(void)
{
	struct thread *t = self;

	if (!t)
		return;
	self = NULL;
	pthread_setspecific(threads.key, NULL);
	unlink_thread(t);
}

/* Visit all threads; what is copied out is what @ids and @data ask for. */
static int copy_out(int tag, unsigned long *ids, void **data, int *n)
{
	int capacity = *n;
	int found = 0;

	pthread_mutex_lock(&threads.lock);
	for (struct thread *t = threads.list; t; t = t->next) {
		if (found < capacity) {
			if (ids)
				ids[found] = t->id;
			if (data)
				data[found] = t->specific[tag];
		}
		found++;
	}
	pthread_mutex_unlock(&threads.lock);
	*n = found;
	return (ids || data) && found > capacity ? PAPI_EBUF : 0;
}

int thread_list(unsigned long *ids, int *n)
{
	return copy_out(0, ids, NULL, n);
}

int thread_list_specific(int tag, unsigned long *ids, void **data, int *n)
{
	return copy_out(tag, ids, data, n);
}
