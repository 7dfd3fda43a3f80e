/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The program that runs kernels and counts them (libexec/kernels): a process
 * of its own, so that it can be run on the simulated PMU, and so small that
 * nothing in it disturbs what is counted.
 *
 * It is spoken to in lines, on standard input and output. A line of an answer
 * begins with a word that says what it is; "no SENTENCE" is a refusal.
 *
 *   hello           "pmu KIND COUNTERS MODEL" (KIND: none, hw or sim)
 *   where           "where WORDS": the machine it runs on
 *   events          "event NAME" for each native event of the PMU, then "end"
 *   events NAME     the same for the component NAME; the events are not tried
 *   want NAME       "ok", or "no SENTENCE": this event is to be counted
 *   pack            "set N N N ..." for each set, with the numbers of events in
 *                   the order wanted, then "end"
 *   code KERNEL     "code INSTRUCTIONS LOADS STORES FP SQRT BRANCHES" of its
 *                   loop, from the object code
 *   run KERNEL TIMES FOOTPRINT UNIT OFFSET PAGES K PATTERN REPEATS [SETS]
 *                   "c SET REPEAT COUNT COUNT ..." for each, then "end";
 *                   SETS has a 1 for each set to count, 0 for others
 *   multiplex KERNEL TIMES ...
 *                   "m COUNT COUNT ...": of all events wanted, in one set that
 *                   shares the counters; the rest as for "run"
 *   sample NUMBER THRESHOLD KERNEL TIMES ...
 *                   "s COUNT CALLS" of a handler of overflows of the event of
 *                   that number, then "b BUCKET HITS" for each of the buckets
 *                   of PAPI_profil() around the middle one of the places, then
 *                   "end"
 *
 * An empty line or the end of the input ends it.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "kernels/kernel.h"
#include "lab/experiment.h"

/* Events packed into sets. */
struct worker_set {
	int handle;      /* the library's; PAPI_NULL: not made now */
	size_t *members; /* numbers of events */
	size_t n;
	uint64_t refuses;   /* kinds of events, one bit each */
	unsigned long used; /* when it was last needed */
};

struct worker {
	struct worker_event {
		char *name;
		int code;
		unsigned refused; /* by which probes, one bit each */
		unsigned kind;    /* of events refused by the same ones */
	} * events;
	size_t n_events;
	struct worker_set *sets;
	size_t n_sets;
	unsigned long clock;
	char *memory; /* for kernels */
	/* where a steady kernel begins, if the machine can be put there */
	struct kernel_run kept;
	bool keeps;
};

/* The program: what its main() is. */
int worker_main(int argc, char **argv);

/* Run @kernel once at @point, counting nothing. NULL, or why it cannot. */
const char *worker_run_alone(const struct kernel *kernel,
			     const struct kernel_point *point);

/* Put every event into a set. 0, or a PAPI error. */
int worker_pack(struct worker *worker);

/* The set, made if it has to be. 0, or a PAPI error. */
int worker_need_set(struct worker *worker, struct worker_set *set);

/*
 * Count a kernel that is set up. @values has room for the set's members. 0, or
 * a PAPI error.
 */
int worker_count(const struct worker_set *set, const struct kernel *kernel,
		 struct kernel_run *run, enum experiment_pattern pattern,
		 long long *values);

/* Count every event in one multiplexed set. 0, or a PAPI error. */
int worker_multiplex(const struct worker *worker, const struct kernel *kernel,
		     struct kernel_run *run, long long *values);

#define WORKER_BUCKETS 64 /* of four bytes of code each */

struct worker_sampled {
	long long count;
	size_t calls;     /* of the handler */
	uintptr_t middle; /* of the addresses that it was given */
	unsigned buckets[WORKER_BUCKETS];
};

/*
 * Run the kernel with a handler at every @threshold of event @code, and again
 * for a histogram of where it was. 0, or a PAPI error.
 */
int worker_sample(int code, int threshold, const struct kernel *kernel,
		  struct kernel_run *run, struct worker_sampled *out);
