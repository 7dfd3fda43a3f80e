/* SPDX-License-Identifier: BSD-3-Clause */
/* The repeats of one count, summed up. */
#pragma once

#include <stddef.h>

#include "lab/experiment.h"

struct sample {
	double mean, median, variance, min, max;
	size_t n;
};

#define SAMPLE_NONE SIZE_MAX /* no unit: nothing was counted */

/* What @event counted in the repeats of @unit; n is 0 if nothing was. */
struct sample sample_of(const struct experiment_result *r, size_t unit,
			size_t event);

/* The standard error of the mean. */
double sample_error(const struct sample *s);

/* The lower one of two in the middle, so a value that was seen; sorts them. */
double sample_median(double *values, size_t n);
