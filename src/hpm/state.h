/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What libhpm knows while a program runs: events, threads, problems. There is
 * one of it in a process.
 */
#pragma once

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/types.h>

#include "hpm/derive.h"
#include "hpm/events.h"
#include "hpm/missing.h"
#include "hpm/section.h"

/* What a thread's set was to be made for. */
enum set_purpose {
	SET_FOR_NOTHING,
	SET_FOR_COSTS,
	SET_FOR_SECTIONS,
};

/* One thread that has entered a section. Kept after the thread ends. */
struct hpm_thread {
	pid_t tid;
	int number;       /* in the order of their first section */
	int set;          /* EventSet of hpmTstart(); PAPI_NULL: none */
	int tried;        /* to make it: enum set_purpose */
	char why[200];    /* why there is none, or it could not be read */
	atomic_flag lock; /* guards all below, against a writer elsewhere */
	struct sections sections;
	struct sections costs; /* of the calls themselves */
	int64_t *now;          /* room for two reads */
	struct hpm_thread *_Atomic next;
};

/* The latest measurements of a pair's time, outside what is charged to it. */
#define COST_SAMPLES 64

struct cost_samples {
	int64_t inside[COST_SAMPLES];
	int64_t full[COST_SAMPLES];
	unsigned n; /* that were ever made */
};

/* A call that made no sense, and how often it was made. */
struct problem {
	const char *what; /* static */
	int id;
	char *file; /* owned */
	int line;
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
	bool simulated;             /* then time tells nothing */
	struct hpm_missing missing; /* in sections of the process */
	struct hpm_metrics metrics;
	double *quantities; /* room for a section's, for its metrics */
	int process_set;
	atomic_bool process_used; /* by a section of the process */
	atomic_bool crowded;      /* a thread's set does not fit beside it */
	pthread_mutex_t process_lock; /* guards reads of process_set */
	char process_why[200];        /* why there is none; "": there is */
	struct cost costs[SECTION_KINDS];
	struct cost_samples samples[SECTION_KINDS]; /* guarded by lock */
	atomic_uint_fast64_t nested; /* calls out of a signal handler that had
					interrupted one */
	uint64_t checkpoint_ns; /* how often to write; 0: at the end only */
	atomic_uint_fast64_t written_ns;
	struct marks *marks; /* of who watches; NULL: nobody does */

	struct hpm_thread *_Atomic threads; /* grows at its end only */
	pthread_mutex_t lock;               /* guards all below */
	struct hpm_thread *last;
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

/*
 * Make the set that the calling thread's sections read, unless that was tried
 * before. It is released when the thread ends. False: it was there.
 *
 * A PMU that has too few counters for it beside the set of the process has them
 * for one kind of sections: for that whose first section comes first.
 */
bool thread_need_set(struct hpm_state *state, struct hpm_thread *t,
		     enum set_purpose purpose);

void thread_lock(struct hpm_thread *t);
void thread_unlock(struct hpm_thread *t);

/* For who dies: gives up after a while, unless the calling thread itself was
 * interrupted while it had it. False: do not look, and do not unlock. */
bool thread_lock_dying(struct hpm_thread *t);

/*
 * A call of the program into libhpm begins and ends. False: a signal handler
 * has interrupted another, and nothing may be done.
 */
bool call_begin(void);
void call_end(void);

/*
 * A fatal signal came. True if the calling thread is inside a call that can be
 * ended first: then @handler gets the signal when it is.
 */
bool call_defer(int signal, void (*handler)(int signal));

/* Remember that a call made no sense. */
void state_problem(struct hpm_state *state, const char *what, int id,
		   const struct hpm_place *place);

/* Keep and give the sentence of what failed last; "" if nothing did. */
void state_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
const char *state_error(void);
