/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Timing on a machine that others use too.
 *
 * A sample is a load between two rulers: chains of additions that take a known
 * number of cycles. It gives cycles, whatever the clock does meanwhile, and it
 * is thrown away if the rulers differ or the thread was put off the CPU. Many
 * samples of many loads are taken in turns, so that what disturbs for a while
 * disturbs all alike; quantiles are kept, never minima, since a disturbed
 * ruler makes a sample too short.
 *
 * On the simulated PMU the clock counts cycles of the modelled machine. It is
 * exact, so one sample does. But reading it runs code, which takes lines and
 * translations away: of a steady load, a short run is taken off a long one.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Something to be timed. */
struct load {
	void (*run)(void *arg, uint64_t times);
	void *arg;
	uint64_t times;
	uint64_t warm;     /* times to run it before, untimed */
	double operations; /* in one timed run: what the result is per */
	/* A part of the run costs its share: see above. */
	bool whole; /* it needs the whole width of the core: another thread
		     * on it would be measured, too */
	bool steady;
};

/* What many samples of one load said, in cycles per operation. */
struct timing {
	double x; /* the parameter that was varied, if one was */
	double low, value, median; /* quantiles: 10 %, 25 %, 50 % */
	unsigned samples;          /* that were kept; 0: no value */
};

/* A clock; rdtsc, or the simulated cycles. */
struct lab_clock {
	uint64_t (*now)(void *context);
	void *context;
	bool is_cycles; /* of the machine measured: needs no ruler */
};

/* Called while measuring: which part, and how much of it is done. */
typedef void (*lab_progress_fn)(void *context, double done);

struct lab {
	struct lab_clock clock;
	bool quick;
	unsigned rounds;      /* samples wanted of each load */
	uint64_t deadline_ns; /* of the present part; 0: none */
	double empty;         /* ticks that a sample of nothing takes */
	uint64_t random;
	size_t kept, thrown; /* samples so far */
	double ticks;        /* of the clock a cycle: the last good ruler */
	unsigned crowded;    /* samples in a row that were not alone */
	double width; /* time of independent additions by that of a ruler */
	void *memory; /* to put structures into: see chain.h */
	size_t memory_bytes;
	size_t line_bytes; /* once known; else what is likely */
	size_t page_bytes;
	lab_progress_fn progress;
	void *progress_context;
};

/* 0 or PAPI_ENOMEM. */
int lab_init(struct lab *lab, struct lab_clock clock, size_t memory_bytes);
void lab_fini(struct lab *lab);

/* A number that looks random, below @bound. */
uint64_t lab_random(struct lab *lab, uint64_t bound);

/* Whether the time for the present part is over. */
bool lab_is_late(const struct lab *lab);

/* One sample of @load; false if it was disturbed. */
bool lab_sample(struct lab *lab, const struct load *load, double *cycles);

/* Several samples of one load. */
struct timing lab_time(struct lab *lab, const struct load *load);

/*
 * Prepare the load for point @i (whose timing.x is set); it is used at once,
 * and the next preparation may overwrite its memory.
 */
typedef void (*lab_prepare_fn)(struct lab *lab, void *context, double x,
			       struct load *load);

/* Time @n points in turns, in a new order each round. 0 or PAPI_ENOMEM. */
int lab_sweep(struct lab *lab, struct timing *points, size_t n,
	      lab_prepare_fn prepare, void *context);

/* The timing of @n samples, which are put in order. */
struct timing timing_of(double *samples, size_t n);

/* How far apart the lower quantiles lie, as a share of the value. */
double timing_spread(const struct timing *timing);

/* Chains of pointers through the lab's memory, in random order. */

/* Where the stops of a chain are. */
struct chain {
	size_t n;       /* stops */
	size_t spacing; /* bytes from one to the next, as they lie */
	size_t rotate;  /* more bytes, modulo .within, for each ... */
	size_t within;
	size_t every; /* ... so many stops; 0: for each */
	/*
	 * Stops that are near each other are visited one after another, this
	 * many in a random order: fewer pages are in use at a time. 0: all.
	 */
	size_t block;
};

/* Pages, so far apart, that the lab's memory has room for. */
size_t chain_capacity(const struct lab *lab, size_t stride_pages);

/* Lay out and link the chain; the first stop, for loads_chase(). */
void *chain_make(struct lab *lab, const struct chain *chain);

/* Link the @n @stops into a ring, in random order; they are shuffled. */
void *chain_link(struct lab *lab, void **stops, size_t n);

/* The load that goes @passes times along a chain that begins at *@first. */
struct load chain_load(void **first, size_t n, double passes);

/*
 * Loads that any processor runs: written in C, held in shape by barriers that
 * the compiler cannot look through. What needs instructions of its own is in
 * arch.h.
 */

/* No work. */
void loads_nothing(void *arg, uint64_t times);

/* The cycle ruler: this many dependent additions, one cycle each, a time. */
#define LOAD_RULER_ADDS 1000
void loads_ruler(void *arg, uint64_t times);

/* As many that do not wait for each other: they want the whole core. */
void loads_wide(void *arg, uint64_t times);

/* Follow pointers from *(void **)arg, and leave there how far it came. */
#define LOAD_CHASE_STEPS 16
void loads_chase(void *arg, uint64_t times);

/*
 * Conditional branches, 31 for each word, that wait for nothing but one test
 * of a bit of it; @times words from *(const uint32_t **)arg on.
 */
#define LOAD_BRANCHES 31
#define LOAD_TEST     1 /* cycle that the test takes */
void loads_branches(void *arg, uint64_t times);

/* One load from each of @n places, @times over; none waits for another. */
#define LOAD_PAGES_STEPS 4
struct load_pages {
	const void *from;
	size_t n; /* a multiple of LOAD_PAGES_STEPS */
	size_t spacing;
};
void loads_pages(void *arg, uint64_t times);
