/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pages of one colour: pages whose lines compete for the same sets of the
 * second cache. From many pages that together evict a page, what is not needed
 * is left out: the rest is of its colour.
 *
 * A page that the first cache still holds is not looked for in the second. So
 * before it is timed, fillers put it out of the first cache: other lines of the
 * same sets there, which are of other sets of the second wherever a way of the
 * first is shorter than a page, and else of any colour.
 */
#pragma once

#include "machine/parts.h"

#define COLOUR_LINES   16   /* used of a page */
#define COLOUR_POOL    8192 /* pages to choose from */
#define COLOUR_SET     2048 /* pages that evict one, at first */
#define COLOUR_ALIKE   36   /* pages of one colour that are enough */
#define COLOUR_FILLERS 64   /* lines of a set of the first cache, at most */

struct colour {
	struct lab *lab;
	size_t lines;   /* used of each page */
	double limit;   /* ticks of the clock for a page that was evicted */
	double empty;   /* ticks for nothing, where that is known */
	unsigned turns; /* repeats of a test */
	void *stops[COLOUR_SET * COLOUR_LINES];
	size_t pool[COLOUR_POOL];
	size_t set[COLOUR_SET + 1]; /* pages that evict the target */
	size_t n_set;
	size_t fillers[COLOUR_FILLERS]; /* pages */
	size_t n_fillers;               /* 0: the first cache is let be */
	size_t filler_at; /* bytes from the line to the filler's */
	size_t way_pages; /* of the first cache */
	size_t span;      /* bytes of a page in which lines are used */
	size_t shift;     /* bytes of a page before the first of them */
	double hit;       /* cycles of a load from the second cache */
	double hit_ticks; /* ticks of a page that it holds */
	size_t alike[COLOUR_ALIKE]; /* pages of its colour */
	size_t n_alike;
	size_t tried, more; /* pages, and those of its colour */
	void *first;        /* of the present chain */
};

/* For the first cache of @m. The pages of the pool are touched. */
void colour_init(struct colour *c, struct lab *lab, const struct machine *m);

/* Ticks of a hit and the limit above which the lines are gone. */
void colour_calibrate(struct colour *c, const struct machine *m);

void colour_shuffle(struct lab *lab, size_t *items, size_t n);

/* A ring through some lines of each of @n pages. */
void *colour_ring(struct colour *c, const size_t *pages, size_t n);

/* Lines that put @target out of the first cache. */
void colour_choose_fillers(struct colour *c, const struct machine *m,
			   size_t target);

/* Ticks for the lines of @target after those of @n pages were used. */
double colour_time(struct colour *c, size_t target, const size_t *pages,
		   size_t n);
bool colour_evicts(struct colour *c, size_t target, const size_t *pages,
		   size_t n);

/* A few pages that evict the first of a new choice from the pool. */
bool colour_find_set(struct colour *c, const struct machine *m, size_t *target);

/* More pages of the same colour, and how rare they are. */
void colour_find_alike(struct colour *c, size_t target);
