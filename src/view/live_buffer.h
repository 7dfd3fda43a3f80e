/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What `live` has seen lately: samples of several series, and marks. A ring of
 * a fixed size, filled by one thread and read by the connections, each at its
 * own pace; who is too slow misses the oldest samples and nobody waits for it.
 */
#ifndef VIEW_LIVE_BUFFER_H
#define VIEW_LIVE_BUFFER_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/marks.h"
#include "base/strbuf.h"

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
ssize_t live_reader_more(void *reader, char *buffer, size_t room);

#endif /* VIEW_LIVE_BUFFER_H */
