/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The parts of a machine, each found out by one function, in this order: later
 * ones use the constants of those before.
 */
#pragma once

#include "machine/lab.h"
#include "machine/machine.h"

typedef int (*part_fn)(struct lab *lab, struct machine *m);

int part_clock(struct lab *lab, struct machine *m);
int part_l1(struct lab *lab, struct machine *m);
int part_l1i(struct lab *lab, struct machine *m);
int part_tlb(struct lab *lab, struct machine *m);
int part_stlb(struct lab *lab, struct machine *m);
int part_page_rate(struct lab *lab, struct machine *m);
int part_l2(struct lab *lab, struct machine *m);
int part_memory(struct lab *lab, struct machine *m);
int part_units(struct lab *lab, struct machine *m);
int part_branch(struct lab *lab, struct machine *m);
int part_streams(struct lab *lab, struct machine *m);
int part_pair(struct lab *lab, struct machine *m);

/* Constants that rest on others which are in doubt are in doubt, too. */
void parts_spread_doubt(struct machine *m);

/* Latencies within this much of a whole number of cycles are that number. */
#define PART_WHOLE 0.12
/* Above this spread a figure is not to be relied on. */
#define PART_SPREAD 0.05
/* Why figures of memory are in doubt in a virtual machine. */
#define PART_SHARED "other machines on this host use the memory, too"

/*
 * Points from @from to @to, in about equal steps (@ratio 0) or ratios, whole
 * numbers that ascend, at most @capacity. Returns how many.
 */
size_t part_points(struct timing *points, size_t capacity, double from,
		   double to, size_t wanted, bool by_ratio);

/*
 * Lines of the first cache that addresses whole pages apart can use: of a way
 * that is larger than a page, only a page's part of it. NaN: not known.
 */
double part_page_lines(const struct lab *lab, const struct machine *m);

/* Keep a curve for plots. */
void part_keep(struct machine *m, const char *name, const char *x_label,
	       const struct timing *points, size_t n, double x_scale);

/* Fill @x and @y with points that have values; how many. */
size_t part_columns(const struct timing *points, size_t n, double *x,
		    double *y);

/*
 * Time a load that takes a whole number of cycles. A neighbour on the same
 * core may slow it down for a while: then it is tried again.
 */
struct timing part_time_whole(struct lab *lab, const struct load *load);

/*
 * Several timings of one thing, some time apart, while others come and go on
 * the same core. Those count that most others come near, of several such groups
 * the lowest, and of these the middle one.
 */
#define BEST_MOST 8
struct best {
	struct timing timings[BEST_MOST];
	size_t n;
};
void best_take(struct best *best, struct timing timing);

/*
 * The timing that counts; without samples if there is none. @sure (may be
 * NULL) tells whether at least two, and a third of all, are within @slack.
 */
struct timing best_pick(const struct best *best, double slack, bool *sure);

/*
 * A latency from a timing: to the whole cycle if it is near one, in doubt if
 * it is spread or, being @whole by nature, far from one.
 */
struct machine_constant *part_latency(struct machine *m, const char *name,
				      const struct timing *timing, bool whole,
				      const char *method);
