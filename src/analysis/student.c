/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Quantiles by bisection of the distribution, which special.c has: a few are
 * needed for a report, and bisection has no degrees of freedom for which it
 * fails (there may be 1.3 of them).
 */
#include "analysis/student.h"

#include <math.h>

#include "analysis/special.h"

double student_cdf(double t, double df)
{
	double square = t * t;
	double tail;

	/* each form keeps its digits where the other one loses them */
	if (square < df)
		tail = 0.5 -
		       special_beta(0.5, df / 2, square / (df + square)) / 2;
	else
		tail = special_beta(df / 2, 0.5, df / (df + square)) / 2;
	return t > 0 ? 1 - tail : tail;
}

double student_quantile(double p, double df)
{
	double low = -1, high = 1;

	while (student_cdf(low, df) > p)
		low *= 2;
	while (student_cdf(high, df) < p)
		high *= 2;
	for (int i = 0; i < 200 && high - low > 1e-12 * fmax(1, high); i++) {
		double middle = (low + high) / 2;

		if (student_cdf(middle, df) < p)
			low = middle;
		else
			high = middle;
	}
	return (low + high) / 2;
}

bool welch_difference(const struct sample *a, const struct sample *b,
		      struct difference *out)
{
	double delta = b->mean - a->mean;
	double va, vb, df, half;

	if (a->n < 2 || b->n < 2)
		return false;
	/* of the means, which vary less than single observations */
	va = a->stddev * a->stddev / a->n;
	vb = b->stddev * b->stddev / b->n;
	if (va + vb == 0) { /* simulated runs are the same to the last count */
		*out = (struct difference){ delta, delta, delta, delta != 0 };
		return true;
	}
	/* Welch-Satterthwaite: between the smaller n - 1 and their sum */
	df = (va + vb) * (va + vb) /
	     (va * va / (a->n - 1) + vb * vb / (b->n - 1));
	half = student_quantile(0.975, df) * sqrt(va + vb);
	*out = (struct difference){ delta, delta - half, delta + half,
				    fabs(delta) > half };
	return true;
}
