/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An EventSet that counts a thread with what it will start, or the whole
 * machine; with what was last read from it.
 */
#ifndef MEASURE_ATTACHED_H
#define MEASURE_ATTACHED_H

#include <stdbool.h>
#include <sys/types.h>

#include <assay/assay.h>

#define ATTACHED_MACHINE 0 /* as a thread's number */

/* Zeroed, it is closed. */
struct attached {
	bool is_started;
	bool is_open;
	int set;
	pid_t tid;
	char name[16]; /* of the thread; "" if not known */
	int n;         /* events that were read */
	int *codes;
	struct assay_value *values;
};

struct attached_options {
	pid_t tid;        /* or ATTACHED_MACHINE */
	bool on_exec;     /* begin when it calls exec */
	bool multiplexed; /* events take turns */
	bool per_thread;  /* keep apart what each thread counts */
};

/* Each returns PAPI's codes; assay_error() has the sentence. */

int attached_open(struct attached *a, const struct attached_options *how);

/* Without events there is nothing to start or read. */
int attached_start(struct attached *a);
int attached_read(struct attached *a);

/* The value with all digits of a count; NaN: none. */
long double attached_number(const struct assay_value *v);

/* What was last read of event @code, or NULL if it is not in the set. */
const struct assay_value *attached_find(const struct attached *a, int code);

/* Stop counting, but keep what was read. */
void attached_stop(struct attached *a);

void attached_close(struct attached *a);

#endif /* MEASURE_ATTACHED_H */
