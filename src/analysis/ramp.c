/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every pair of sets and ways is tried; base and rise follow linearly. There
 * are a thousand pairs at most, so nothing cleverer is needed, and no start
 * value can lead to a wrong minimum.
 */

#include "analysis/ramp.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/doubles.h"
#include "base/err.h"

/* Beyond any cache or TLB there is: 64 MiB of lines in each way, and the ways
 * of a fully associative first-level TLB. */
#define MOST_SETS (1U << 20)
#define MOST_WAYS 64U

double ramp_share(double lines, unsigned sets, unsigned ways)
{
	double full = (double)sets * ways;

	/* the three pieces that ramp.h derives */
	if (lines <= full)
		return 0;
	if (lines >= full + sets)
		return 1;
	return (lines - full) * (ways + 1) / lines;
}

/*
 * Least squares of y = base + rise * share for given sets and ways. A rise of
 * 0 or less is no ramp, however well it fits: its error is without limit.
 */
static void solve(const double *x, const double *y, size_t n, struct ramp *r)
{
	double sr = 0, sy = 0, srr = 0, sry = 0, sum = 0, rise, d;
	double m = (double)n;

	for (size_t i = 0; i < n; i++) {
		double share = ramp_share(x[i], r->sets, r->ways);

		sr += share;
		sy += y[i];
		srr += share * share;
		sry += share * y[i];
	}
	d = m * srr - sr * sr;
	rise = d > 0 ? (m * sry - sr * sy) / d : 0;
	r->base = (sy - rise * sr) / m;
	r->plateau = r->base + rise;
	for (size_t i = 0; i < n; i++) {
		double share = ramp_share(x[i], r->sets, r->ways);
		double off = y[i] - r->base - rise * share;

		sum += off * off;
	}
	r->error = rise > 0 ? sqrt(sum / m) / rise : HUGE_VAL;
}

/*
 * The best ways for this number of sets. Only structures that fill within the
 * points: what ends before the first or after the last has no ramp to be seen.
 * The second best is kept as the rival only if its ways differ, because the
 * same ways with other sets say the same about associativity.
 */
static void try_sets(const double *x, const double *y, size_t n, unsigned sets,
		     struct ramp *best, struct ramp *second)
{
	for (unsigned ways = 1; ways <= MOST_WAYS; ways++) {
		struct ramp r = { .sets = sets, .ways = ways };

		if ((double)sets * ways <= x[0])
			continue;
		if ((double)sets * (ways + 1) > x[n - 1])
			break;
		solve(x, y, n, &r);
		if (r.error < best->error) {
			if (best->ways != r.ways)
				*second = *best;
			*best = r;
		} else if (r.error < second->error && r.ways != best->ways) {
			*second = r;
		}
	}
}

bool ramp_fit(const double *x, const double *y, size_t n, struct ramp *out)
{
	struct ramp best = { .error = HUGE_VAL };
	struct ramp second = { .error = HUGE_VAL };

	if (n < 4) /* as many as a ramp has numbers */
		return false;
	for (unsigned sets = 1; sets <= MOST_SETS && sets < x[n - 1]; sets *= 2)
		try_sets(x, y, n, sets, &best, &second);
	if (!(best.error < HUGE_VAL))
		return false;
	best.rival = second.error;
	*out = best;
	return true;
}

bool ramp_knee(const double *y, size_t n, double limit, size_t *index)
{
	for (size_t i = 0; i < n; i++) {
		/* one point above may be a disturbance, two are a level */
		bool next = i + 1 >= n || y[i + 1] > limit;

		if (y[i] <= limit || !next)
			continue;
		if (i == 0)
			return false;
		*index = i - 1;
		return true;
	}
	*index = n;
	return true;
}

double ramp_median(const double *values, size_t n)
{
	OWNED double *copy = n ? malloc(n * sizeof(*copy)) : NULL;

	if (!copy)
		return NAN;
	memcpy(copy, values, n * sizeof(*copy));
	return doubles_median(copy, n);
}

double ramp_power_of_two(double value, double *off)
{
	double power = round(log2(value));

	if (off)
		*off = log2(value) - power;
	return exp2(power);
}
