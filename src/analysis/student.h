/* SPDX-License-Identifier: BSD-3-Clause */
/* Student's t distribution, and the difference of two means by Welch. */
#pragma once

#include <stdbool.h>

/* A sample, as far as its mean goes. */
struct sample {
	double mean;
	double stddev; /* of one observation */
	double n;
};

struct difference {
	double delta; /* second mean less first */
	double low;   /* 95 % interval of it */
	double high;
	bool resolved; /* 0 lies outside the interval */
};

/* P(T <= t) with @df degrees of freedom, which need not be whole. */
double student_cdf(double t, double df);

/* The t that is exceeded with probability (1 - @p); 0 < @p < 1, @df > 0. */
double student_quantile(double p, double df);

/*
 * The difference of two means, whose observations may vary differently
 * (Welch 1947). With no spread at all the interval has no width. False if
 * there are too few observations to say: one of a kind that varies.
 */
bool welch_difference(const struct sample *a, const struct sample *b,
		      struct difference *out);
