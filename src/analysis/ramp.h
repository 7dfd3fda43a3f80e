/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Steps and ramps in a curve of cost over footprint: where a cache or a TLB
 * ends, and what shape it has.
 *
 * With S sets of A ways and least recently used replacement, N lines visited
 * in a ring all hit up to N = S A, and all miss from N = S (A + 1) on. Between
 * them the lines beyond S A each fill a set too much, which then misses A + 1
 * times a pass: a share of (N - S A)(A + 1) / N.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct ramp {
	unsigned sets; /* a power of two */
	unsigned ways;
	double base;    /* cost of a hit */
	double plateau; /* cost when all miss */
	double error;   /* root of the mean square, as a share of the rise */
	double rival;   /* the same of the best one with other ways */
};

/* The share of misses at @lines of a structure of @sets and @ways. */
double ramp_share(double lines, unsigned sets, unsigned ways);

/*
 * Fit sets, ways, base and plateau to @n points (@x lines, @y cost), @x
 * ascending. False if there is no ramp within them.
 */
bool ramp_fit(const double *x, const double *y, size_t n, struct ramp *out);

/*
 * The last point before the curve leaves its first level: index of the last
 * y <= @limit for which the next two (or one, at the end) are above. @n if all
 * are below, and no index if even the first is above: then false.
 */
bool ramp_knee(const double *y, size_t n, double limit, size_t *index);

/* The middle one of @n values, which are not changed; NaN if n is 0. */
double ramp_median(const double *values, size_t n);

/*
 * The power of two nearest to @value by ratio, and by how much it is off:
 * log2(value / result).
 */
double ramp_power_of_two(double value, double *off);
