/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls of the C library that fail on request: the n-th of a kind from now on,
 * once. Linked before libc by a test, or put before a program with LD_PRELOAD
 * and FAULT=KIND:N[:COUNT-FILE].
 */
#pragma once

enum fault_kind {
	FAULT_MEMORY, /* malloc, calloc, realloc, ... */
	FAULT_OPEN,
	FAULT_READ,
	FAULT_WRITE,
	FAULT_MMAP,
	FAULT_FSYNC,
	FAULT_RENAME,
	FAULT_IOCTL,
	FAULT_PERF, /* perf_event_open */
	FAULT_THREAD,
	FAULT_TIMER,
	FAULT_FCNTL,
	FAULT_SPECIFIC, /* pthread_setspecific */
	FAULT_KINDS
};

extern const char *const fault_names[FAULT_KINDS];

/* Let the @n-th call of @kind from now on fail; 1 is the next. */
void fault_arm(enum fault_kind kind, unsigned long n);

/*
 * The same of calls to which the program comes by a way that it has not come
 * since: what can be reached by failures is reached by each of these once.
 */
void fault_arm_way(enum fault_kind kind, unsigned long n);

/* No more failures. Returns whether there was one. */
int fault_disarm(void);

/* Blocks of memory that are taken and not given back. */
long fault_live_blocks(void);
