/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sparse formulas searched for; which of them is believed, posterior.c decides.
 */
#include "analysis/compose.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/special.h"
#include "base/err.h"

/* Squares for each kernel beyond which no set is looked at more closely. */
#define HOPELESS 50

#define TWO_PI   6.28318530717958647692

/* The search: what is given, and room to work in. */
struct search {
	const struct evidence *e;
	const struct expectation *x;
	size_t n;
	const struct compose_options *options;
	double *value; /* of one formula, over the kernels */
	double *sigma;
	/* What each kernel adds to the log-likelihood of a set whose factors
	 * are not settled yet: @peak at best, less its weighted square; or
	 * @silence where a term says nothing. */
	double *inverse; /* 1 / variance */
	double *peak;
	double *silence;
	struct blend *beam;  /* sets of the size reached */
	struct blend *wider; /* those with one term more */
	size_t n_beam, n_wider;
	struct blend *out;
	size_t capacity, found;
};

void blend_expect(const struct blend *f, const struct expectation *x,
		  size_t kernels, double *value, double *sigma)
{
	for (size_t k = 0; k < kernels; k++) {
		double sum = 0, variance = 0;

		for (size_t i = 0; i < f->n; i++) {
			const struct expectation *term = &x[f->term[i]];
			double s = term->sigma ? term->sigma[k] : 0;

			sum += f->factor[i] * term->value[k];
			variance += f->factor[i] * f->factor[i] * s * s;
		}
		value[k] = sum;
		sigma[k] = sqrt(variance);
	}
}

/*
 * Cholesky's factor of the normal equations in place; false if the terms are
 * not independent over these kernels.
 */
static bool factorise(double a[COMPOSE_TERMS][COMPOSE_TERMS], size_t n)
{
	for (size_t i = 0; i < n; i++) {
		double diagonal = a[i][i];

		for (size_t j = 0; j <= i; j++) {
			double sum = a[i][j];

			for (size_t k = 0; k < j; k++)
				sum -= a[i][k] * a[j][k];
			if (i != j)
				a[i][j] = sum / a[j][j];
			else if (sum > 1e-10 * diagonal)
				a[i][i] = sqrt(sum);
			else
				return false;
		}
	}
	return true;
}

static void solve(double a[COMPOSE_TERMS][COMPOSE_TERMS], size_t n, double *b)
{
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < i; k++)
			b[i] -= a[i][k] * b[k];
		b[i] /= a[i][i];
	}
	for (size_t i = n; i-- > 0;) {
		for (size_t k = i + 1; k < n; k++)
			b[i] -= a[k][i] * b[k];
		b[i] /= a[i][i];
	}
}

/* The normal equations of @f over the kernels where all its terms speak. */
static void add_equations(const struct blend *f, const struct expectation *x,
			  double slope, double inverse, size_t k,
			  double a[COMPOSE_TERMS][COMPOSE_TERMS], double *b)
{
	double row[COMPOSE_TERMS], silent = slope;

	for (size_t i = 0; i < f->n; i++) {
		row[i] = x[f->term[i]].value[k];
		silent += row[i];
	}
	if (isnan(silent))
		return;
	for (size_t i = 0; i < f->n; i++) {
		double weighted = inverse * row[i];

		b[i] += weighted * slope;
		for (size_t j = 0; j <= i; j++)
			a[i][j] += weighted * row[j];
	}
}

static bool solve_equations(struct blend *f,
			    double a[COMPOSE_TERMS][COMPOSE_TERMS], double *b)
{
	if (!factorise(a, f->n))
		return false;
	solve(a, f->n, b);
	memcpy(f->fitted, b, COMPOSE_TERMS * sizeof(*b));
	for (size_t i = 0; i < f->n; i++) {
		double unit[COMPOSE_TERMS] = { 0 };

		unit[i] = 1;
		solve(a, f->n, unit);
		f->error[i] = sqrt(unit[i]);
	}
	return true;
}

static double inverse_variance(const struct evidence *e, size_t k)
{
	double sd = posterior_deviation(e, k, e->slope[k], 0);

	return 1 / (sd * sd);
}

bool blend_fit(struct blend *f, const struct evidence *e,
	       const struct expectation *x, size_t without)
{
	double a[COMPOSE_TERMS][COMPOSE_TERMS] = { { 0 } };
	double b[COMPOSE_TERMS] = { 0 };

	for (size_t k = 0; k < e->n; k++)
		if (k != without && !isnan(e->slope[k]))
			add_equations(f, x, e->slope[k], inverse_variance(e, k),
				      k, a, b);
	return solve_equations(f, a, b);
}

static bool fit_all(const struct search *s, struct blend *f)
{
	double a[COMPOSE_TERMS][COMPOSE_TERMS] = { { 0 } };
	double b[COMPOSE_TERMS] = { 0 };

	for (size_t k = 0; k < s->e->n; k++)
		add_equations(f, s->x, s->e->slope[k], s->inverse[k], k, a, b);
	return solve_equations(f, a, b);
}

/*
 * The simplest number near @x, which is not 0: a whole one, a half, third or
 * quarter, if it is within the error or nearly so. False if there is none.
 */
static bool simplest(double x, double error, double *out)
{
	double near = fmax(0.02, fmin(3 * error, 0.45));

	for (int parts = 1; parts <= 4; parts++) {
		double r = round(x * parts) / parts;

		if (r != 0 && fabs(x - r) <= near / parts) {
			*out = r;
			return true;
		}
	}
	return false;
}

/*
 * With any numbers a few terms come near everything: multiples are small or
 * the width of something, parts of a sum are mostly ones and twos.
 */
static bool is_likely(double factor, size_t terms, bool widths)
{
	double size = fabs(factor);
	bool is_width = factor == 4 || factor == 8 || factor == 16 ||
			factor == 32 || factor == 64;

	if (terms > 1)
		return size == 1 || factor == 2 || (widths && is_width);
	return factor == 0.5 || is_width ||
	       (factor >= 1 && factor <= 12 && factor == round(factor));
}

static double log_prior(const struct search *s, const struct blend *f)
{
	double step = log((double)s->n + 2), sum = 0;

	for (size_t i = 0; i < f->n; i++) {
		sum -= step;
		if (f->factor[i] != 1)
			sum -= 3 + log(1 + fabs(f->factor[i]));
	}
	return sum;
}

/* Judge @f with the factors it has. */
static void judge_blend(const struct search *s, struct blend *f)
{
	struct expectation x = { s->value, s->sigma };
	size_t df;

	blend_expect(f, s->x, s->e->n, s->value, s->sigma);
	f->weight = posterior_likelihood(s->e, &x) + log_prior(s, f);
	f->chi_square = posterior_chi_square(s->e, &x, &df);
	f->p_value = df > f->n ? chi_square_tail(f->chi_square, (double)df) : 0;
}

/*
 * The weight of @f with the factors that least squares gave it, quickly: of
 * the many sets that are looked at most are far off. *@n is how many kernels
 * it speaks of.
 */
static void rank(const struct search *s, struct blend *f, size_t *n)
{
	f->weight = log_prior(s, f);
	f->chi_square = 0;
	*n = 0;
	for (size_t k = 0; k < s->e->n; k++) {
		double off = s->e->slope[k];

		if (isnan(off))
			continue;
		for (size_t i = 0; i < f->n; i++)
			off -= f->factor[i] * s->x[f->term[i]].value[k];
		if (isnan(off)) {
			f->weight += s->silence[k];
			continue;
		}
		off = off * off * s->inverse[k];
		f->chi_square += off;
		f->weight += s->peak[k] - off / 2;
		(*n)++;
	}
}

/* Keep @f among the @capacity best of @list by weight. */
static void keep(struct blend *list, size_t *n, size_t capacity,
		 const struct blend *f)
{
	size_t at = *n;

	while (at > 0 && list[at - 1].weight < f->weight)
		at--;
	if (at == capacity)
		return;
	if (*n < capacity)
		(*n)++;
	memmove(&list[at + 1], &list[at], (*n - at - 1) * sizeof(*list));
	list[at] = *f;
}

static bool same_terms(const struct blend *a, const struct blend *b)
{
	return a->n == b->n &&
	       memcmp(a->term, b->term, a->n * sizeof(a->term[0])) == 0;
}

static bool kept(const struct blend *list, size_t n, const struct blend *f)
{
	for (size_t i = 0; i < n; i++)
		if (same_terms(&list[i], f))
			return true;
	return false;
}

/* @base with @term added in its place; false if it has it. */
static bool widen(const struct blend *base, size_t term, struct blend *f)
{
	size_t at = 0;

	*f = *base;
	while (at < f->n && f->term[at] < term)
		at++;
	if (at < f->n && f->term[at] == term)
		return false;
	memmove(&f->term[at + 1], &f->term[at],
		(f->n - at) * sizeof(f->term[0]));
	f->term[at] = term;
	f->n++;
	return true;
}

/*
 * Least squares decides which sets go on: with terms still missing no simple
 * number fits. Simple numbers decide which set is an answer.
 */
static void consider(struct search *s, struct blend *f)
{
	struct blend whole;
	bool simple = true;
	size_t n;

	if (kept(s->wider, s->n_wider, f) || !fit_all(s, f))
		return;
	memcpy(f->factor, f->fitted, sizeof(f->fitted));
	rank(s, f, &n);
	keep(s->wider, &s->n_wider, s->options->beam, f);
	/* what is so far off at its best is refused as whole numbers too,
	 * also if chance has moved it */
	if (f->chi_square > HOPELESS * (double)(n + HOPELESS))
		return;
	whole = *f;
	for (size_t i = 0; i < f->n; i++)
		simple &=
			simplest(f->fitted[i], f->error[i], &whole.factor[i]) &&
			is_likely(whole.factor[i], f->n, s->options->widths);
	if (!simple)
		return;
	judge_blend(s, &whole);
	if (whole.p_value >= POSTERIOR_REFUSED)
		keep(s->out, &s->found, s->capacity, &whole);
}

static void go_wider(struct search *s)
{
	struct blend *swap = s->beam;

	s->n_wider = 0;
	for (size_t i = 0; i < s->n_beam; i++)
		for (size_t t = 0; t < s->n; t++) {
			struct blend f;

			if (s->options->barred && s->options->barred[t])
				continue;
			if (widen(&s->beam[i], t, &f))
				consider(s, &f);
		}
	s->beam = s->wider;
	s->wider = swap;
	s->n_beam = s->n_wider;
}

static void weigh_kernels(struct search *s)
{
	for (size_t k = 0; k < s->e->n; k++) {
		if (isnan(s->e->slope[k]))
			continue;
		s->inverse[k] = inverse_variance(s->e, k);
		s->peak[k] = log(s->inverse[k] / TWO_PI) / 2;
		s->silence[k] = posterior_silence(s->e, k);
	}
}

/* Whether more terms could still beat what was found. */
static bool can_improve(const struct search *s, size_t terms)
{
	return s->found < s->capacity || s->out[s->found - 1].n + 1 >= terms;
}

int compose(const struct evidence *e, const struct expectation *x, size_t n,
	    const struct compose_options *options, struct blend *out,
	    size_t capacity, size_t *found)
{
	struct search s = { .e = e,
			    .x = x,
			    .n = n,
			    .options = options,
			    .out = out,
			    .capacity = capacity };
	OWNED struct blend *first = calloc(2 * options->beam, sizeof(*first));
	OWNED double *work = calloc(5 * e->n + 1, sizeof(*work));

	if (!first || !work)
		return PAPI_ENOMEM;
	s.beam = first;
	s.wider = first + options->beam;
	s.value = work;
	s.sigma = work + e->n;
	s.inverse = work + 2 * e->n;
	s.peak = work + 3 * e->n;
	s.silence = work + 4 * e->n;
	weigh_kernels(&s);
	s.n_beam = 1; /* the empty set */
	for (size_t terms = 1; terms <= options->terms && s.n_beam; terms++) {
		if (s.found && s.out[0].n + 1 < terms)
			break;
		if (!can_improve(&s, terms))
			break;
		go_wider(&s);
	}
	*found = s.found;
	return 0;
}
