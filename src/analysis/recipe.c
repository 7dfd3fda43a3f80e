/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Factors of raw events by least squares (qr.h), and how far they are from
 * exact.
 */
#include "analysis/recipe.h"

#include <math.h>
#include <stdlib.h>

#include "base/err.h"

/* A share of the wanted count that no sum may leave unexplained. */
#define OUT_OF_REACH 0.05

/* Whether @event was measured in every kernel that @target speaks of. */
static bool is_known(const struct expectation *event, const double *target,
		     size_t kernels)
{
	for (size_t k = 0; k < kernels; k++)
		if (!isnan(target[k]) && isnan(event->value[k]))
			return false;
	return true;
}

/* How near all events together come. */
static int reach_of(const double *target, size_t kernels,
		    const struct expectation *events, size_t n,
		    struct recipe *r)
{
	OWNED double *a = calloc(kernels * n + 1, sizeof(*a));
	OWNED double *s = calloc(kernels + 1, sizeof(*s));
	OWNED double *y = calloc(n + 1, sizeof(*y));
	size_t rows = r->kernels, cols = 0;
	int err = a && s && y ? 0 : PAPI_ENOMEM;

	for (size_t i = 0; !err && i < n; i++) {
		size_t row = 0;

		if (!is_known(&events[i], target, kernels))
			continue;
		for (size_t k = 0; k < kernels; k++)
			if (!isnan(target[k])) {
				s[row] = target[k];
				a[cols * rows + row++] = events[i].value[k];
			}
		cols++;
	}
	if (!err)
		err = pivot_solve(a, rows, cols, s, 1e-10, y, &r->reach);
	return err;
}

static double relative(double is, double should)
{
	return fabs(is - should) / fmax(1, fabs(should));
}

static double predict(const struct blend *f, const double *factor,
		      const struct expectation *events, size_t kernel)
{
	double sum = 0;

	for (size_t i = 0; i < f->n; i++)
		sum += factor[i] * events[f->term[i]].value[kernel];
	return sum;
}

/* Errors with the factors as they are, and with each kernel held out. */
static void check(struct recipe *r, const struct evidence *e,
		  const struct expectation *events)
{
	for (size_t k = 0; k < e->n; k++) {
		struct blend without = r->formula;
		double off;

		if (isnan(e->slope[k]))
			continue;
		off = relative(
			predict(&r->formula, r->formula.factor, events, k),
			e->slope[k]);
		r->worst = fmax(r->worst, off);
		if (!blend_fit(&without, e, events, k))
			continue; /* only this kernel tells of a term */
		off = relative(predict(&without, without.fitted, events, k),
			       e->slope[k]);
		r->held_out = fmax(r->held_out, off);
	}
}

/* What chance may do to what is wanted, as an error of it. To be freed. */
static double *errors_of(const struct expectation *target, size_t kernels,
			 struct recipe *r)
{
	double *error = calloc(kernels + 1, sizeof(*error));

	*r = (struct recipe){ 0 };
	for (size_t k = 0; error && k < kernels; k++) {
		r->kernels += isnan(target->value[k]) ? 0 : 1;
		error[k] = target->sigma ? target->sigma[k] : 0;
	}
	return error;
}

int recipe_take(const struct expectation *target, size_t kernels,
		const struct expectation *event,
		const struct expectation *events, size_t n, struct recipe *out)
{
	struct recipe r;
	OWNED double *error = errors_of(target, kernels, &r);
	const struct evidence e = { .slope = target->value,
				    .error = error,
				    .n = kernels };
	int err = error ? 0 : PAPI_ENOMEM;

	r.made = true;
	r.formula = (struct blend){ .n = 1, .term = { 0 }, .factor = { 1 } };
	if (!err && r.kernels > 0)
		err = reach_of(target->value, kernels, events, n, &r);
	if (!err)
		check(&r, &e, event);
	if (!err)
		*out = r;
	return err;
}

int recipe_make(const struct expectation *target, size_t kernels,
		const struct expectation *events, size_t n, size_t counters,
		struct recipe *out)
{
	const struct compose_options options = {
		.terms = counters < COMPOSE_TERMS ? counters : COMPOSE_TERMS,
		.beam = 16,
		.widths = true,
	};
	struct recipe r;
	OWNED double *error = errors_of(target, kernels, &r);
	const struct evidence e = { .slope = target->value,
				    .error = error,
				    .n = kernels };
	size_t found = 0;
	int err = error ? 0 : PAPI_ENOMEM;

	if (!err && r.kernels > 0)
		err = reach_of(target->value, kernels, events, n, &r);
	/* what all events together do not give, no few of them give */
	if (!err && r.kernels > 0 && !(r.reach.residual > OUT_OF_REACH))
		err = compose(&e, events, n, &options, &r.formula, 1, &found);
	r.made = found > 0;
	if (!err && r.made)
		check(&r, &e, events);
	if (!err)
		*out = r;
	return err;
}
