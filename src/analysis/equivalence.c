/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Families of events by their slopes; which member gives its name is the
 * caller's choice.
 */
#include "analysis/equivalence.h"

#include <math.h>
#include <stdbool.h>

#include "analysis/posterior.h"
#include "analysis/special.h"

static double square(double x)
{
	return x * x;
}

static bool counts_nothing(const double *slope, size_t kernels)
{
	for (size_t k = 0; k < kernels; k++)
		if (!isnan(slope[k]) && fabs(slope[k]) > 1e-9)
			return false;
	return true;
}

/* A factor that is known to be whole may be off by so much. */
#define WHOLE 0.25

/* What two events of which no count differs from run to run may be apart. */
#define SAME 1e-6

/* Two events over the kernels. */
struct pair {
	const double *e, *e_error;
	const double *f, *f_error;
	size_t kernels;
	double floor;
	const unsigned char *exact;
};

static double floor_of(const struct pair *p, size_t k)
{
	return p->exact && p->exact[k] ? SAME : p->floor;
}

/* Of the difference between @e and @ratio times @f, for what they are. */
static double variance_of(const struct pair *p, size_t k, double ratio,
			  double size)
{
	double least = square(floor_of(p, k) * size);

	if (p->exact && p->exact[k])
		return least;
	return square(p->e_error[k]) + square(ratio * p->f_error[k]) + least;
}

/* Whether @e is @scale times @f in every kernel, whatever the errors are. */
static bool is_steady(const struct pair *p, double scale)
{
	for (size_t k = 0; k < p->kernels; k++)
		if (fabs(p->e[k] - scale * p->f[k]) >
		    2 * floor_of(p, k) * fmax(fabs(p->e[k]), 1)) /* NaN: no */
			return false;
	return true;
}

/*
 * @e = scale * @f by least squares, each kernel by what is known of it, rounded
 * to a whole number or 1 / one. 0 if it might as well be the next one: nearly
 * anything is some large number of times something else.
 */
static double common_scale(const struct pair *p)
{
	double ef = 0, ff = 0, scale, whole, off;

	for (size_t k = 0; k < p->kernels; k++) {
		double e = p->e[k], f = p->f[k];
		double ratio = fabs(f) > 1e-9 ? e / f : 0, w;

		if (isnan(e) || isnan(f) || ratio == 0)
			continue;
		w = 1 / fmax(variance_of(p, k, ratio, e), 1e-18);
		ef += w * e * f;
		ff += w * f * f;
	}
	scale = ff > 0 ? ef / ff : 0;
	if (!(scale > 0))
		return 0;
	if (scale >= 1) {
		whole = round(scale);
		off = 1 / sqrt(ff);
		scale = whole;
	} else {
		whole = round(1 / scale);
		off = 1 / (sqrt(ff) * scale * scale);
		scale = 1 / whole;
	}
	return whole == 1 || off < WHOLE || is_steady(p, scale) ? scale : 0;
}

/* Hotelling's comparison, kernel by kernel. */
static bool agree(const struct pair *p, double scale)
{
	double sum = 0;
	size_t n = 0;

	for (size_t k = 0; k < p->kernels; k++) {
		double e = p->e[k], f = scale * p->f[k];
		double size = fmax(fmax(fabs(e), fabs(f)), 0.2);

		if (isnan(e) || isnan(f))
			continue;
		sum += square(e - f) / variance_of(p, k, scale, size);
		n++;
	}
	return n > 0 && chi_square_tail(sum, (double)n) > POSTERIOR_REFUSED;
}

void equivalence_find(const double *slope, const double *error, size_t n,
		      size_t kernels, double floor, const unsigned char *exact,
		      struct kin *out)
{
	struct pair p = { .kernels = kernels, .floor = floor, .exact = exact };

	for (size_t i = 0; i < n; i++) {
		bool nothing = counts_nothing(slope + i * kernels, kernels);

		p.e = slope + i * kernels;
		p.e_error = error + i * kernels;
		out[i] = (struct kin){ i, 1 };
		for (size_t h = 0; !nothing && h < i; h++) {
			double scale;

			p.f = slope + h * kernels;
			p.f_error = error + h * kernels;
			if (out[h].head != h || counts_nothing(p.f, kernels))
				continue;
			scale = common_scale(&p);
			if (scale == 0 || !agree(&p, scale))
				continue;
			out[i] = (struct kin){ h, scale };
			break;
		}
	}
}

int equivalence_is_exact(const double *e, const double *f, size_t kernels,
			 double times)
{
	for (size_t k = 0; k < kernels; k++) {
		if (isnan(e[k]) && isnan(f[k]))
			continue;
		if (!(fabs(e[k] - times * f[k]) <= 1e-9 * fmax(1, fabs(e[k]))))
			return 0;
	}
	return !counts_nothing(e, kernels);
}

/* An event is seen in a kernel that makes it count so much. */
#define SEEN 0.01

/* Where counts do differ, a sum may be off by so much, or so many errors. */
#define LOOSE  0.01
#define ERRORS 5

/* In how many kernels, of those that count, a sum has to be exact. */
static bool is_enough(size_t exact, size_t counted)
{
	return exact > 0 && exact * 20 >= counted * 19;
}

int equivalence_is_sum(const double *slope, const double *error, size_t kernels,
		       size_t event, const size_t part[2])
{
	const double *sum = slope + event * kernels;
	const double *first = slope + part[0] * kernels;
	const double *second = slope + part[1] * kernels;
	size_t exact = 0, counted = 0;
	bool seen[2] = { false, false };

	for (size_t k = 0; k < kernels; k++) {
		double is = sum[k], a = first[k], b = second[k];
		double off = fabs(is - a - b);
		double size = fmax(1, fabs(is));

		if (isnan(off) || (is == 0 && a == 0 && b == 0))
			continue;
		counted++;
		if (off <= SAME * size) {
			exact++;
			seen[0] |= fabs(a) > SEEN;
			seen[1] |= fabs(b) > SEEN;
		} else if (off > LOOSE * size &&
			   off > ERRORS * hypot(error[event * kernels + k],
						hypot(error[part[0] * kernels +
							    k],
						      error[part[1] * kernels +
							    k]))) {
			return 0;
		}
	}
	return is_enough(exact, counted) && seen[0] && seen[1];
}

int equivalence_find_sum(const double *slope, const double *error, size_t n,
			 size_t kernels, size_t event,
			 const unsigned char *barred, size_t part[2])
{
	for (size_t i = 0; i < n; i++)
		for (size_t k = i + 1; !barred[i] && k < n; k++) {
			part[0] = i;
			part[1] = k;
			if (!barred[k] &&
			    equivalence_is_sum(slope, error, kernels, event,
					       part))
				return 1;
		}
	return 0;
}
