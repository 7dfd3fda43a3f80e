/* SPDX-License-Identifier: BSD-3-Clause */
/* Waiting for a process to end, with things to do meanwhile. */
#ifndef PROCESS_WATCH_H
#define PROCESS_WATCH_H

#include <signal.h>
#include <stdint.h>
#include <sys/types.h>

/* Something to be done every so often. */
struct watch_timer {
	uint64_t every_ns; /* 0: never */
	void (*fire)(void *context, uint64_t elapsed_ns);
	void *context;
};

#define WATCH_TIMERS 2

struct watch {
	struct watch_timer timers[WATCH_TIMERS];
	uint64_t limit_ns; /* wait no longer; 0: until the end */
	/* NULL, or what a signal handler sets to end the waiting */
	volatile sig_atomic_t *stop;
};

/*
 * Wait until process @pid, a child or not, has ended (a child is not reaped),
 * or @watch says enough. Elapsed times are since @start_ns.
 */
void watch_process(pid_t pid, const struct watch *watch, uint64_t start_ns);

#endif /* PROCESS_WATCH_H */
