/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Slices that compete for one set of hardware counters: those of one thread,
 * of one attached task, or of one CPU. One that is opened while another counts
 * is opened switched off, so that neither has to wait for the other.
 */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <sys/types.h>

struct pe_slice;

struct pe_home {
	pid_t tid; /* -1: a CPU's */
	int cpu;   /* -1: a task's */
	unsigned users;
	pthread_mutex_t lock;   /* guards the list of slices */
	struct pe_slice *first; /* linked by home_next */
	struct pe_home *next;
};

struct pe_homes {
	pthread_mutex_t lock; /* guards the list and the homes' .users */
	struct pe_home *first;
	unsigned generation; /* of the process that the list is for */
};

void pe_homes_init(struct pe_homes *homes);
void pe_homes_fini(struct pe_homes *homes);

/* Move @ps, a hardware slice, in with the others. 0 or PAPI_ENOMEM. */
int pe_home_enter(struct pe_homes *homes, struct pe_slice *ps, pid_t tid,
		  int cpu);
void pe_home_leave(struct pe_homes *homes, struct pe_slice *ps);

/* Whether another slice of @ps's home is running just now. */
bool pe_home_is_busy(struct pe_slice *ps);

/*
 * Which process this is: grows in the child of each fork, however it was made.
 * What was opened under another number belongs to an ancestor.
 */
unsigned pe_generation(void);

/* Make sure that forks are noticed. */
void pe_generation_watch(void);
