/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Why points are off their lines: because counts vary from run to run, or
 * because what is counted does not grow evenly.
 *
 * A predictor that learns makes a curve, and the same curve each time: repeats
 * agree, and the points are far from any line. That is no noise. The test is
 * the one for lack of fit, over all kernels of an event at once, since repeats
 * of one kernel are few and may agree by chance.
 */
#pragma once

#include <stddef.h>

#include "analysis/slope.h"

/* Squares, and what they would be if all counts varied by a share of 1. */
struct scatter_part {
	double squares;
	double expected;
	double expected2; /* the sum of the squares of what is expected */
};

struct scatter {
	struct scatter_part pure; /* of repeats about their means */
	struct scatter_part lack; /* of these means about the lines */
};

/* The points of one kernel and the line through them; shares of its counts. */
void scatter_add(struct scatter *s, const double *x, const double *y, size_t n,
		 const struct slope *line);

/*
 * The probability that means are so far off the lines if there is nothing but
 * what makes repeats differ. 1 if there were no repeats, or nothing was off.
 */
double scatter_p_value(const struct scatter *s);
