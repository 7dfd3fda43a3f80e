/* SPDX-License-Identifier: BSD-3-Clause */
/* Equation 1 as printed; posterior.c is what classification goes by. */
#include "analysis/goodness.h"

#include <math.h>

double goodness_of(double slope, double r2, double expected)
{
	double off = slope * r2 - expected;

	return exp(-2 * off * off);
}
