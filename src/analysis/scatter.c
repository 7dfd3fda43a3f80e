/* SPDX-License-Identifier: BSD-3-Clause */
/* Lack of fit, summed over kernels; the lines themselves are slope.c's. */
#include "analysis/scatter.h"

#include <math.h>
#include <stdbool.h>

#include "analysis/special.h"

/* The variance of a whole number that stands for any up to half of 1 away. */
#define ROUNDING (1.0 / 12)

static bool seen_before(const double *x, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (x[k] == x[i])
			return true;
	return false;
}

/* The points of one x. */
struct level {
	double mean, ss;
	size_t n;
};

static struct level level_of(const double *x, const double *y, size_t n,
			     size_t first)
{
	struct level l = { 0 };

	for (size_t k = first; k < n; k++)
		if (x[k] == x[first]) {
			l.mean += y[k];
			l.n++;
		}
	l.mean /= (double)l.n;
	for (size_t k = first; k < n; k++)
		if (x[k] == x[first])
			l.ss += (y[k] - l.mean) * (y[k] - l.mean);
	return l;
}

static void add_squares(struct scatter_part *part, double squares,
			double variance, double df)
{
	part->squares += squares;
	part->expected += variance * df;
	part->expected2 += variance * variance * df;
}

void scatter_add(struct scatter *s, const double *x, const double *y, size_t n,
		 const struct slope *line)
{
	struct scatter_part lack = { 0 };
	size_t levels = 0;
	double size = 0;

	for (size_t i = 0; i < n; i++)
		size += y[i] * y[i];
	if (!(size > 0))
		return;
	for (size_t i = 0; i < n; i++) {
		struct level l;
		double off, df, share;

		if (seen_before(x, i))
			continue;
		l = level_of(x, y, n, i);
		df = (double)l.n - 1;
		share = l.mean * l.mean / size;
		off = l.mean - line->intercept - line->slope * x[i];
		add_squares(&s->pure, (l.ss + df * ROUNDING) / size, share, df);
		add_squares(&lack, (double)l.n * off * off / size, share, 1);
		levels++;
	}
	if (levels < 3)
		return; /* a line goes through any two */
	s->lack.squares += lack.squares;
	s->lack.expected += lack.expected;
	s->lack.expected2 += lack.expected2;
}

/*
 * What makes counts vary is mostly a share of them, so that the largest make up
 * most of the squares: the degrees of freedom are fewer than there are points
 * (Satterthwaite's approximation). That a line takes two from the means is left
 * out, which makes them seem nearer.
 */
static double freedom(const struct scatter_part *part)
{
	return part->expected2 > 0
		       ? part->expected * part->expected / part->expected2
		       : 0;
}

double scatter_p_value(const struct scatter *s)
{
	double pure_df = freedom(&s->pure), lack_df = freedom(&s->lack);

	/* below that it is the arithmetic of the fit */
	if (!(pure_df > 0) || !(lack_df > 0) || !(s->lack.squares > 1e-12))
		return 1;
	return fisher_tail((s->lack.squares / s->lack.expected) /
				   (s->pure.squares / s->pure.expected),
			   lack_df, pure_df);
}
