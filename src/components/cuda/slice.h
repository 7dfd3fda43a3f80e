/* SPDX-License-Identifier: BSD-3-Clause */
/* An EventSet's share of the cuda component. */
#pragma once

#include "components/cuda/metrics.h"
#include "components/cuda/range.h"

/* Events that are counted in one pass on one GPU. */
struct turn {
	int device;
	struct range range;
	size_t *positions; /* in the slice, of the range's metrics */
	uint64_t starts;   /* how often it had its turn */
	bool running;
};

struct gpu_slice {
	bool outside; /* it counts another process: see outside.c */
	struct turn *turns;
	size_t n;
	const struct event **events;
	struct count *totals;
	uint64_t started_ns;
};

/* Plan, in as few turns as possible, what the calling process will count. */
int gpu_plan_open(struct slice *s);
void gpu_plan_close(struct slice *s);

/* Whether event @i can be counted, without a context of its own. */
int gpu_plan_attempt(struct component *c, size_t i, struct diag *diag);

/* Counting the calling process. */
int gpu_inside_start(struct slice *s, struct count *counts);
int gpu_inside_read(struct slice *s, struct count *counts);
int gpu_inside_stop(struct slice *s, struct count *counts);

/* Counting a process that has been told of a control file. */
int gpu_outside_open(struct slice *s);
int gpu_outside_start(struct slice *s, struct count *counts);
int gpu_outside_read(struct slice *s, struct count *counts);
