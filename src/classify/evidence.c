/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How well a formula, of terms or of other events, fits what was measured. What
 * follows from it for a verdict is decided elsewhere.
 */

#include <math.h>

#include "analysis/special.h"
#include "classify/inside.h"

struct evidence classify_evidence(const struct classification *c, size_t event,
				  double floor)
{
	size_t benches = c->plan->n_benches;

	return (struct evidence){ .slope = c->slope + event * benches,
				  .error = c->error + event * benches,
				  .n = benches,
				  .floor = floor };
}

struct expectation classify_expect(const struct classification *c,
				   const struct blend *f, bool of_events)
{
	size_t benches = c->plan->n_benches;

	blend_expect(f, of_events ? c->measured : c->terms.x, benches, c->work,
		     c->work + benches);
	return (struct expectation){ c->work, c->work + benches };
}

double classify_coverage(const struct classification *c, size_t event,
			 const double *value, size_t *spoken)
{
	const double *slope = c->slope + event * c->plan->n_benches;
	size_t counted = 0, n = 0;

	for (size_t b = 0; b < c->plan->n_benches; b++)
		if (fabs(slope[b]) > SLOPE_SEEN) { /* false for NaN */
			counted++;
			n += isnan(value[b]) ? 0 : 1;
		}
	if (spoken)
		*spoken = n;
	return counted ? (double)n / (double)counted : 1;
}

struct classify_fitness classify_weigh(const struct classification *c,
				       size_t event, const struct blend *f,
				       bool of_events, double floor)
{
	struct evidence e = classify_evidence(c, event, floor);
	struct expectation x = classify_expect(c, f, of_events);
	struct classify_fitness fit;
	size_t df;

	fit.likelihood =
		posterior_likelihood(&e, &x) - posterior_likelihood(&e, NULL);
	fit.chi_square = posterior_chi_square(&e, &x, &df);
	fit.p_value = chi_square_tail(fit.chi_square, (double)df);
	fit.coverage = classify_coverage(c, event, x.value, NULL);
	return fit;
}

bool classify_is_part(const struct classification *c, size_t part, size_t whole)
{
	size_t benches = c->plan->n_benches;

	for (size_t b = 0; b < benches; b++) {
		size_t at = part * benches + b, in = whole * benches + b;
		double error = hypot(c->error[at], c->error[in]);

		if (c->slope[at] >
		    c->slope[in] + SLOPE_ERRORS * error +
			    SLOPE_EXACT * fmax(1, fabs(c->slope[in])))
			return false;
	}
	return true;
}
