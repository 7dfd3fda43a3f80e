/* SPDX-License-Identifier: BSD-3-Clause */
/* Which term, or which sum of terms, each event counts. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/special.h"
#include "base/err.h"
#include "classify/classify.h"

enum {
	CANDIDATES = 8
};

/* Counts that vary by more than this about their lines are noise. */
#define NOISY 0.05

/* The most that is said of what some kernel did not put to the test. */
#define UNTESTED 0.99

/* Kernels that whole numbers are worth; see chance_of_fit(). */
#define WHOLE 5

/* A guess below this gives way to what fits better. */
#define SURE 0.9

/* A log-likelihood ratio that leaves no doubt. */
#define CLEARLY 10

/* Room to judge one event in. */
struct bench_room {
	double *posterior;          /* a number for each term, and one more */
	struct expectation *usable; /* terms that some bench makes count */
	size_t *which;              /* their numbers */
	unsigned char *barred;      /* of all terms, for one event */
	size_t n;
	double *value[2], *sigma[2]; /* of two formulas, over the benches */
};

/* Whether two expectations agree wherever both say something. */
static bool cannot_be_told(const double *a, const double *b, size_t n)
{
	size_t both = 0;

	for (size_t i = 0; i < n; i++) {
		if (isnan(a[i]) || isnan(b[i]))
			continue;
		if (fabs(a[i] - b[i]) > 1e-9 * fmax(1, fabs(a[i])))
			return false;
		both++;
	}
	return both > 0;
}

static double coverage(const struct evidence *e, const double *value,
		       size_t *n);

/* Whether what was measured is as @x says, wherever it says something. */
static bool is_possible(const struct evidence *e, const struct expectation *x)
{
	size_t df, spoken;
	double off = posterior_chi_square(e, x, &df);

	return coverage(e, x->value, &spoken) >= 0.5 &&
	       chi_square_tail(off, (double)df) >= POSTERIOR_REFUSED;
}

/* In how many benches @a expects something that @b says nothing of. */
static size_t count_silent(const double *a, const double *b, size_t n)
{
	size_t silent = 0;

	for (size_t i = 0; i < n; i++)
		silent += isnan(b[i]) && fabs(a[i]) > 0;
	return silent;
}

/* Whether there is a kernel of which both say that it adds something. */
static bool have_common(const double *a, const double *b, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (fabs(a[i]) > 0 && fabs(b[i]) > 0) /* a NaN is not */
			return true;
	return false;
}

/*
 * One term, with all that are the same to these kernels, or would be but for
 * a few in which they say nothing.
 */
static void accept_term(struct classification *c, struct classify_event *e,
			const struct evidence *evidence,
			const struct bench_room *r, const struct verdict *v)
{
	const struct expectation *best = &r->usable[v->best];

	e->kind = CLASSIFY_TERM;
	e->formula = (struct blend){ .n = 1,
				     .term = { r->which[v->best] },
				     .factor = { 1 },
				     .fitted = { 1 } };
	e->confidence = v->confidence;
	e->p_value = v->p_value;
	for (size_t i = 0; i < r->n; i++) {
		const double *other = r->usable[i].value;

		if (i == v->best ||
		    !cannot_be_told(best->value, other, c->plan->n_benches) ||
		    (r->posterior[i] < 1e-6 &&
		     count_silent(best->value, other, c->plan->n_benches) > 3 &&
		     !is_possible(evidence, &r->usable[i])))
			continue;
		e->confidence += r->posterior[i];
		if (e->n_also < CLASSIFY_ALSO &&
		    have_common(best->value, other, c->plan->n_benches))
			e->also[e->n_also++] = r->which[i];
	}
	e->confidence = fmin(e->confidence, 1);
}

/* Share of the best formula, and those that say the same, among all. */
static double share_of_best(const struct classification *c,
			    const struct blend *f, size_t n, double none,
			    struct bench_room *r)
{
	size_t benches = c->plan->n_benches;
	double mine = 0, all = exp(none - f[0].weight);

	blend_expect(&f[0], c->terms.x, benches, r->value[0], r->sigma[0]);
	for (size_t i = 0; i < n; i++) {
		double share = exp(f[i].weight - f[0].weight);

		all += share;
		blend_expect(&f[i], c->terms.x, benches, r->value[1],
			     r->sigma[1]);
		if (cannot_be_told(r->value[0], r->value[1], benches))
			mine += share;
	}
	return mine / all;
}

/*
 * Terms that a sum for @e cannot have: those that make the kernels do more of
 * them than the event counted there. Nothing in a sum makes up for it.
 */
static void bar_terms(const struct classification *c, const struct evidence *e,
		      unsigned char *barred)
{
	for (size_t t = 0; t < c->terms.n; t++) {
		const struct expectation *x = &c->terms.x[t];

		barred[t] = c->terms.barred[t];
		for (size_t b = 0; !barred[t] && b < e->n; b++) {
			double least = x->value[b] / 2, slope = e->slope[b];

			if (least > 0 && slope < least)
				barred[t] =
					least - slope >
					5 * posterior_deviation(e, b, slope,
								x->sigma[b]);
		}
	}
}

static int try_formulas(struct classification *c, struct classify_event *e,
			const struct evidence *evidence, struct bench_room *r)
{
	static const struct compose_options usual = { .terms = 4, .beam = 12 };
	struct compose_options options = usual;
	struct blend found[CANDIDATES];
	size_t n = 0;
	int err;

	bar_terms(c, evidence, r->barred);
	options.barred = r->barred;
	err = compose(evidence, c->terms.x, c->terms.n, &options, found,
		      CANDIDATES, &n);
	if (err || n == 0)
		return err;
	e->confidence = share_of_best(c, found, n,
				      posterior_likelihood(evidence, NULL), r);
	if (e->confidence < 0.5)
		return 0;
	e->formula = found[0];
	e->p_value = found[0].p_value;
	e->kind = found[0].n > 1            ? CLASSIFY_SUM
		  : found[0].factor[0] != 1 ? CLASSIFY_SCALED
					    : CLASSIFY_TERM;
	return 0;
}

/* Whether a concept is about what instructions are, not what they cause. */
static bool is_architectural(enum family family)
{
	return family == FAMILY_INS || family == FAMILY_KIND ||
	       family == FAMILY_BRANCH || family == FAMILY_ACCESS ||
	       family == FAMILY_FP || family == FAMILY_INT ||
	       family == FAMILY_BYTES;
}

static enum family family_of(size_t term)
{
	if (term < CONCEPT_COUNT)
		return concepts[term].family;
	return concepts[composites[term - CONCEPT_COUNT].terms[0].concept]
		.family;
}

/*
 * Rivals: concepts that no kernel contradicts, because those in which the event
 * counts say nothing of them. That one of them should have taken the very
 * values of the accepted explanation is the less likely the more such kernels
 * there are. Of some concepts (lines evicted, prefetched) no kernel says
 * anything at all: they remain possible whatever is measured. What caches and
 * the like do is never as regular as what instructions are, so only they have
 * rivals, and only among them.
 */
static bool is_rival(const struct classification *c, const struct evidence *e,
		     size_t term, size_t *silent, size_t *stated)
{
	const struct expectation *x = &c->terms.x[term];

	*silent = *stated = 0;
	if (is_architectural(concepts[term].family) ||
	    concepts[term].family == FAMILY_SPENT)
		return false;
	for (size_t b = 0; b < e->n; b++) {
		double slope = e->slope[b], value = x->value[b];

		if (isnan(slope))
			continue;
		if (isnan(value)) {
			*silent += fabs(slope) > 0.01;
			continue;
		}
		(*stated)++;
		if (fabs(slope - value) >
		    3 * posterior_deviation(e, b, value, x->sigma[b]))
			return false;
	}
	return *silent > 0;
}

/* Events of a CPU count nothing of a GPU's, nor those of a GPU of a CPU's. */
static bool is_elsewhere(const struct classification *c, size_t term)
{
	bool gpu = concepts[term].family == FAMILY_GPU ||
		   concepts[term].family == FAMILY_GPU_MEMORY;

	return gpu != ((c->plan->benches[0].kernel->needs & NEEDS_GPU) != 0);
}

static double weigh_rivals(const struct classification *c,
			   const struct evidence *e)
{
	double sum = 0;
	bool unknown = false;

	for (size_t t = 0; t < CONCEPT_COUNT; t++) {
		size_t silent, stated;

		if (is_elsewhere(c, t) || !is_rival(c, e, t, &silent, &stated))
			continue;
		if (stated == 0)
			unknown = true;
		else
			sum += 0.05 * exp(-0.3 * (double)(silent - 1));
	}
	return sum + (unknown ? 0.02 : 0);
}

/*
 * Share of the kernels in which the event counts that @value speaks of; *@n is
 * their number.
 */
static double coverage(const struct evidence *e, const double *value, size_t *n)
{
	size_t counted = 0, spoken = 0;

	for (size_t b = 0; b < e->n; b++) {
		if (isnan(e->slope[b]) || fabs(e->slope[b]) <= 0.01)
			continue;
		counted++;
		spoken += isnan(value[b]) ? 0 : 1;
	}
	*n = spoken;
	return counted ? (double)spoken / (double)counted : 1;
}

/*
 * How likely it is that numbers fit by chance: each kernel that is spoken of
 * halves it. If what is counted is done one by one, numbers that are whole to
 * a thousandth are as good as a few kernels.
 */
static double chance_of_fit(const struct blend *f, size_t spoken)
{
	double kernels = (double)spoken;
	bool whole = true;

	for (size_t i = 0; i < f->n; i++) {
		enum family family = family_of(f->term[i]);

		whole &= (is_architectural(family) || family == FAMILY_GPU) &&
			 fabs(f->fitted[i] - f->factor[i]) <=
				 1e-3 * fabs(f->factor[i]);
	}
	return exp2(-(whole ? fmax(kernels, WHOLE) : kernels));
}

/* What the likelihood cannot know: what was never put to the test. */
static void temper(struct classification *c, struct classify_event *e,
		   const struct evidence *evidence, struct bench_room *r)
{
	double silent, rivals;
	size_t spoken;

	blend_expect(&e->formula, c->terms.x, evidence->n, r->value[0],
		     r->sigma[0]);
	silent = 1 - coverage(evidence, r->value[0], &spoken);
	rivals = is_architectural(family_of(e->formula.term[0]))
			 ? 0
			 : weigh_rivals(c, evidence);
	e->confidence *= 1 - silent * silent * silent / 2;
	if (silent > 0) /* there may be more to it, which nothing tested */
		e->confidence = fmin(e->confidence, UNTESTED);
	if (e->kind != CLASSIFY_TERM) /* numbers that fit by chance */
		e->confidence *= (1 - silent / 2) *
				 (1 - chance_of_fit(&e->formula, spoken));
	e->confidence /= 1 + rivals;
}

/*
 * By how much a formula is more likely than the term of @e, beyond what it
 * could gain by mending where that is a little off: what then is left it gains
 * where the term says nothing.
 */
static double gain_in_silence(const struct classification *c,
			      const struct classify_event *e,
			      const struct evidence *evidence,
			      const struct blend *other)
{
	const struct expectation *x = &c->terms.x[e->formula.term[0]];
	double mine =
		posterior_likelihood(evidence, x) - log((double)c->terms.n + 2);

	return other->weight - mine -
	       posterior_chi_square(evidence, x, NULL) / 2;
}

/* Whether @other is what @e is, or one of those that look the same. */
static bool is_same_term(const struct classify_event *e,
			 const struct classify_event *other)
{
	bool same = e->formula.term[0] == other->formula.term[0];

	for (size_t i = 0; i < e->n_also; i++)
		same |= e->also[i] == other->formula.term[0];
	return other->kind == CLASSIFY_TERM && same;
}

/* A sum that is surer than one term, which says nothing of some kernels. */
static int try_better(struct classification *c, struct classify_event *e,
		      const struct evidence *evidence, struct bench_room *r)
{
	struct classify_event other = *e;
	int err;

	other.kind = CLASSIFY_UNKNOWN;
	err = try_formulas(c, &other, evidence, r);
	if (err || other.kind == CLASSIFY_UNKNOWN || is_same_term(e, &other))
		return err;
	if (e->confidence >= SURE &&
	    gain_in_silence(c, e, evidence, &other.formula) < CLEARLY)
		return 0;
	temper(c, &other, evidence, r);
	if (other.confidence < fmin(SURE, e->confidence))
		return 0;
	other.n_also = 0;
	*e = other;
	return 0;
}

/* Whether the term of @e leaves some of what was counted unexplained. */
static bool is_silent(const struct classification *c,
		      const struct classify_event *e,
		      const struct evidence *evidence)
{
	size_t spoken;

	return coverage(evidence, c->terms.x[e->formula.term[0]].value,
			&spoken) < 1;
}

static int judge_event(struct classification *c, size_t event,
		       struct bench_room *r)
{
	struct classify_event *e = &c->events[event];
	struct evidence evidence = classify_evidence(c, event, 0);
	bool noisy = e->varies || e->noise >= NOISY;
	struct verdict v;
	int err = 0;

	if (e->kind != CLASSIFY_UNKNOWN)
		return 0;
	v = posterior_judge(&evidence, r->usable, r->n, NULL, r->posterior);
	e->confidence = v.confidence;
	e->p_value = v.p_value;
	if (v.best < r->n)
		accept_term(c, e, &evidence, r, &v);
	else if (!noisy)
		err = try_formulas(c, e, &evidence, r);
	if (noisy)
		e->kind = CLASSIFY_NOISY;
	if (e->kind < CLASSIFY_TERM || e->kind == CLASSIFY_UNKNOWN)
		return err;
	temper(c, e, &evidence, r);
	if (!err && e->kind == CLASSIFY_TERM &&
	    (e->confidence < SURE || is_silent(c, e, &evidence)))
		err = try_better(c, e, &evidence, r);
	classify_abstain(e);
	return err;
}

static void close_room(struct bench_room *r)
{
	free(r->posterior);
	free(r->usable);
	free(r->which);
	free(r->barred);
	free(r->value[0]);
}

static int open_room(struct bench_room *r, const struct classification *c)
{
	size_t benches = c->plan->n_benches;

	*r = (struct bench_room){
		.posterior = calloc(c->terms.n + 1, sizeof(double)),
		.usable = calloc(c->terms.n, sizeof(struct expectation)),
		.which = calloc(c->terms.n, sizeof(size_t)),
		.barred = calloc(c->terms.n, 1),
	};
	r->value[0] = calloc(4 * benches + 1, sizeof(double));
	if (!r->posterior || !r->usable || !r->which || !r->barred ||
	    !r->value[0]) {
		close_room(r);
		return PAPI_ENOMEM;
	}
	r->value[1] = r->value[0] + benches;
	r->sigma[0] = r->value[1] + benches;
	r->sigma[1] = r->sigma[0] + benches;
	for (size_t i = 0; i < c->terms.n; i++)
		if (!c->terms.barred[i]) {
			r->which[r->n] = i;
			r->usable[r->n++] = c->terms.x[i];
		}
	return 0;
}

int classify_judge(struct classification *c)
{
	struct bench_room room;
	int err = open_room(&room, c);

	if (err)
		return err;
	for (size_t i = 0; !err && i < c->n; i++)
		err = judge_event(c, i, &room);
	close_room(&room);
	return err;
}
