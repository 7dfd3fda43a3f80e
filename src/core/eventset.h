/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * EventSets: events that are counted together, in one slice per component.
 *
 * An entry is what the user added: a native event, or a formula over several.
 * Entries share native events, so each is counted once. Which call is legal in
 * which state stands in one table in eventset.c.
 *
 * A set is used by one thread at a time. Its counts are those of the thread
 * that starts it, unless it is attached elsewhere.
 */
#pragma once

#include "core/component.h"
#include "core/registry.h"

/* A native event: which component, and which of its events. */
struct native {
	unsigned component;
	size_t event;
};

/*
 * How an entry's value is made from its native counts. The strings and the
 * program are borrowed and outlive the set.
 */
struct recipe {
	int code; /* PAPI's event code, for listing and removal */
	const char *unit;
	size_t n;
	const struct native *natives;
	/* value = sum of weights[i] * count[i], exact in 64 bits; or NULL */
	const int *weights;
	/* otherwise this; NaN is no value; counts has n elements */
	double (*eval)(const void *program, const double *counts);
	const void *program;
	/* neither: the value is the first native's */
	bool is_count; /* below 0 makes no sense: it is then 0, and marked */
};

/* An entry's value, and how good it is. */
struct value {
	int64_t integer; /* rounded to nearest; 0 if there is no value */
	double real;     /* NaN: no value */
	double error;    /* standard error; 0 when counted all the time */
	uint64_t enabled_ns;
	uint64_t running_ns; /* the least of its native events */
	bool scaled;
	bool untold;    /* a part of it is COUNT_UNTOLD */
	bool too_large; /* for 64 bits: there is no value */
	bool clamped;   /* came out negative from scaled counts; now 0 */
	const struct component *source;
};

struct eventset;

/*
 * How a running set is read whose values are its component's, one for one. It
 * is where every set begins, so that the calls that programs make in their
 * innermost loops are short; @read is NULL for other sets, and any of the two
 * may say false: then eventset_read() and eventset_read_reset() know more.
 */
struct eventset_short {
	bool (*read)(struct slice *s, const struct count *base,
		     long long *values);
	bool (*reset)(struct slice *s, struct count *base, long long *values);
	struct slice *slice;
	struct count *base;
};

static inline bool eventset_read_short(struct eventset *set, long long *values)
{
	const struct eventset_short *way = (struct eventset_short *)set;

	return way->read && way->read(way->slice, way->base, values);
}

/* Values may be NULL. */
static inline bool eventset_reset_short(struct eventset *set, long long *values)
{
	const struct eventset_short *way = (struct eventset_short *)set;

	return way->reset && way->reset(way->slice, way->base, values);
}

int eventset_new(struct registry *r, int id, struct eventset **out);

/* Close and free; PAPI_EISRUN if it runs. */
int eventset_free(struct eventset *set);

/* PAPI's state bits (PAPI_STOPPED, PAPI_RUNNING | PAPI_MULTIPLEXING, ...). */
int eventset_state(const struct eventset *set);

/*
 * Add an entry; it is opened with the others, so success means that they can
 * be counted together. On error the set is as it was.
 *
 *   PAPI_EISRUN   the set is running
 *   PAPI_ECNFLCT  already in it, or cannot be counted with the others
 *   and what opening the event gives
 */
int eventset_add(struct eventset *set, const struct recipe *recipe,
		 struct diag *diag);
int eventset_remove(struct eventset *set, int code);
int eventset_clear(struct eventset *set); /* all entries and options go */

size_t eventset_size(const struct eventset *set);
const struct recipe *eventset_recipe(const struct eventset *set, size_t i);

/*
 * Counting. @values has eventset_size() elements; NULL where not wanted. A
 * start begins at zero; a stopped set keeps what it had when it was stopped.
 */
int eventset_start(struct eventset *set, struct diag *diag);
int eventset_stop(struct eventset *set, long long *values);
int eventset_read(struct eventset *set, long long *values);
/* Read, and go on from zero: the same moment for both. */
int eventset_read_reset(struct eventset *set, long long *values);
int eventset_reset(struct eventset *set);
/* Let entry i read @values[i] now, and count on from there. */
int eventset_write(struct eventset *set, const long long *values);

/*
 * What the last of these calls saw, in full; @values as above. A read with
 * values may be a short one that saw no more than those: read with NULL first.
 */
void eventset_values(const struct eventset *set, struct value *values);

/*
 * Each thread's values, of a set with the option per_thread, once they have
 * ended; @visit is told eventset_size() values. PAPI_ENOSUPP if a component
 * cannot tell threads apart; diag says more.
 */
typedef void (*eventset_thread_visitor)(const struct thread_counts *thread,
					const struct value *values, void *data);
int eventset_read_threads(struct eventset *set, eventset_thread_visitor visit,
			  void *data, struct diag *diag);

/* How often software overflow looks, unless told: PAPI's default. */
#define EVENTSET_CHECK_NS 10000000U

/* Options hold for slices opened later; a change opens a stopped set anew. */
struct eventset_options {
	struct slice_options slice;
	int component;     /* assigned, or -1 */
	bool attached;     /* to a task, for the state bits */
	bool software_mpx; /* rotate in this library instead of the kernel */
	uint64_t check_ns; /* between software overflow's looks; 0: 10 ms */
	bool check_real;   /* of real time, not of the thread's CPU time */
};
const struct eventset_options *eventset_options(const struct eventset *set);
int eventset_set_options(struct eventset *set,
			 const struct eventset_options *options,
			 struct diag *diag);

/*
 * Call @handler whenever entry @entry has counted another @threshold; 0 turns
 * it off. @software checks at a timer's ticks instead of by interrupt.
 */
typedef void (*overflow_handler)(int id, void *address, long long which,
				 void *context, void *data);
int eventset_set_overflow(struct eventset *set, size_t entry,
			  uint64_t threshold, bool software,
			  overflow_handler handler, void *data,
			  struct diag *diag);

/*
 * The threshold of entry @entry, and by how much its count was past it at the
 * last overflow: not 0 only where a timer looks. For the handler.
 */
uint64_t eventset_threshold(const struct eventset *set, size_t entry,
			    uint64_t *overshoot);

/* Entries whose bits are set in an overflow vector. */
int eventset_overflow_entries(const struct eventset *set, long long which,
			      int *entries, int *n);

/* Mark it as profiling, for the state bits. */
void eventset_set_profiling(struct eventset *set, bool on);

int eventset_id(const struct eventset *set);
