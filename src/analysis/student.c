/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/student.h"

#include <float.h>
#include <math.h>

/*
 * The continued fraction of the incomplete beta function, by Lentz's method
 * (Abramowitz and Stegun 26.5.8). It converges fast where x < (a+1)/(a+b+2).
 */
static double beta_fraction(double a, double b, double x)
{
	double c = 1, d = 1 - (a + b) * x / (a + 1), f;

	d = 1 / (fabs(d) < DBL_MIN ? DBL_MIN : d);
	f = d;
	for (int m = 1; m < 500; m++) {
		double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		double odd = -(a + m) * (a + b + m) * x /
			     ((a + 2 * m) * (a + 2 * m + 1));
		double step;

		d = 1 + even * d;
		c = 1 + even / c;
		d = 1 / (fabs(d) < DBL_MIN ? DBL_MIN : d);
		f *= c * d;
		d = 1 + odd * d;
		c = 1 + odd / c;
		d = 1 / (fabs(d) < DBL_MIN ? DBL_MIN : d);
		step = c * d;
		f *= step;
		if (fabs(step - 1) < 1e-15)
			break;
	}
	return f;
}

/* The regularised incomplete beta function I_x(a, b). */
static double beta(double a, double b, double x)
{
	double front;

	if (x <= 0)
		return 0;
	if (x >= 1)
		return 1;
	front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) +
		    b * log1p(-x));
	if (x < (a + 1) / (a + b + 2))
		return front * beta_fraction(a, b, x) / a;
	return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

double student_cdf(double t, double df)
{
	double square = t * t;
	double tail;

	/* each form keeps its digits where the other one loses them */
	if (square < df)
		tail = 0.5 - beta(0.5, df / 2, square / (df + square)) / 2;
	else
		tail = beta(df / 2, 0.5, df / (df + square)) / 2;
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
	va = a->stddev * a->stddev / a->n;
	vb = b->stddev * b->stddev / b->n;
	if (va + vb == 0) {
		*out = (struct difference){ delta, delta, delta, delta != 0 };
		return true;
	}
	df = (va + vb) * (va + vb) /
	     (va * va / (a->n - 1) + vb * vb / (b->n - 1));
	half = student_quantile(0.975, df) * sqrt(va + vb);
	*out = (struct difference){ delta, delta - half, delta + half,
				    fabs(delta) > half };
	return true;
}
