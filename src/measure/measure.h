/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counting a process that is not ours: events looked up once, then for every
 * run an EventSet attached to the child, started when it calls exec, and read
 * after its end. Of a process that runs already each thread has one. Events of
 * the whole machine are counted meanwhile in a set of their own.
 */
#pragma once

#include <assay/assay.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "measure/metrics.h"

/*
 * An EventSet that counts a thread with what it will start, or the whole
 * machine; with what was last read from it.
 */

#define THREAD_SET_MACHINE 0 /* as a thread's number */

/* Zeroed, it is closed. */
struct thread_set {
	bool is_started;
	bool is_open;
	int set;
	pid_t tid;
	char name[16]; /* of the thread; "" if not known */
	int n;         /* events that were read */
	int *codes;
	struct assay_value *values;
};

struct thread_set_options {
	pid_t tid;        /* or THREAD_SET_MACHINE */
	bool on_exec;     /* begin when it calls exec */
	bool multiplexed; /* events take turns */
	bool per_thread;  /* keep apart what each thread counts */
};

/* Each returns PAPI's codes; assay_error() has the sentence. */

int thread_set_open(struct thread_set *a, const struct thread_set_options *how);

/* Without events there is nothing to start or read. */
int thread_set_start(struct thread_set *a);
int thread_set_read(struct thread_set *a);

/* The value with all digits of a count; NaN: none. */
long double thread_set_number(const struct assay_value *v);

/* What was last read of event @code, or NULL if it is not in the set. */
const struct assay_value *thread_set_find(const struct thread_set *a, int code);

/* Stop counting, but keep what was read. */
void thread_set_stop(struct thread_set *a);

void thread_set_close(struct thread_set *a);

/* Where an event stands within a run. */
enum event_state {
	EVENT_NOT_YET, /* to be counted in this pass or a later one */
	EVENT_NOW,     /* in the EventSet */
	EVENT_DONE,    /* counted */
};

/* One event of a measurement. What it points to lives until measure_fini(). */
struct event_row {
	const char *name; /* as it was asked for; borrowed */
	char *text;       /* what it means, in a few words */
	char *unit;       /* "" for a plain count */
	double scale;     /* of the unit in one count: 2.3e-10 for Joules */
	char *source;     /* the component that counts it; "" if none does */
	int code;
	bool wanted;  /* by the user: it may not be left out */
	bool machine; /* counts the whole machine, not the program */
	bool hardware;
	bool level;   /* its last value is meant, not its growth */
	bool no_room; /* the reason is that the others take all counters */
	char *reason; /* why it is not counted; NULL: it is */
	enum event_state state;

	struct assay_value now; /* as last read, of all threads */
	long double total;      /* its value, to the last count */
	long double *values;    /* one for each run; NaN: none */
	double error;           /* of the last run, as all below */
	uint64_t enabled_ns;
	uint64_t running_ns;
	enum assay_quality quality;
};

/* What one thread did in the last run. */
struct thread_row {
	pid_t tid;
	char name[16];       /* "" if not known */
	long double *values; /* one for each event; NaN: none */
};

/*
 * More events than counters: either they take turns within a run, or the
 * program is run again, in as many passes as it takes, and nothing is scaled.
 */
enum measure_sharing {
	SHARE_TIME,
	SHARE_PASSES,
};

struct event_list {
	struct event_row *events;
	size_t n;
	size_t runs;   /* so far */
	size_t passes; /* of the last run */
	enum measure_sharing sharing;
	bool multiplexed;
	bool no_hardware;           /* a PMU's events are not to be counted */
	struct thread_set *threads; /* the first chooses what fits */
	size_t n_threads;           /* 0 between passes */
	bool is_attached;           /* to a process that ran already */
	bool is_simulated;          /* ... on the simulated PMU */
	bool per_thread;            /* keep rows */
	struct thread_row *rows;    /* one for each thread, if asked for */
	size_t n_rows;
	char *rows_reason;         /* why there are none; or NULL */
	struct thread_set machine; /* open if an event asks for it */
};

/*
 * Look up every name of @selection. One of the user's own words that is
 * unknown is PAPI_ENOEVNT, and its index is in *@bad; another gets a reason.
 * @runs is how many there will be.
 */
int measure_init(struct event_list *m, const struct selection *selection,
		 size_t runs, size_t *bad);

/* Begin a run: every event that can be counted is to be. */
void measure_begin(struct event_list *m);

/*
 * Begin a pass: attach to @pid and start. An event that cannot be counted gets
 * its reason; one that is not wanted by the user is left out if it does not
 * fit beside the others. An error is about the whole; assay_error() says what.
 */
int measure_start(struct event_list *m, pid_t pid);

/*
 * The same for a process that is running, with all its threads. PAPI_EINVAL if
 * there is no such process.
 */
int measure_attach(struct event_list *m, pid_t pid);

/* Read while it counts, into every event's now. */
int measure_read(struct event_list *m);

/* After the end of the child: read and stop. */
int measure_finish(struct event_list *m);

/* Whether events wait for another pass of this run. */
bool measure_waits(const struct event_list *m);

/* The run is over, with all its passes. */
void measure_end(struct event_list *m);

/* Let go of a child that never ran. */
void measure_cancel(struct event_list *m);

void measure_fini(struct event_list *m);

/* For measure.c: fill rows, or the reason why there are none. */
int measure_keep_rows(struct event_list *m);
void measure_forget_rows(struct event_list *m);
