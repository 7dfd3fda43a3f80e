/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Moments with a word to each, handed from one process to another through a
 * file that both have mapped: a ring, written by any number of threads without
 * waiting and read by one. Who reads too late misses the oldest, and is told
 * how many.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MARKS_CAPACITY 1024 /* a power of two */
#define MARKS_WORD                                                             \
	40 /* bytes, with the zero at the end; longer ones are cut             \
	    */

struct marks; /* as it is mapped */

/* A mark as it is read. */
struct mark {
	uint64_t ns; /* clock_real_ns() */
	int number;
	bool begins; /* something begins here, else it ends */
	char word[MARKS_WORD];
};

/* Where to read on; zeroed it is the beginning. */
struct marks_reader {
	uint64_t at;
	uint64_t lost; /* so far */
};

/* Make @path, which must not be there, and map it; NULL if that fails. */
struct marks *marks_create(const char *path);

/* Map a file that marks_create() made; NULL if it is none. */
struct marks *marks_open(const char *path);
void marks_close(struct marks *m); /* NULL is allowed */

/* May be called in a signal handler. */
void marks_put(struct marks *m, const struct mark *mark);

/* Up to @capacity marks that came since, oldest first. */
size_t marks_take(struct marks *m, struct marks_reader *reader,
		  struct mark *out, size_t capacity);
