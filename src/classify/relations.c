/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Candidates that are formulas of other events: a multiple of one, the sum of
 * two, what one counts and another does not. Where all events are counted in
 * the same run, as on the simulated PMU, such relations are exact to the last
 * digit. Elsewhere they are weighed like all else. An event that has a name may
 * well be a sum, too, so a relation is the verdict only where nothing names the
 * event or where what names it is open to an objection, which is made here.
 */

#include <math.h>
#include <stdlib.h>

#include "analysis/equivalence.h"
#include "base/err.h"
#include "classify/inside.h"

bool classify_is_gpu(const struct classification *c)
{
	return c->plan->benches[0].kernel->needs & NEEDS_GPU;
}

/* The most that an event counts in a kernel, and at most one. */
static double unit_of(const double *slope, size_t n)
{
	double most = 0;

	for (size_t b = 0; b < n; b++)
		most = fmax(most, fabs(slope[b]));
	return fmin(most, 1);
}

/*
 * Whether @f holds in every kernel: a formula that does so only because errors
 * are large, or because the event counts little anywhere, is not beyond doubt.
 */
static bool is_exact(const struct classification *c, size_t event,
		     const struct blend *f)
{
	size_t benches = c->plan->n_benches;
	const double *slope = c->slope + event * benches;
	const double *value = classify_expect(c, f, true).value;
	double unit = unit_of(slope, benches);

	for (size_t b = 0; b < benches; b++)
		if (fabs(slope[b] - value[b]) >
		    SLOPE_EXACT * fmax(unit, fabs(slope[b])))
			return false; /* not for NaN */
	return true;
}

/*
 * The candidate that @event is @f, whose factors cost @prior nats besides the
 * choice of two of all events, or of one and a number.
 */
struct classify_candidate classify_relate(const struct classification *c,
					  size_t event, const struct blend *f,
					  enum classify_by by)
{
	const struct classify_event *e = &c->events[event];
	struct classify_fitness fit =
		classify_weigh(c, event, f, true, SLOPE_SAME);
	double prior = f->weight - 2 * log((double)c->n + 2);
	struct classify_candidate x = {
		.by = by,
		.kind = f->n > 1 ? CLASSIFY_SUM : CLASSIFY_SCALED,
		.of_events = true,
		.formula = *f,
		.likelihood = fit.likelihood,
		.p_value = fit.p_value,
		.confidence = 1 / (1 + exp(-fit.likelihood - prior)),
	};

	/* the term that it was found to be is as good a name for a sum */
	if (by == BY_SUM && e->kind == CLASSIFY_TERM) {
		x.n_also = 1;
		x.also[0] = e->formula.term[0];
	}
	if (!is_exact(c, event, f))
		x.confidence = fmin(x.confidence, CLASSIFY_CERTAIN);
	return x;
}

static struct blend formula_of_two(size_t first, size_t second, double factor)
{
	return (struct blend){ .n = 2,
			       .term = { first, second },
			       .factor = { 1, factor },
			       .fitted = { 1, factor } };
}

struct classify_candidate classify_sum_of(const struct classification *c,
					  size_t event, const size_t part[2])
{
	struct blend f = formula_of_two(part[0], part[1], 1);

	return classify_relate(c, event, &f, BY_SUM);
}

/* Multiples. */

static double most_times(const struct classification *c)
{
	return classify_is_gpu(c)
		       ? MULTIPLE_MOST_GPU
		       : fmax(MULTIPLE_MOST, c->plan->machine.line_bytes);
}

static bool is_whole(double x)
{
	return fabs(x - round(x)) <= SLOPE_DIGITS;
}

/*
 * The member that event @i is a likely multiple of: the plain one, or, where
 * that would be too many times, one that it is the fewest whole times.
 */
static size_t likely_base(const struct classification *c, size_t i)
{
	size_t base = classify_base(c, i), found = base;
	double least = most_times(c);

	if (fabs(classify_times(c, i, base)) <= least)
		return base;
	for (size_t k = 0; k < c->n; k++) {
		double times = classify_times(c, i, k);

		if (c->events[k].kin.head != c->events[i].kin.head ||
		    times < MULTIPLE_LEAST || times > least || !is_whole(times))
			continue;
		least = times;
		found = k;
	}
	return found;
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

		if (!c->exact[b] || isnan(off) || fabs(is) < SLOPE_SEEN)
			continue;
		if (fabs(off) > SLOPE_DIGITS * fmax(1, fabs(is)))
			return false;
		same++;
	}
	return same >= least;
}

/* How many times event @i is event @k by least squares, as a whole number. */
static double whole_times(const struct classification *c, size_t i, size_t k)
{
	size_t benches = c->plan->n_benches;
	double both = 0, own = 0;

	for (size_t b = 0; b < benches; b++) {
		double x = c->slope[k * benches + b];
		double y = c->slope[i * benches + b];

		if (isnan(x) || isnan(y))
			continue;
		both += x * y;
		own += x * x;
	}
	return own > 0 ? round(both / own) : 0;
}

/*
 * Families are of multiples of their first event; three times what that one is
 * five times of is in another. An event that is known and that @i is *@scale
 * times in every kernel; @i if there is none.
 */
static size_t other_base(const struct classification *c, size_t i,
			 double *scale)
{
	for (size_t k = 0; k < c->n; k++) {
		struct blend f = { .n = 1, .term = { k } };

		if (k == i || !classify_is_known(&c->events[k]) ||
		    !classify_is_unlimited(&c->events[k]) ||
		    classify_base(c, k) != k)
			continue;
		f.factor[0] = *scale = whole_times(c, i, k);
		if (*scale >= MULTIPLE_LEAST && *scale <= most_times(c) &&
		    is_exactly(c, i, k, *scale, 0) && is_exact(c, i, &f))
			return k;
	}
	return i;
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
	    e->confidence >= CLASSIFY_LIKELY || b->confidence < e->confidence)
		return false;
	if (e->kind == CLASSIFY_TERM)
		return is_exactly(c, i, base, scale, MULTIPLE_KERNELS);
	return e->formula.n != 1 || e->formula.term[0] != b->formula.term[0] ||
	       fabs(e->formula.factor[0] - scale) > SLOPE_DIGITS * scale;
}

void classify_try_multiples(struct classification *c)
{
	for (size_t i = 0; i < c->n; i++) {
		struct classify_event *e = &c->events[i];
		size_t base = likely_base(c, i);
		double scale = classify_times(c, i, base);
		struct blend f = { .n = 1 };
		struct classify_candidate x;

		if (!classify_has_counts(e))
			continue;
		if (base == i)
			base = other_base(c, i, &scale);
		if (base == i || fabs(scale - 1) < SLOPE_DIGITS ||
		    fabs(scale) > most_times(c))
			continue;
		f.term[0] = base;
		f.fitted[0] = scale;
		f.factor[0] = is_whole(scale) ? round(scale) : scale;
		x = classify_relate(c, i, &f, BY_MULTIPLE);
		if (is_at_odds(c, i, base, scale))
			classify_object(e, "is a multiple of an event that "
					   "counts something else");
		classify_propose(e, &x);
	}
}

/* Sums. */

/* Event @i says nothing that the plain one of its family does not say. */
static bool is_spare(const struct classification *c, size_t i)
{
	size_t base = classify_base(c, i), benches = c->plan->n_benches;

	return base != i &&
	       equivalence_is_exact(c->slope + i * benches,
				    c->slope + base * benches, benches,
				    classify_times(c, i, base));
}

/*
 * Events that a sum may be made of: those that count no more than it does
 * anywhere. Cycles are not explained by what they are spent on.
 */
static void bar_others(const struct classification *c, size_t event,
		       unsigned char *barred)
{
	bool cycles = classify_counts(c, event, CONCEPT_CYCLES);

	for (size_t i = 0; i < c->n; i++) {
		const struct classify_event *e = &c->events[i];

		barred[i] = !classify_has_counts(e) ||
			    !classify_is_unlimited(e) ||
			    (cycles && classify_is_of_cycles(e)) ||
			    e->kin.head == c->events[event].kin.head ||
			    !classify_is_part(c, i, event);
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
 * Whether @f has cycles of some kind in it and is not exact: these vary, so
 * that many a sum seems to fit.
 */
static bool is_blurred(const struct classification *c, size_t event,
		       const struct blend *f)
{
	bool cycles = false;

	for (size_t i = 0; i < f->n; i++)
		cycles |= classify_is_of_cycles(&c->events[f->term[i]]);
	return cycles && !is_exact(c, event, f);
}

/*
 * The best sum of two others; *@exact: to the last digit. *@f has no terms if
 * there is none. Where factors are looked for, one of each family is enough,
 * the plain one, and those that are multiples of it but for errors: there are
 * few of these, so all pairs of them can be tried.
 */
static int find_sum(const struct classification *c, size_t event,
		    unsigned char *barred, struct blend *f, bool *exact)
{
	const struct compose_options every_pair = { 2, c->n, barred, true };
	struct evidence evidence = classify_evidence(c, event, SLOPE_SAME);
	size_t part[2], found = 0;
	int err;

	*f = (struct blend){ 0 };
	bar_others(c, event, barred);
	*exact = equivalence_find_sum(c->slope, c->error, c->n,
				      c->plan->n_benches, event, barred, part);
	if (*exact) {
		*f = formula_of_two(part[0], part[1], 1);
		return 0;
	}
	for (size_t i = 0; i < c->n; i++)
		barred[i] = barred[i] || is_spare(c, i);
	err = compose(&evidence, c->measured, c->n, &every_pair, f, 1, &found);
	if (err || !found || f->n < 2 || !all_positive(f) ||
	    is_blurred(c, event, f))
		f->n = 0;
	f->weight = 0;
	for (size_t i = 0; i < f->n; i++) /* as compose() has it */
		if (f->factor[i] != 1)
			f->weight -= 3 + log(1 + fabs(f->factor[i]));
	return err;
}

/*
 * Whether the terms that @event was found to count leave much of it open, and
 * @f, a sum of events, explains that. As for terms, what it gains by being
 * nearer where these do speak is not taken for a reason.
 */
static bool explains_more(const struct classification *c, size_t event,
			  const struct blend *f)
{
	const struct classify_event *e = &c->events[event];
	struct classify_fitness sum = classify_weigh(c, event, f, true, 0);
	struct classify_fitness now =
		classify_weigh(c, event, &e->formula, e->of_events, 0);
	double prior = (double)f->n * log((double)c->n + 2);

	return now.coverage < SPEAKS_MOSTLY &&
	       sum.likelihood - prior - now.likelihood - now.chi_square / 2 >
		       CLASSIFY_CLEARLY;
}

bool classify_is_contested(const struct classification *c, size_t event)
{
	const struct classify_event *e = &c->events[event];

	if (e->kind != CLASSIFY_TERM || !classify_is_unlimited(e))
		return false;
	for (size_t i = 0; i < c->n; i++)
		if (i != event && c->events[i].kind == CLASSIFY_TERM &&
		    classify_is_unlimited(&c->events[i]) &&
		    c->events[i].formula.term[0] == e->formula.term[0] &&
		    c->events[i].kin.head != e->kin.head &&
		    c->events[i].confidence >= e->confidence)
			return true;
	return false;
}

/* What speaks for @f, a sum of events, and against the verdict of @event; NULL:
 * nothing. */
static const char *objection_to(const struct classification *c, size_t event,
				const struct blend *f, bool exact)
{
	const struct classify_event *e = &c->events[event];

	if (!classify_is_known(e))
		return NULL;
	if (e->kind != CLASSIFY_TERM && e->confidence < CLASSIFY_LIKELY)
		return "only a guess, and a sum of events fits";
	if (e->kind == CLASSIFY_TERM && e->confidence <= CLASSIFY_CERTAIN &&
	    classify_is_contested(c, event))
		return "another event counts this with the same confidence";
	if (exact && classify_is_of_cycles(e))
		return "shares allow several explanations, and a sum of events "
		       "is exact";
	return explains_more(c, event, f) ? "does not explain where it counts"
					  : NULL;
}

static int try_sum(struct classification *c, size_t event,
		   unsigned char *barred)
{
	struct classify_event *e = &c->events[event];
	struct classify_candidate x;
	const char *objection;
	struct blend f;
	bool exact;
	int err = find_sum(c, event, barred, &f, &exact);

	if (err || !f.n)
		return err;
	x = classify_relate(c, event, &f, BY_SUM);
	if (x.confidence < CLASSIFY_EVEN)
		return 0;
	objection = objection_to(c, event, &f, exact);
	if (objection)
		classify_object(e, objection);
	classify_propose(e, &x);
	return 0;
}

int classify_try_sums(struct classification *c)
{
	OWNED unsigned char *barred = calloc(c->n + 1, 1);
	int err = barred ? 0 : PAPI_ENOMEM;

	for (size_t i = 0; !err && i < c->n; i++)
		if (c->events[i].kin.head == i &&
		    classify_has_counts(&c->events[i]) &&
		    !c->events[i].of_events)
			err = try_sum(c, i, barred);
	return err;
}

/* Differences. */

/* Whether @other may be what @event is left of, or what is taken away. */
static bool may_be_in(const struct classification *c, size_t event,
		      size_t other)
{
	return other != event && classify_is_known(&c->events[other]) &&
	       classify_is_unlimited(&c->events[other]) &&
	       !classify_is_made_of(c, other, event);
}

/* Whether @part counts in any of the kernels that say something of @event. */
static bool does_matter(const struct classification *c, size_t event,
			size_t part)
{
	size_t benches = c->plan->n_benches;

	for (size_t b = 0; b < benches; b++)
		if (!isnan(c->slope[event * benches + b]) &&
		    fabs(c->slope[part * benches + b]) > SLOPE_SEEN)
			return true;
	return false;
}

/* Whether what @f takes away is missing: without that it does not fit. */
static bool is_missed(const struct classification *c, size_t event,
		      const struct classify_candidate *x)
{
	struct blend whole = { .n = 1,
			       .term = { x->formula.term[0] },
			       .factor = { 1 },
			       .fitted = { 1 } };
	struct classify_fitness all =
		classify_weigh(c, event, &whole, true, SLOPE_SAME);

	return x->likelihood > all.likelihood + CLASSIFY_CLEARLY;
}

/*
 * An event that nothing explains may be what is left of one that is known when
 * another is taken away: cycles in which something was done are those in which
 * nothing was, taken from all. Of all pairs the most likely one.
 */
static struct classify_candidate best_difference(const struct classification *c,
						 size_t event)
{
	struct classify_candidate best = { .confidence = 0 };

	for (size_t whole = 0; whole < c->n; whole++) {
		if (!may_be_in(c, event, whole) ||
		    c->events[whole].kin.head == c->events[event].kin.head ||
		    !classify_is_part(c, event, whole))
			continue;
		for (size_t part = 0; part < c->n; part++) {
			struct blend f = formula_of_two(whole, part, -1);
			struct classify_candidate x;

			if (part == whole || !may_be_in(c, event, part) ||
			    c->events[part].kin.head != part ||
			    !classify_is_part(c, part, whole) ||
			    !does_matter(c, event, part))
				continue;
			x = classify_relate(c, event, &f, BY_DIFFERENCE);
			if (x.p_value >= POSTERIOR_REFUSED &&
			    is_missed(c, event, &x) &&
			    (best.confidence == 0 ||
			     x.likelihood > best.likelihood))
				best = x;
		}
	}
	return best;
}

/* Whether the concept that @event is taken for is a guess, and kernels say next
 * to nothing of it. */
static bool says_little(const struct classification *c, size_t event)
{
	const struct classify_event *e = &c->events[event];

	return e->kind == CLASSIFY_TERM && e->by == BY_CONCEPT &&
	       e->confidence < CLASSIFY_LIKELY &&
	       classify_coverage(c, event, c->terms.x[e->formula.term[0]].value,
				 NULL) < SPEAKS_LITTLE;
}

void classify_try_differences(struct classification *c)
{
	for (size_t i = 0; i < c->n; i++) {
		struct classify_event *e = &c->events[i];
		bool open = e->kind == CLASSIFY_UNKNOWN;
		struct classify_candidate x;

		if (!open && !says_little(c, i))
			continue;
		x = best_difference(c, i);
		if (x.confidence < CLASSIFY_EVEN ||
		    (!open && !is_exact(c, i, &x.formula)))
			continue;
		if (!open)
			classify_object(e, "does not explain where it counts");
		classify_propose(e, &x);
	}
}

/*
 * What equals an event that is a formula of others is the same formula. A sum
 * that the first of a family was found to be holds for all of it.
 */
void classify_share_with_family(struct classification *c)
{
	for (size_t i = 0; i < c->n; i++) {
		struct classify_event *e = &c->events[i];
		const struct classify_event *head = &c->events[e->kin.head];
		struct classify_candidate x = head->candidates[0];

		if (e == head || e->kin.scale != 1 || !classify_has_counts(e) ||
		    !head->of_events || e->by == BY_MULTIPLE)
			continue;
		if (head->kind == CLASSIFY_SUM && !e->of_events)
			classify_object(e, "an event that counts the same is a "
					   "sum of events");
		classify_propose(e, &x);
	}
}
