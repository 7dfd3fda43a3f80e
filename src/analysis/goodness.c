/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/goodness.h"

#include <math.h>

double goodness_of(double slope, double r2, double expected)
{
	double off = slope * r2 - expected;

	return exp(-2 * off * off);
}

double goodness_product(const struct slope *slopes, const double *expected,
			size_t n)
{
	double product = 1;

	for (size_t i = 0; i < n; i++)
		if (!isnan(expected[i]))
			product *= goodness_of(slopes[i].slope, slopes[i].r2,
					       expected[i]);
	return product;
}
