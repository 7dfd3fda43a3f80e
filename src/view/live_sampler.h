/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From counters that run to samples: what was counted since the last time, as
 * rates, and the metrics that these counts allow.
 */
#ifndef VIEW_LIVE_SAMPLER_H
#define VIEW_LIVE_SAMPLER_H

#include "measure/counting.h"
#include "view/live_buffer.h"

/* One line of the plot. */
struct live_line {
	size_t event;                /* of the measurement, unless a metric */
	const struct metric *metric; /* NULL: an event */
	const struct metric_file *file;
};

struct live_sampler {
	struct counting *counting;
	const struct selection *groups; /* whose metrics; none: all */
	struct live_buffer *buffer;
	struct live_line *lines; /* made at the first sample */
	size_t n;
	bool begun;
	int err;
	double clock_hz;
	double last_s;
	long double *before; /* what each event had counted */
	double *since;       /* what came since */
	double *counts;      /* room for a metric's names */
	long double *totals; /* one for each line */
	struct live_sample sample;
	struct marks *marks;
	struct marks_reader reader;
	uint64_t start_ns; /* of the program, by clock_real_ns() */
};

void live_sampler_init(struct live_sampler *s, struct counting *c,
		       const struct selection *groups, struct live_buffer *b);

/* A sample of what was read last, as after the end. */
void live_sampler_take(struct live_sampler *s, uint64_t elapsed_ns);

/* Read and take a sample: a watch's timer. */
void live_sampler_fire(void *sampler, uint64_t elapsed_ns);

void live_sampler_fini(struct live_sampler *s);

#endif /* VIEW_LIVE_SAMPLER_H */
