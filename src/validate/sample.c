/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Median, spread and error of repeats. What they should have been, predict.c
 * knows.
 */
#include "validate/sample.h"

#include <math.h>
#include <stdlib.h>

#include "base/doubles.h"

double sample_median(double *values, size_t n)
{
	doubles_sort(values, n);
	return n ? values[(n - 1) / 2] : NAN;
}

struct sample sample_of(const struct experiment_result *r, size_t unit,
			size_t event)
{
	struct sample s = { .min = INFINITY, .max = -INFINITY };
	OWNED double *values = calloc(r->repeats, sizeof(*values));
	double squares = 0;

	for (unsigned i = 0; values && unit != SAMPLE_NONE && i < r->repeats;
	     i++) {
		double x = experiment_count(r, unit, i, event);

		if (isnan(x))
			continue;
		values[s.n++] = x;
		s.mean += x;
		s.min = fmin(s.min, x);
		s.max = fmax(s.max, x);
	}
	s.mean /= (double)s.n; /* none: NaN */
	for (size_t i = 0; i < s.n; i++)
		squares += (values[i] - s.mean) * (values[i] - s.mean);
	s.variance = s.n > 1 ? squares / (double)(s.n - 1) : 0;
	s.median = values ? sample_median(values, s.n) : NAN;
	return s;
}

double sample_error(const struct sample *s)
{
	return s->n > 1 ? sqrt(s->variance / (double)s->n) : 0;
}
