/* SPDX-License-Identifier: BSD-3-Clause */
/* Live plots: samples in a ring, who takes them, and who hands them out. */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/marks.h"
#include "base/strbuf.h"
#include "measure/counting.h"
#include "view/serve.h"

/*
 * What `live` has seen lately: samples of several series, and marks. A ring of
 * a fixed size, filled by one thread and read by the connections, each at its
 * own pace; who is too slow misses the oldest samples and nobody waits for it.
 */

#define LIVE_SAMPLES 6000 /* ten minutes of ten a second */
#define LIVE_MARKS   16   /* with one sample; the rest is counted as lost */

struct live_series {
	char *name;
	char *unit;    /* "" for a ratio */
	char *text;    /* what it means, in a line */
	char *formula; /* of a metric; "" of an event */
	bool event;
};

struct live_mark {
	double time_s;
	bool begins;
	int number;
	char word[MARKS_WORD];
};

struct live_sample {
	double time_s;
	double *values; /* one for each series; NaN: none */
	struct live_mark marks[LIVE_MARKS];
	unsigned n_marks;
	unsigned lost_marks;
};

struct live_buffer {
	pthread_mutex_t lock; /* guards all below */
	pthread_cond_t more;  /* something below has changed */
	struct live_series *series;
	size_t n_series;
	bool described; /* the series are known and stay as they are */
	struct live_sample *ring;
	double *values;      /* of the whole ring */
	long double *totals; /* of each series that is an event, so far */
	uint64_t n;          /* samples so far; the ring has the last of them */
	bool ended;          /* the program has */
	int exit_status;     /* then */
	char *note;          /* a sentence for the reader, or NULL */
	bool closing;        /* the server is about to end */
	char *title;
	double every_s;
	bool simulated;
};

int live_buffer_init(struct live_buffer *b, const char *title, double every_s);
void live_buffer_fini(struct live_buffer *b);

/*
 * Hand over the series, and a sentence for the reader or NULL; they become the
 * buffer's. 0 or PAPI_ENOMEM.
 */
int live_buffer_describe(struct live_buffer *b, struct live_series *series,
			 size_t n, char *note);

/* Add a sample: values and marks are copied; so are new totals. */
void live_buffer_add(struct live_buffer *b, const struct live_sample *sample,
		     const long double *totals);

void live_buffer_end(struct live_buffer *b, int exit_status);
void live_buffer_close(struct live_buffer *b);

/* One reader of the stream. */
struct live_reader {
	struct live_buffer *buffer;
	uint64_t next; /* sample */
	bool told;     /* of the series */
	bool done;     /* told of the end */
	struct strbuf text;
	size_t used; /* of the text */
};

struct live_reader *live_reader_new(struct live_buffer *b, long last);
void live_reader_free(void *reader);

/* The next bytes of the stream of events; waits for some. A serve_answer's. */
ssize_t live_reader_more(void *reader, char *buffer, size_t capacity);

/*
 * From counters that run to samples: what was counted since the last time, as
 * rates, and the metrics that these counts allow.
 */

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

/* Which events and metrics `live` shows. */

/*
 * After counting_open(): load the shipped metrics and those of @files, and
 * select the events that were named, that @groups need, or the usual ones.
 * 0, or the exit status after a message.
 */
int live_choose(const struct console *console, struct counting *c,
		const struct selection *groups, const struct selection *files);

/* What the page of `live` asks for. */

/*
 * "": the page; "stream": what comes, and what the ring still has; "metrics":
 * the latest numbers as OpenMetrics. @buffer is a struct live_buffer. A
 * serve_fn.
 */
void live_answer(void *buffer, const struct serve_request *request,
		 struct serve_answer *answer);
