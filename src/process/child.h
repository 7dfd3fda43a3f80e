/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program as a child: made, held until the counters are attached to it, let
 * go, waited for.
 */
#ifndef PROCESS_CHILD_H
#define PROCESS_CHILD_H

#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "process/watch.h"

/*
 * Turns the held child into the program. Returns only if that failed, with
 * errno set. Runs between fork and exec.
 */
typedef void (*child_exec_fn)(void *context, char **argv);

struct child {
	pid_t pid;
	int go;   /* a byte written here lets the child go */
	int told; /* what it used before, the errno of a failed exec */
};

struct child_result {
	pid_t pid;
	int status; /* exit status as a shell sees it: 128 + n on a signal */
	uint64_t wall_ns;    /* from child_run() to its end */
	struct rusage usage; /* since child_run(), but for the peak memory */
	long rss_before_kb;  /* peak memory of the child before that */
};

/* Fork; the child waits. 0, or an errno. */
int child_start(struct child *child, char **argv, child_exec_fn exec,
		void *context);

/*
 * Let it run, and wait for its end. Signals that would end us are passed on
 * to it meanwhile, but for the keyboard's, which it gets as well. @watch (may
 * be NULL) says what to do meanwhile. 0, or the errno of the exec that failed;
 * then the child is gone.
 */
int child_run(struct child *child, const struct watch *watch,
	      struct child_result *result);

/* End a child that was never let go. */
void child_abandon(struct child *child);

#endif /* PROCESS_CHILD_H */
