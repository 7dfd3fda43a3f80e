/* SPDX-License-Identifier: BSD-3-Clause */
/* The threads that have used the library, and what they keep with it. */
#pragma once

#include <sys/types.h>

#define THREAD_SPECIFICS 3 /* PAPI_NUM_TLS */

struct thread {
	unsigned long id; /* what the user's function says, or the tid */
	pid_t tid;
	void *specific[THREAD_SPECIFICS];
	struct thread *next;
};

/*
 * The calling thread's record, made at its first call; NULL if there is no
 * memory. It goes away when the thread ends.
 */
struct thread *thread_get(void);

/* Ask @id_fn from now on what a thread is called; NULL: the kernel's tid. */
void thread_set_id_function(unsigned long (*id_fn)(void));
unsigned long thread_id(void);

/* The kernel's id of the calling thread, without a system call. */
pid_t thread_tid(void);

/* Forget the calling thread. */
void thread_forget(void);

/*
 * Up to *@n ids into @ids (may be NULL), and how many threads there are into
 * *@n. PAPI_EBUF if there are more than fit.
 */
int thread_list(unsigned long *ids, int *n);

/* Values under @tag of all threads, as PAPI_ALL_THREADS asks. */
int thread_list_specific(int tag, unsigned long *ids, void **data, int *n);
