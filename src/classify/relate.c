/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How events relate to each other: families of equal ones, and multiples of
 * others. Sums and differences have files of their own. Also how many events
 * are independent at all.
 */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/pivot.h"
#include "analysis/special.h"
#include "base/err.h"
#include "classify/classify.h"

/* A sum of other events may be off by so much, as a share of it ... */
#define EXACT 0.01
/* ... or is no surer than this. */
#define DOUBT 0.99

/* In how many kernels one is a multiple of the other by more than chance. */
#define MANY 8

/* Multiples beyond this are chance, the cost of something in cycles; or bytes
 * of all threads of a GPU that run together. */
#define WIDEST     64
#define WIDEST_GPU 512

static double widest(const struct classification *c)
{
	bool gpu = c->plan->benches[0].kernel->needs & NEEDS_GPU;

	return gpu ? WIDEST_GPU : WIDEST;
}

size_t classify_base(const struct classification *c, size_t event)
{
	size_t base = c->events[event].kin.head;

	for (size_t i = 0; i < c->n; i++)
		if (c->events[i].kin.head == c->events[event].kin.head &&
		    fabs(c->events[i].kin.scale) <
			    fabs(c->events[base].kin.scale))
			base = i;
	return base;
}

double classify_times(const struct classification *c, size_t i, size_t base)
{
	return c->events[i].kin.scale / c->events[base].kin.scale;
}

/*
 * The member that event @i is a likely multiple of: the plain one, or, where
 * that would be too many times, one that it is the fewest whole times.
 */
static size_t likely_base(const struct classification *c, size_t i)
{
	size_t base = classify_base(c, i), found = base;
	double least = widest(c);

	if (fabs(classify_times(c, i, base)) <= widest(c))
		return base;
	for (size_t k = 0; k < c->n; k++) {
		double times = classify_times(c, i, k);

		if (c->events[k].kin.head != c->events[i].kin.head ||
		    times < 1.5 || times > least ||
		    fabs(times - round(times)) > 1e-6)
			continue;
		least = times;
		found = k;
	}
	return found;
}

/* How sure it is that event @i is @scale times the event @base. */
static int weigh_multiple(const struct classification *c, size_t i, size_t base,
			  double scale, double *sure)
{
	size_t benches = c->plan->n_benches;
	double *work = calloc(2 * benches + 1, sizeof(*work));
	const struct expectation x = { work, work + benches };
	struct evidence e = classify_evidence(c, i, CLASSIFY_SAME);
	double weight;

	if (!work)
		return PAPI_ENOMEM;
	for (size_t b = 0; b < benches; b++) {
		work[b] = scale * c->slope[base * benches + b];
		work[benches + b] = scale * c->error[base * benches + b];
	}
	/* one event of all, and one number of many */
	weight = posterior_likelihood(&e, &x) - 2 * log((double)c->n + 2);
	*sure = 1 / (1 + exp(posterior_likelihood(&e, NULL) - weight));
	free(work);
	return 0;
}

double classify_doubt_inexact(const struct classification *c, size_t event,
			      const struct blend *f, double sure)
{
	size_t benches = c->plan->n_benches;

	for (size_t b = 0; b < benches; b++) {
		double is = c->slope[event * benches + b], sum = 0;

		for (size_t i = 0; i < f->n; i++)
			sum += f->factor[i] *
			       c->slope[f->term[i] * benches + b];
		if (fabs(is - sum) > EXACT * fmax(1, fabs(is)))
			return fmin(sure, DOUBT);
	}
	return sure;
}

/* Whether it is the multiple of the other to the last digit in all kernels that
 * are exact, of which there must be @least in which it counts. */
static bool is_exactly(const struct classification *c, size_t i, size_t base,
		       double scale, size_t least)
{
	size_t benches = c->plan->n_benches, same = 0;

	for (size_t b = 0; b < benches; b++) {
		double is = c->slope[i * benches + b];
		double off = is - scale * c->slope[base * benches + b];

		if (!c->exact[b] || isnan(off) || fabs(is) < EXACT)
			continue;
		if (fabs(off) > 1e-6 * fmax(1, fabs(is)))
			return false;
		same++;
	}
	return same >= least;
}

/*
 * Whether what was guessed of event @i does not go with what is known, as
 * surely, of the event @base that it is a multiple of.
 */
static bool is_at_odds(const struct classification *c, size_t i, size_t base,
		       double scale)
{
	const struct classify_event *e = &c->events[i], *b = &c->events[base];

	if (!classify_is_known(e) || b->kind != CLASSIFY_TERM ||
	    e->confidence >= CLASSIFY_GUESS || b->confidence < e->confidence)
		return false;
	if (e->kind == CLASSIFY_TERM)
		return is_exactly(c, i, base, scale, MANY);
	return e->formula.n != 1 || e->formula.term[0] != b->formula.term[0] ||
	       fabs(e->formula.factor[0] - scale) > 1e-6 * scale;
}

bool classify_is_of_cycles(const struct classify_event *e)
{
	return e->kind == CLASSIFY_TERM &&
	       classify_is_spent(e->formula.term[0]);
}

/*
 * Families are of multiples of their first event; three times what that one is
 * five times of is in another. An event that is known and that @i is *@scale
 * times in every kernel; @i if there is none.
 */
static size_t other_base(const struct classification *c, size_t i,
			 double *scale)
{
	size_t benches = c->plan->n_benches;

	for (size_t k = 0; k < c->n; k++) {
		double both = 0, own = 0;
		struct blend f = { .n = 1, .term = { k } };

		if (k == i || !classify_is_known(&c->events[k]) ||
		    classify_base(c, k) != k)
			continue;
		for (size_t b = 0; b < benches; b++) {
			double x = c->slope[k * benches + b];
			double y = c->slope[i * benches + b];

			if (isnan(x) || isnan(y))
				continue;
			both += x * y;
			own += x * x;
		}
		*scale = own > 0 ? round(both / own) : 0;
		f.factor[0] = *scale;
		if (*scale >= 2 && *scale <= widest(c) &&
		    is_exactly(c, i, k, *scale, 0) &&
		    classify_doubt_inexact(c, i, &f, 1) == 1)
			return k;
	}
	return i;
}

static int call_multiples(struct classification *c)
{
	for (size_t i = 0; i < c->n; i++) {
		struct classify_event *e = &c->events[i];
		size_t base = likely_base(c, i);
		double scale = classify_times(c, i, base);

		if (base == i && classify_has_counts(e))
			base = other_base(c, i, &scale);
		if (base == i)
			continue;
		if (e->kind != CLASSIFY_UNKNOWN &&
		    !is_at_odds(c, i, base, scale))
			continue;
		if (fabs(scale - 1) < 1e-6 || fabs(scale) > widest(c))
			continue;
		e->kind = CLASSIFY_SCALED;
		e->of_events = true;
		e->formula = (struct blend){ .n = 1,
					     .term = { base },
					     .factor = { round(scale) },
					     .fitted = { scale } };
		if (weigh_multiple(c, i, base, scale, &e->confidence))
			return PAPI_ENOMEM;
		e->confidence = classify_doubt_inexact(c, i, &e->formula,
						       e->confidence);
	}
	return 0;
}

/* What equals a sum is the same sum. */
static void share_with_family(struct classification *c)
{
	for (size_t i = 0; i < c->n; i++) {
		struct classify_event *e = &c->events[i];
		const struct classify_event *head = &c->events[e->kin.head];

		if (e == head || e->kin.scale != 1 || !classify_has_counts(e) ||
		    head->kind != CLASSIFY_SUM || !head->of_events)
			continue;
		e->kind = head->kind;
		e->of_events = true;
		e->n_also = head->n_also;
		memcpy(e->also, head->also, sizeof(e->also));
		e->formula = head->formula;
		e->p_value = head->p_value;
		e->confidence = head->confidence;
	}
}

/* Noise hides what an event counts, but not that another has the same. */
static void join_twins(struct classification *c)
{
	size_t benches = c->plan->n_benches;

	for (size_t i = 0; i < c->n; i++) {
		struct classify_event *e = &c->events[i];

		for (size_t k = 0; k < i && e->kin.head == i; k++)
			if (e->kind == CLASSIFY_NOISY &&
			    c->events[k].kind == CLASSIFY_NOISY &&
			    c->events[k].kin.head == k &&
			    equivalence_is_exact(c->slope + i * benches,
						 c->slope + k * benches,
						 benches, 1))
				e->kin.head = k;
	}
}

static void find_families(struct classification *c)
{
	struct kin *kin = calloc(c->n + 1, sizeof(*kin));

	for (size_t i = 0; i < c->n; i++)
		c->events[i].kin = (struct kin){ i, 1 };
	if (!kin)
		return;
	equivalence_find(c->slope, c->error, c->n, c->plan->n_benches,
			 CLASSIFY_SAME, c->exact, kin);
	for (size_t i = 0; i < c->n; i++)
		if (classify_has_counts(&c->events[i]) &&
		    classify_has_counts(&c->events[kin[i].head]))
			c->events[i].kin = kin[i];
	join_twins(c);
	free(kin);
}

/* Columns are the families' heads over the benches where all were measured. */
static int find_rank(struct classification *c)
{
	size_t benches = c->plan->n_benches, cols = 0;
	double *a = calloc(c->n * benches + 1, sizeof(*a));
	size_t *order = calloc(c->n + 1, sizeof(*order));
	int err = a && order ? 0 : PAPI_ENOMEM;

	for (size_t i = 0; !err && i < c->n; i++) {
		if (!classify_has_counts(&c->events[i]) ||
		    c->events[i].kin.head != i)
			continue;
		for (size_t b = 0; b < benches; b++) {
			double s = c->slope[i * benches + b];

			a[cols * benches + b] = isnan(s) ? 0 : s;
		}
		cols++;
	}
	if (!err)
		err = pivot_choose(a, benches, cols, NULL, CLASSIFY_SAME, order,
				   &c->rank);
	free(a);
	free(order);
	return err == PAPI_ENOSUPP ? 0 : err;
}

int classify_relate(struct classification *c)
{
	int err;

	find_families(c);
	err = call_multiples(c);
	if (!err)
		err = classify_sums(c);
	if (!err)
		err = classify_differences(c);
	share_with_family(c);
	/* what is a sum of others is a part of nothing else */
	if (!err)
		err = classify_settle_claims(c);
	return err ? err : find_rank(c);
}
