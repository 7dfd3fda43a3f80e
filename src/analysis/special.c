/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Continued fractions and series of Abramowitz and Stegun, chapters 6 and 26.
 */
#include "analysis/special.h"

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

double special_beta(double a, double b, double x)
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

/* The lower function by its series (Abramowitz and Stegun 6.5.29). */
static double gamma_series(double a, double x)
{
	double term = 1 / a, sum = term;

	for (int n = 1; n < 10000 && term > sum * 1e-16; n++) {
		term *= x / (a + n);
		sum += term;
	}
	return sum * exp(a * log(x) - x - lgamma(a));
}

/* The upper one by its continued fraction (6.5.31), by Lentz's method. */
static double gamma_fraction(double a, double x)
{
	double b = x + 1 - a, c = 1 / DBL_MIN, d = 1 / b, f = d;

	for (int n = 1; n < 10000; n++) {
		double an = -n * (n - a), step;

		b += 2;
		d = an * d + b;
		d = 1 / (fabs(d) < DBL_MIN ? DBL_MIN : d);
		c = b + an / c;
		c = fabs(c) < DBL_MIN ? DBL_MIN : c;
		step = c * d;
		f *= step;
		if (fabs(step - 1) < 1e-15)
			break;
	}
	return f * exp(a * log(x) - x - lgamma(a));
}

double special_gamma(double a, double x)
{
	if (!(x > 0))
		return 1;
	if (isinf(x))
		return 0;
	return x < a + 1 ? 1 - gamma_series(a, x) : gamma_fraction(a, x);
}

double chi_square_tail(double x, double df)
{
	return df > 0 ? special_gamma(df / 2, x / 2) : 1;
}

double fisher_tail(double f, double df1, double df2)
{
	if (!(f > 0))
		return 1;
	if (isinf(f))
		return 0;
	return special_beta(df2 / 2, df1 / 2, df2 / (df2 + df1 * f));
}
