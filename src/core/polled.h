/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What components share whose counts stand in a file that can only be read,
 * such as /proc/net/dev. Such a component says which file it is and how its
 * text gives the values of a slice's events; growth while running, time and
 * counters that start anew are dealt with here.
 *
 * The file stays open with the slice and is read in one system call, unless it
 * is longer than a page or an event is missing from it.
 */
#pragma once

#include "core/component.h"

/* One event's value in the text; unseen ones are as they were before. */
struct polled_value {
	const struct event *event;
	uint64_t now;
	bool seen;
	/* of polled.c */
	uint64_t last;
	bool known; /* last holds a value */
	uint64_t total;
};

/* A slice's priv, of the size that component_ops.slice_bytes asks for. */
struct polled {
	int fd;
	char *text;
	size_t capacity;
	struct polled_value *values; /* one for each event of the slice */
	uint64_t started_ns;
	uint64_t ran_ns;
	/* What this slice's earlier readings were: they count as I/O too. */
	uint64_t own_reads;
	uint64_t own_bytes;
	void (*parse)(struct slice *s, const char *text);
};

/* A component's probe(): disabled unless @path is there. */
int polled_probe(struct component *c, const struct fs *fs, const char *path);

/* A component's list(): @add adds the events of one line of @path. */
int polled_list(struct component *c, const char *path,
		int (*add)(struct component *c, const char *line,
			   const char *end));

/* The first @most numbers up to @end; a line that is cut has fewer. */
size_t polled_numbers(const char *text, const char *end, uint64_t *numbers,
		      size_t most);

/*
 * Open file @path below the component's root. @parse sets now and seen in the
 * values of the slice's events from the text, which may be cut or empty.
 */
int polled_open(struct slice *s, const char *path,
		void (*parse)(struct slice *s, const char *text));
void polled_close(struct slice *s);

int polled_start(struct slice *s, struct count *counts);
int polled_read(struct slice *s, struct count *counts);
int polled_stop(struct slice *s, struct count *counts);

/* What the operations of all such components have in common. */
#define POLLED_OPS                                                             \
	.caps = CAP_ONE_SOURCE, .slice_bytes = sizeof(struct polled),          \
	.close = polled_close, .start = polled_start, .read = polled_read,     \
	.stop = polled_stop
