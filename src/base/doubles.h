/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers in order, none of them a NaN. */
#pragma once

#include <stddef.h>

void doubles_sort(double *values, size_t n); /* ascending */

/* The middle one, or the mean of the two; NaN of none. Sorts @values. */
double doubles_median(double *values, size_t n);
