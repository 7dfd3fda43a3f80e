/* SPDX-License-Identifier: BSD-3-Clause */
/* Sorting by libc; what the numbers are is the caller's business. */
#include "base/doubles.h"

#include <math.h>
#include <stdlib.h>

static int ascending(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

void doubles_sort(double *values, size_t n)
{
	qsort(values, n, sizeof(*values), ascending);
}

double doubles_median(double *values, size_t n)
{
	doubles_sort(values, n);
	return n ? (values[(n - 1) / 2] + values[n / 2]) / 2 : NAN;
}
