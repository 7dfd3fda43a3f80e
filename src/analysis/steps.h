/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Steps: what an event does as the memory touched grows past one cache after
 * another: its levels between bounds that are known, where it leaves one for
 * the next, and how.
 */
#pragma once

#include <stddef.h>

/*
 * Medians of @y in the @n_bounds + 1 regions that @bounds divide @x into, of
 * points that are not within the factor @margin of a bound: NaN if none is.
 */
void steps_levels(const double *x, const double *y, size_t n,
		  const double *bounds, size_t n_bounds, double margin,
		  double *levels);

/*
 * Where @y leaves one level for another: between *@before, the last x of the
 * points in front of @bound's jump that are still nearer to the level before,
 * and *@after, the first that is nearer to the next. 0, or PAPI_EINVAL if it
 * does not go from @from to @to anywhere.
 */
int steps_transition(const double *x, const double *y, size_t n, double from,
		     double to, double *before, double *after);

/* '-', '0' or '+': what a curve does at a bound, from levels around it. */
char steps_sign(double before, double after, double noise);
