/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How events relate to each other: families of equal ones, and, for those that
 * no term explains, multiples and sums of others. Also how many events are
 * independent at all.
 */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/pivot.h"
#include "analysis/special.h"
#include "base/err.h"
#include "cli/classify.h"

/* A term is enough if it speaks of so much of what was counted. */
#define MOSTLY 0.6

/* A log-likelihood ratio that leaves no doubt. */
#define CLEARLY 10

/* A sum of other events may be off by so much, as a share of it ... */
#define EXACT 0.01
/* ... or is no surer than this. */
#define DOUBT 0.99

/* Multiples beyond this are chance, the cost of something in cycles; or bytes
 * of all threads of a GPU that run together. */
#define WIDEST     64
#define WIDEST_GPU 512

static double widest(const struct classification *c)
{
	bool gpu = c->plan->benches[0].kernel->needs & NEEDS_GPU;

	return gpu ? WIDEST_GPU : WIDEST;
}

static bool has_counts(const struct classify_event *e)
{
	return e->kind >= CLASSIFY_TERM;
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

/* How many times event @i is event @base, of the same family. */
static double times_base(const struct classification *c, size_t i, size_t base)
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

	if (fabs(times_base(c, i, base)) <= widest(c))
		return base;
	for (size_t k = 0; k < c->n; k++) {
		double times = times_base(c, i, k);

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

/*
 * Whether what was guessed of event @i does not go with what is known, as
 * surely, of the event @base that it is a multiple of.
 */
static bool is_at_odds(const struct classification *c, size_t i, size_t base,
		       double scale)
{
	const struct classify_event *e = &c->events[i], *b = &c->events[base];

	if ((e->kind != CLASSIFY_SCALED && e->kind != CLASSIFY_SUM) ||
	    b->kind != CLASSIFY_TERM || e->confidence >= CLASSIFY_GUESS ||
	    b->confidence < e->confidence)
		return false;
	return e->formula.n != 1 || e->formula.term[0] != b->formula.term[0] ||
	       fabs(e->formula.factor[0] - scale) > 1e-6 * scale;
}

/*
 * Whether event @i is @scale times event @k wherever they count, but for some
 * kernels. A wait of few cycles is not the same each time: it depends on what
 * was in flight when counting began.
 */
static bool is_mostly(const struct classification *c, size_t i, size_t k,
		      double scale)
{
	size_t benches = c->plan->n_benches, counted = 0, same = 0;

	for (size_t b = 0; b < benches; b++) {
		double is = c->slope[i * benches + b];
		double should = scale * c->slope[k * benches + b];

		if (!(fmax(fabs(is), fabs(should)) > 0.01))
			continue;
		counted++;
		same += fabs(is - should) <= 2 * EXACT * fmax(1, fabs(is));
	}
	return same >= 8 && same * 4 >= counted * 3;
}

/* Whether an event was found to count cycles of some kind. */
static bool is_of_cycles(const struct classify_event *e)
{
	return e->kind == CLASSIFY_TERM &&
	       classify_is_spent(e->formula.term[0]);
}

/*
 * Counts of cycles differ a little each time, more than what is allowed in a
 * family: an event that is known and that @i is so many whole times in every
 * kernel, but for that. @i if there is none.
 */
static size_t near_base(const struct classification *c, size_t i, double *scale)
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
		    (classify_doubt_inexact(c, i, &f, 1) == 1 ||
		     (is_of_cycles(&c->events[k]) &&
		      is_mostly(c, i, k, *scale))))
			return k;
	}
	return i;
}

static int call_multiples(struct classification *c)
{
	for (size_t i = 0; i < c->n; i++) {
		struct classify_event *e = &c->events[i];
		size_t base = likely_base(c, i);
		double scale = times_base(c, i, base);

		if (base == i && e->kind == CLASSIFY_UNKNOWN)
			base = near_base(c, i, &scale);
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
		if (is_of_cycles(&c->events[base]) &&
		    is_mostly(c, i, base, scale))
			e->confidence = fmax(e->confidence, CLASSIFY_GUESS);
	}
	return 0;
}

/* Event @i says nothing that the plain one of its family does not say. */
static bool is_spare(const struct classification *c, size_t i)
{
	size_t base = classify_base(c, i), benches = c->plan->n_benches;

	return base != i &&
	       equivalence_is_exact(c->slope + i * benches,
				    c->slope + base * benches, benches,
				    times_base(c, i, base));
}

/*
 * Events that a sum may be made of: one of each family, the plain one, and
 * those that are multiples of it but for errors; if it is a part of the sum at
 * all. There are few of these, so all pairs of them can be tried. Cycles are
 * not explained by what they are spent on.
 */
static void bar_others(const struct classification *c, size_t event,
		       unsigned char *barred)
{
	bool cycles = classify_counts(c, event, CONCEPT_CYCLES);

	for (size_t i = 0; i < c->n; i++) {
		const struct classify_event *e = &c->events[i];

		barred[i] = !has_counts(e) || (cycles && is_of_cycles(e)) ||
			    e->kin.head == c->events[event].kin.head ||
			    is_spare(c, i) || !classify_is_part(c, i, event);
	}
}

static bool all_positive(const struct blend *f)
{
	for (size_t i = 0; i < f->n; i++)
		if (!(f->factor[i] > 0))
			return false;
	return true;
}

/*
 * Nothing was found; or a sum of terms that is a mere guess; or the same term
 * as for an event that counts otherwise and is as sure, so that one of the two
 * must be wrong.
 */
static bool is_doubtful(const struct classification *c, size_t event)
{
	const struct classify_event *e = &c->events[event];

	if (e->kind == CLASSIFY_UNKNOWN)
		return true;
	if (!has_counts(e) || e->of_events || e->confidence > 0.99)
		return false;
	if (e->kind != CLASSIFY_TERM)
		return e->confidence < CLASSIFY_GUESS;
	for (size_t i = 0; i < c->n; i++)
		if (i != event && c->events[i].kind == CLASSIFY_TERM &&
		    c->events[i].formula.term[0] == e->formula.term[0] &&
		    c->events[i].kin.head != e->kin.head &&
		    c->events[i].confidence >= e->confidence)
			return true;
	return false;
}

/*
 * Whether the terms that @event was found to count leave much of it open, and
 * @f, a sum of events, explains that. As for terms, what it gains by being
 * nearer where these do speak is not taken for a reason.
 */
static int explains_more(const struct classification *c, size_t event,
			 const struct blend *f, const struct expectation *x,
			 bool *more)
{
	size_t benches = c->plan->n_benches;
	const struct blend *now = &c->events[event].formula;
	struct evidence e = classify_evidence(c, event, 0);
	double *work = calloc(2 * benches + 1, sizeof(*work));
	struct expectation sum = { work, work + benches };
	double gain;

	if (!work)
		return PAPI_ENOMEM;
	blend_expect(f, x, benches, work, work + benches);
	gain = posterior_likelihood(&e, &sum) -
	       (double)f->n * log((double)c->n + 2);
	blend_expect(now, c->terms.x, benches, work, work + benches);
	gain -= posterior_likelihood(&e, &sum) +
		posterior_chi_square(&e, &sum, NULL) / 2;
	*more = classify_coverage(c, event, work) < MOSTLY && gain > CLEARLY;
	free(work);
	return 0;
}

/*
 * Whether @f has cycles of some kind in it and is not exact: these vary, so
 * that many a sum seems to fit.
 */
static bool is_blurred(const struct classification *c, size_t event,
		       const struct blend *f)
{
	bool cycles = false;

	for (size_t i = 0; i < f->n; i++)
		cycles |= is_of_cycles(&c->events[f->term[i]]);
	return cycles && classify_doubt_inexact(c, event, f, 1) < 1;
}

static int try_sum(struct classification *c, size_t event,
		   const struct expectation *x, unsigned char *barred)
{
	struct classify_event *e = &c->events[event];
	struct evidence evidence = classify_evidence(c, event, CLASSIFY_SAME);
	const struct compose_options every_pair = { 2, c->n, barred, true };
	struct blend f;
	size_t found = 0;
	int err;

	bar_others(c, event, barred);
	err = compose(&evidence, x, c->n, &every_pair, &f, 1, &found);
	if (err || !found || f.n < 2 || !all_positive(&f) ||
	    is_blurred(c, event, &f) ||
	    f.weight < posterior_likelihood(&evidence, NULL))
		return err;
	if (!is_doubtful(c, event)) {
		bool more;

		err = explains_more(c, event, &f, x, &more);
		if (err || !more)
			return err;
	}
	/* the term is as good a name for it, if not as sure */
	e->n_also = e->kind == CLASSIFY_TERM ? 1 : 0;
	e->also[0] = e->formula.term[0];
	e->kind = CLASSIFY_SUM;
	e->of_events = true;
	e->formula = f;
	e->p_value = f.p_value;
	e->confidence =
		1 / (1 + exp(posterior_likelihood(&evidence, NULL) - f.weight));
	e->confidence = classify_doubt_inexact(c, event, &f, e->confidence);
	return 0;
}

static int call_sums(struct classification *c)
{
	struct expectation *x = calloc(c->n + 1, sizeof(*x));
	unsigned char *barred = calloc(c->n + 1, 1);
	size_t benches = c->plan->n_benches;
	int err = x && barred ? 0 : PAPI_ENOMEM;

	for (size_t i = 0; !err && i < c->n; i++)
		x[i] = (struct expectation){ c->slope + i * benches,
					     c->error + i * benches };
	for (size_t i = 0; !err && i < c->n; i++)
		if (c->events[i].kin.head == i && has_counts(&c->events[i]) &&
		    !c->events[i].of_events)
			err = try_sum(c, i, x, barred);
	free(x);
	free(barred);
	return err;
}

/* What equals a sum is the same sum. */
static void share_with_family(struct classification *c)
{
	for (size_t i = 0; i < c->n; i++) {
		struct classify_event *e = &c->events[i];
		const struct classify_event *head = &c->events[e->kin.head];

		if (e == head || e->kin.scale != 1 || !has_counts(e) ||
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
			 CLASSIFY_SAME, kin);
	for (size_t i = 0; i < c->n; i++)
		if (has_counts(&c->events[i]) &&
		    has_counts(&c->events[kin[i].head]))
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
		if (!has_counts(&c->events[i]) || c->events[i].kin.head != i)
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

/* How much counts vary is known badly where they come from few kernels: what
 * nothing explains is noise there if it varies by this, which is little. */
#define UNSTEADY 0.02
#define FEW      10

static void call_noise(struct classification *c)
{
	size_t benches = c->plan->n_benches;

	for (size_t i = 0; i < c->n; i++) {
		struct classify_event *e = &c->events[i];
		size_t counted = 0;

		for (size_t b = 0; b < benches; b++)
			counted += fabs(c->slope[i * benches + b]) > EXACT;
		if (e->kind == CLASSIFY_UNKNOWN && e->noise >= UNSTEADY &&
		    counted < FEW)
			e->kind = CLASSIFY_NOISY;
	}
}

int classify_relate(struct classification *c)
{
	int err;

	find_families(c);
	err = call_multiples(c);
	if (!err)
		err = call_sums(c);
	if (!err)
		err = classify_differences(c);
	share_with_family(c);
	/* what is a sum of others is a part of nothing else */
	if (!err)
		err = classify_settle_claims(c);
	call_noise(c);
	return err ? err : find_rank(c);
}
