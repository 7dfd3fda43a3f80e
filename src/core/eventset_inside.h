/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What an EventSet is made of. For the files that implement it
 * (eventset.c, counting.c, value.c, overflow.c), nobody else.
 */
#pragma once

#include "core/eventset.h"
#include "core/rotor.h"
#include "core/ticker.h"

/* One component's events, how they are counted, and their counts. */
struct share {
	struct slice *slice;
	struct rotor *rotor;   /* counts in the slice's place; or NULL */
	struct count *now;     /* at the last read */
	struct count *base;    /* at the last start or reset */
	struct count *scratch; /* for reads in a signal handler */
};

/* Where a native event is counted. */
struct slot {
	size_t share;
	size_t position;
	struct native native;
	unsigned users; /* entries that are made of it */
	bool level;     /* the value itself is meant, not its growth */
};

struct entry {
	const struct recipe *recipe;
	bool is_plain;    /* the value is one native's count */
	size_t *slots;    /* one for each native of the recipe */
	double *counts;   /* as many; where a formula finds its operands */
	long long offset; /* from eventset_write() */
	uint64_t threshold;
	bool software_overflow;
	long long deadline; /* of the software overflow: next value to reach */
	uint64_t overshoot; /* by how much the last one was passed */
};

enum eventset_state {
	STATE_EMPTY,
	STATE_STOPPED,
	STATE_RUNNING,
	STATE_COUNT
};

struct eventset {
	struct eventset_short way; /* first: see there */
	struct registry *registry;
	int id;
	enum eventset_state state;
	struct eventset_options opt;
	struct share *shares;
	size_t shares_n;
	struct slot *slots;
	size_t slots_n;
	struct entry *entries;
	size_t n;
	/*
	 * Entry i is nothing but the count at place i of the only share: then
	 * values are read without looking at entries and slots.
	 */
	bool is_straight;
	bool is_written; /* some entry has an offset */
	pid_t opened_by; /* the thread whose counts the open slices are */

	bool profiling;
	overflow_handler handler;
	void *handler_data;
	struct ticker *ticker; /* drives software overflow; or NULL */
	/* set while the owner is inside, so that a tick keeps out */
	volatile int busy;
};

/* Read every share's counts into .now. */
int counting_refresh(struct eventset *set);

/* Open what is closed, with the options as they are now. */
int counting_open_all(struct eventset *set, struct diag *diag);
void counting_close_share(struct share *share);
void counting_close_all(struct eventset *set);

/* The value of entry @i from .now and .base. */
long long value_integer(const struct eventset *set, size_t i);

/* Software overflow runs while the set does. */
int overflow_start(struct eventset *set);
void overflow_stop(struct eventset *set);

/* Called by a share's component in its signal handler. */
void overflow_from_slice(struct slice *s, uint64_t which, void *address,
			 void *context);
