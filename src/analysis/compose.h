/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An event as a sparse formula: "br_cond + br_direct", "2 dp_add_256".
 *
 * The explanations that analysis/posterior.h judges one by one may be summed.
 * The search keeps the best few sets of terms of each size, fits their factors
 * by least squares, takes whole numbers (or simple fractions) for them, and
 * judges the sum like any explanation. A term more must earn its place: its
 * prior is one over the number of terms there are to choose from, and once
 * more for a factor that is not 1.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "analysis/posterior.h"

#define COMPOSE_TERMS 6

struct blend {
	size_t n;                     /* terms */
	size_t term[COMPOSE_TERMS];   /* which, ascending */
	double factor[COMPOSE_TERMS]; /* whole, or a simple fraction */
	double fitted[COMPOSE_TERMS]; /* as least squares had it */
	double error[COMPOSE_TERMS];  /* standard error of that */
	double weight;                /* log-likelihood and log-prior */
	double chi_square;
	double p_value;
};

struct compose_options {
	size_t terms;                /* at most; up to COMPOSE_TERMS */
	size_t beam;                 /* sets of each size that are kept */
	const unsigned char *barred; /* terms not to be used; NULL: none */
	bool widths; /* parts of a sum may also count 4, 8, ... 64 times */
};

/*
 * The best formulas for @e from @n terms @x, best first, into @out (@capacity).
 * *@found is how many: 0 if none explains it. PAPI_ENOMEM.
 */
int compose(const struct evidence *e, const struct expectation *x, size_t n,
	    const struct compose_options *options, struct blend *out,
	    size_t capacity, size_t *found);

/*
 * What @f expects, into @value and @sigma (of the length of the evidence):
 * NaN where one of its terms says nothing.
 */
void blend_expect(const struct blend *f, const struct expectation *x,
		  size_t kernels, double *value, double *sigma);

/*
 * Fit the factors of the terms of @f by weighted least squares over the kernels
 * where all of them speak, but not kernel @without: into fitted and error.
 * False if these kernels do not determine them.
 */
bool blend_fit(struct blend *f, const struct evidence *e,
	       const struct expectation *x, size_t without);
