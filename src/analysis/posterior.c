/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Likelihoods of slopes, added up kernel by kernel. Which explanations there
 * are, callers say.
 */
#include "analysis/posterior.h"

#include <math.h>

#include "analysis/special.h"

#define HALF_LOG_2PI 0.91893853320467274178

/*
 * Three sources of error that are independent, so their squares add: of the
 * measured slope, of the explanation, and of what no model has. The last keeps
 * an exact count of a simulator (error 0) from ruling out everything that is
 * off by a rounding error.
 */
double posterior_deviation(const struct evidence *e, size_t i, double expected,
			   double sigma)
{
	double share = e->floor > 0 ? e->floor : POSTERIOR_FLOOR;
	double unit = e->unit > 0 ? e->unit : 1;
	double floor = share * fmax(unit, fabs(expected));
	double error = isnan(e->error[i]) ? 0 : e->error[i];

	return sqrt(error * error + sigma * sigma + floor * floor);
}

static double log_normal(double off, double sd)
{
	return -HALF_LOG_2PI - log(sd) - off * off / (2 * sd * sd);
}

/* Student's t with 3 degrees of freedom: 2 / (pi sqrt(3) (1 + x^2/3)^2). */
static double log_student(double x, double scale)
{
	double t = x / scale;

	return log(0.36755259694786) - 2 * log1p(t * t / 3) - log(scale);
}

/* log(e^a + e^b), without overflow or loss where one is far below the other. */
static double log_sum(double a, double b)
{
	double top = fmax(a, b);

	return isinf(top) ? top : top + log(exp(a - top) + exp(b - top));
}

/*
 * Half a spike at 0, half Student's t: most events do not count in most
 * kernels, and what they count elsewhere has heavy tails (a flush costs a
 * hundred times what a hit does). With 3 degrees of freedom even the largest
 * slope is not implausible.
 */
static double log_background(const struct evidence *e, size_t i, double scale)
{
	double slope = e->slope[i];

	return log(0.5) +
	       log_sum(log_normal(slope, posterior_deviation(e, i, 0, 0)),
		       log_student(slope, scale));
}

static double largest(const struct evidence *e)
{
	double scale = 0;

	for (size_t i = 0; i < e->n; i++)
		if (!isnan(e->slope[i]))
			scale = fmax(scale, fabs(e->slope[i]));
	return scale > 0 ? scale : POSTERIOR_FLOOR;
}

double posterior_silence(const struct evidence *e, size_t i)
{
	return log_background(e, i, largest(e));
}

double posterior_likelihood(const struct evidence *e,
			    const struct expectation *x)
{
	double scale = largest(e), sum = 0;

	for (size_t i = 0; i < e->n; i++) {
		double value = x ? x->value[i] : NAN;
		double sigma = x && x->sigma ? x->sigma[i] : 0;

		if (isnan(e->slope[i]))
			continue;
		if (isnan(value))
			sum += log_background(e, i, scale);
		else
			sum += log_normal(
				e->slope[i] - value,
				posterior_deviation(e, i, value, sigma));
	}
	return sum;
}

double posterior_chi_square(const struct evidence *e,
			    const struct expectation *x, size_t *df)
{
	double sum = 0;
	size_t n = 0;

	for (size_t i = 0; i < e->n; i++) {
		double sigma = x->sigma ? x->sigma[i] : 0;
		double off;

		if (isnan(e->slope[i]) || isnan(x->value[i]))
			continue;
		off = (e->slope[i] - x->value[i]) /
		      posterior_deviation(e, i, x->value[i], sigma);
		sum += off * off;
		n++;
	}
	if (df)
		*df = n;
	return sum;
}

/* The two largest of @n + 1 numbers. */
static void rank(const double *weight, size_t n, struct verdict *v)
{
	v->best = n;
	v->next = n;
	for (size_t i = 0; i < n; i++)
		if (weight[i] > weight[v->best])
			v->best = i;
	if (v->best == n && n > 0)
		v->next = 0;
	for (size_t i = 0; i <= n; i++)
		if (i != v->best && weight[i] > weight[v->next])
			v->next = i;
}

/* @weight: logarithms in, probabilities out. The largest is subtracted first:
 * likelihoods of hundreds of kernels are far below what a double can hold. */
static void normalise(double *weight, size_t n)
{
	double top = -INFINITY, sum = 0;

	for (size_t i = 0; i < n; i++)
		top = fmax(top, weight[i]);
	for (size_t i = 0; i < n; i++)
		sum += exp(weight[i] - top);
	for (size_t i = 0; i < n; i++)
		weight[i] = exp(weight[i] - top) / sum;
}

struct verdict posterior_judge(const struct evidence *e,
			       const struct expectation *x, size_t n,
			       const double *prior, double *posterior)
{
	double *weight = posterior;
	struct verdict v = { .p_value = 1 };
	size_t df = 0, closest = n;

	for (size_t i = 0; i <= n; i++)
		weight[i] = posterior_likelihood(e, i < n ? &x[i] : NULL) +
			    (prior ? prior[i] : 0);
	rank(weight, n, &v);
	v.margin = n ? weight[v.best] - weight[v.next] : INFINITY;
	/* the best of a bad lot is still bad: it has to fit by itself, too */
	closest = v.best < n ? v.best : v.next;
	if (closest < n) {
		v.chi_square = posterior_chi_square(e, &x[closest], &df);
		v.p_value = chi_square_tail(v.chi_square, (double)df);
	}
	normalise(weight, n + 1);
	v.confidence = weight[v.best];
	if (v.best < n && v.p_value < POSTERIOR_REFUSED) {
		v.next = v.best;
		v.best = n;
		v.confidence = weight[n];
	}
	return v;
}
