/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the calls that need no EventSet keep for each thread: the counters of
 * the high level of 2000, and the rates. Their sets go when the thread ends.
 */
#pragma once

/* A set of a thread's own. */
struct hl_set {
	int id; /* PAPI_NULL: none */
	int n;
};

/* Which rate is being measured, and where it stood at the last call. */
struct hl_rate {
	struct hl_set set;
	int kind; /* of rates.c */
	int event;
	long long real_ns;
	long long virt_ns;
	long long first_real_ns;
	long long first_virt_ns;
	long long total;
	double modelled_s; /* on a modelled machine: its time so far */
};

struct hl_thread {
	unsigned epoch; /* of the library that the sets belong to */
	struct hl_set counters;
	struct hl_rate rate;
};

/*
 * The calling thread's, with the library open. 0, PAPI_ENOMEM, or what opening
 * the library gave.
 */
int hl_thread_get(struct hl_thread **out);

/* The same if it is there already; NULL otherwise. Opens nothing. */
struct hl_thread *hl_thread_find(void);

/* Make a set of the @n @events and start it; stop it, and let it go. */
int hl_set_start(struct hl_set *set, const int *events, int n);
int hl_set_stop(struct hl_set *set, long long *values);
