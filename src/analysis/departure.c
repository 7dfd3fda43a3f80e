/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Differences from a claim, explained term by term. What a claim is, callers
 * say.
 */
#include "analysis/departure.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/qr.h"
#include "base/err.h"

/* Standard errors that a kernel may be off: one in 16,000 is, by chance. */
#define ERRORS 4

/* A further term must leave less than this of what the others leave. */
#define EARNS 0.7

/* Longest fractions that are looked for: Figure 7 of the 2005 paper has 5/9. */
#define MOST_UNDER 12

struct search {
	const struct evidence *e;
	const struct expectation *claim, *x;
	double tolerance;
	double *off;    /* [kernel]: slope less claim; 0: nothing said */
	double *weight; /* [kernel]: one over what it may be off */
	double *a;      /* columns of the fit */
	double *y;
};

static bool speaks(const struct search *s, size_t b)
{
	return !isnan(s->e->slope[b]) && !isnan(s->claim->value[b]);
}

/* What a kernel may be off. */
static double allowed(const struct search *s, size_t b)
{
	double value = fabs(s->claim->value[b]);
	double error =
		s->e->error && isfinite(s->e->error[b]) ? s->e->error[b] : 0;
	double chance = s->claim->sigma ? s->claim->sigma[b] : 0;

	return s->tolerance * fmax(value, 1) + ERRORS * hypot(error, chance);
}

static void look_at_kernels(struct search *s)
{
	for (size_t b = 0; b < s->e->n; b++) {
		bool known = speaks(s, b);

		s->off[b] = known ? s->e->slope[b] - s->claim->value[b] : 0;
		s->weight[b] = known ? 1 / allowed(s, b) : 0;
	}
}

/* What is expected of term @t in kernel @b; nothing where it is silent. */
static double expected(const struct search *s, size_t t, size_t b)
{
	double value = s->x[t].value[b];

	return isnan(value) ? 0 : value;
}

/* What the terms of @d leave of the difference in kernel @b. */
static double left_in(const struct search *s, const struct departure *d,
		      size_t b)
{
	double left = s->off[b];

	for (size_t k = 0; k < d->n; k++)
		left -= d->amount[k] * expected(s, d->term[k], b);
	return left;
}

/*
 * Fit the amounts of all terms of @d, weighted. The sum of squares that they
 * leave; INFINITY if these kernels do not determine them.
 */
static double fit(const struct search *s, struct departure *d)
{
	size_t rows = s->e->n;
	double diagonal[DEPARTURE_TERMS];
	struct qr qr = { rows, d->n, s->a, diagonal, NULL };
	double sum = 0;

	for (size_t b = 0; b < rows; b++) {
		for (size_t k = 0; k < d->n; k++)
			s->a[k * rows + b] =
				s->weight[b] * expected(s, d->term[k], b);
		s->y[b] = s->weight[b] * s->off[b];
	}
	for (size_t k = 0; k < d->n; k++)
		if (!qr_step(&qr, k, 1e-9 * qr_norm(s->a + k * rows, rows)))
			return INFINITY;
	qr_apply(&qr, d->n, s->y);
	for (size_t b = d->n; b < rows; b++)
		sum += s->y[b] * s->y[b];
	qr_solve_upper(&qr, d->n, s->y);
	memcpy(d->amount, s->y, d->n * sizeof(*s->y));
	return sum;
}

/* The error of each amount, as if it were fitted alone. */
static void find_errors(const struct search *s, struct departure *d)
{
	for (size_t k = 0; k < d->n; k++) {
		double sum = 0;

		for (size_t b = 0; b < s->e->n; b++) {
			double x = s->weight[b] * expected(s, d->term[k], b);

			sum += x * x;
		}
		d->error[k] = sum > 0 ? 1 / sqrt(sum) : INFINITY;
	}
}

/* Whether all terms of @d say something of kernel @b. */
static bool all_speak(const struct search *s, const struct departure *d,
		      size_t b)
{
	for (size_t k = 0; k < d->n; k++)
		if (isnan(s->x[d->term[k]].value[b]))
			return false;
	return true;
}

static size_t count_off(const struct search *s, const struct departure *d,
			size_t *worst)
{
	double most = 0;
	size_t n = 0;

	for (size_t b = 0; b < s->e->n; b++) {
		double off = fabs(left_in(s, d, b)) * s->weight[b];

		if (!all_speak(s, d, b))
			continue;
		n += off > 1;
		if (off > most) {
			most = off;
			*worst = b;
		}
	}
	return n;
}

static bool has(const struct departure *d, size_t term)
{
	for (size_t k = 0; k < d->n; k++)
		if (d->term[k] == term)
			return true;
	return false;
}

/* The term that leaves the least, added to @d; false if none earns it. */
static bool add_best(const struct search *s, size_t n,
		     const unsigned char *barred, struct departure *d)
{
	struct departure best = *d, with;
	double least = EARNS * fit(s, &best);

	for (size_t t = 0; t < n; t++) {
		double left;

		if ((barred && barred[t]) || has(d, t))
			continue;
		with = *d;
		with.term[with.n++] = t;
		left = fit(s, &with);
		if (left < least * (1 - 1e-9)) {
			least = left;
			best = with;
		}
	}
	if (best.n == d->n)
		return false;
	*d = best;
	return true;
}

int departure_find(const struct evidence *e, const struct expectation *claim,
		   const struct expectation *x, size_t n,
		   const unsigned char *barred, double tolerance,
		   struct departure *out)
{
	OWNED double *memory =
		calloc(e->n * (3 + DEPARTURE_TERMS) + 1, sizeof(*memory));
	struct search s = { e,
			    claim,
			    x,
			    tolerance,
			    memory,
			    memory + e->n,
			    memory + 3 * e->n,
			    memory + 2 * e->n };

	*out = (struct departure){ .worst = e->n, .rest = e->n };
	if (!memory)
		return PAPI_ENOMEM;
	look_at_kernels(&s);
	for (size_t b = 0; b < e->n; b++)
		out->kernels += speaks(&s, b);
	out->off = out->left = count_off(&s, out, &out->worst);
	while (out->left > 0 && out->n < DEPARTURE_TERMS &&
	       add_best(&s, n, barred, out))
		out->left = count_off(&s, out, &out->rest);
	find_errors(&s, out);
	return 0;
}

void departure_fraction(double value, double error, int *over, int *under)
{
	double within = fmax(error, 1e-6);

	for (*under = 1; *under <= MOST_UNDER; ++*under) {
		double whole = round(value * *under);

		if (fabs(whole) < 1e6 &&
		    fabs(value - whole / *under) <= within) {
			*over = (int)whole;
			return;
		}
	}
	*under = 0;
}
