/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers in order, none of them a NaN. */
#ifndef BASE_DOUBLES_H
#define BASE_DOUBLES_H

#include <stddef.h>

void doubles_sort(double *values, size_t n); /* ascending */

/* The middle one, or the mean of the two; NaN of none. Sorts @values. */
double doubles_median(double *values, size_t n);

#endif /* BASE_DOUBLES_H */
