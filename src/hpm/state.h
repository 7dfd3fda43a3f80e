/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What libhpm knows while a program runs: events, threads, problems. There is
 * one of it in a process.
 */
#ifndef HPM_STATE_H
#define HPM_STATE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/types.h>

#include "hpm/derive.h"
#include "hpm/events.h"
#include "hpm/section.h"

/* One thread that has entered a section. Kept after the thread ends. */
struct hpm_thread {
	pid_t tid;
	int number;       /* in the order of their first section */
	int set;          /* EventSet of hpmTstart(); PAPI_NULL: none */
	bool tried;       /* to make it */
	atomic_flag lock; /* guards all below, against a writer elsewhere */
	struct sections sections;
	struct sections costs; /* of the calls themselves */
	int64_t *now;          /* room for one read */
	struct hpm_thread *next;
};

/* A call that made no sense, and how often it was made. */
struct problem {
	const char *what; /* static */
	int id;
	struct hpm_place place;
	uint64_t count;
};

#define PROBLEMS_MAX 64

struct hpm_state {
	pid_t pid; /* whose it is */
	int task;
	char program[128];
	atomic_bool asked; /* by hpmInit(); else a section came first */
	uint64_t began_ns;
	time_t began;
	struct hpm_events events;
	bool simulated; /* then time tells nothing */
	struct hpm_metrics metrics;
	double *quantities; /* room for a section's, for its metrics */
	int process_set;
	pthread_mutex_t process_lock; /* guards reads of process_set */
	struct cost costs[SECTION_KINDS];
	uint64_t checkpoint_ns; /* how often to write; 0: at the end only */
	atomic_uint_fast64_t written_ns;
	struct marks *marks; /* of who watches; NULL: nobody does */

	struct hpm_thread *_Atomic threads; /* grows at its head only */
	pthread_mutex_t lock;               /* guards all below */
	int threads_n;
	struct problem problems[PROBLEMS_MAX];
	int problems_n;
	uint64_t problems_lost;
	struct hpm_state *next; /* that was finished before */
};

/* Make it with a task number and a name; later calls change only these. NULL
 * if it cannot be made. */
struct hpm_state *state_init(int task, const char *program);

/* The state if there is one; safe in a signal handler. */
struct hpm_state *state_current(void);

/* Forget everything; a later call starts anew. */
void state_finish(void);

/* Forget it without touching it: it belongs to the parent process. */
void state_abandon(void);

/* The calling thread's record; NULL if there is no memory. */
struct hpm_thread *state_thread(struct hpm_state *state);

void thread_lock(struct hpm_thread *t);
bool thread_try_lock(struct hpm_thread *t); /* gives up after a while */
void thread_unlock(struct hpm_thread *t);

/* Remember that a call made no sense. */
void state_problem(struct hpm_state *state, const char *what, int id,
		   const struct hpm_place *place);

/* Keep and give the sentence of what failed last; "" if nothing did. */
void state_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
const char *state_error(void);

#endif /* HPM_STATE_H */
