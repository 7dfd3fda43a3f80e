/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Candidates from what kernels say of concepts: one term, or a formula of a few
 * (analysis/compose.h). How sure each is follows from how well it fits, against
 * all others, and from what no kernel put to the test.
 */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/special.h"
#include "base/err.h"
#include "classify/trial.h"

enum {
	FORMULAS = 8,   /* that compete */
	RUNNERS_UP = 2, /* terms that are kept beside the best */
};

/* Whether two expectations agree wherever both say something. */
static bool cannot_be_told(const double *a, const double *b, size_t n)
{
	size_t both = 0;

	for (size_t i = 0; i < n; i++) {
		if (isnan(a[i]) || isnan(b[i]))
			continue;
		if (fabs(a[i] - b[i]) > SLOPE_ROUNDING * fmax(1, fabs(a[i])))
			return false;
		both++;
	}
	return both > 0;
}

/* Whether there is a kernel of which both say that it adds something. */
static bool have_common(const double *a, const double *b, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (fabs(a[i]) > 0 && fabs(b[i]) > 0) /* false for NaN */
			return true;
	return false;
}

/* Whether what was measured is as @x says, wherever it says something. */
static bool is_possible(const struct trial *t, const struct expectation *x)
{
	size_t df;
	double off = posterior_chi_square(&t->evidence, x, &df);

	return classify_coverage(t->c, t->event, x->value, NULL) >=
		       SPEAKS_HALF &&
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

struct classify_candidate trial_one_term(const struct trial *t, size_t i)
{
	return (struct classify_candidate){
		.by = BY_CONCEPT,
		.kind = CLASSIFY_TERM,
		.formula = { .n = 1,
			     .term = { t->which[i] },
			     .factor = { 1 },
			     .fitted = { 1 } },
		.likelihood =
			posterior_likelihood(&t->evidence, &t->usable[i]) -
			t->none,
		.confidence = t->posterior[i],
	};
}

/*
 * One term, with all that are the same to these kernels, or would be but for
 * a few in which they say nothing.
 */
static struct classify_candidate best_term(const struct trial *t,
					   const struct verdict *v)
{
	const double *best = t->usable[v->best].value;
	struct classify_candidate x = trial_one_term(t, v->best);
	size_t benches = t->evidence.n;

	x.p_value = v->p_value;
	for (size_t i = 0; i < t->n; i++) {
		const double *other = t->usable[i].value;

		if (i == v->best || !cannot_be_told(best, other, benches) ||
		    (t->posterior[i] < ALTERNATIVE_LEAST &&
		     count_silent(best, other, benches) > SPEAKS_SAVE &&
		     !is_possible(t, &t->usable[i])))
			continue;
		x.confidence += t->posterior[i];
		if (x.n_also < CLASSIFY_ALSO &&
		    have_common(best, other, benches))
			x.also[x.n_also++] = t->which[i];
	}
	x.confidence = fmin(x.confidence, 1);
	return x;
}

/* Share of the best formula, and those that say the same, among all. */
static double share_of_best(const struct trial *t, const struct blend *f,
			    size_t n)
{
	const struct classification *c = t->c;
	size_t benches = t->evidence.n;
	double mine = 0, all = exp(t->none - f[0].weight);
	double *best = c->work + 2 * benches;

	blend_expect(&f[0], c->terms.x, benches, best, best + benches);
	for (size_t i = 0; i < n; i++) {
		double share = exp(f[i].weight - f[0].weight);

		all += share;
		if (cannot_be_told(best, classify_expect(c, &f[i], false).value,
				   benches))
			mine += share;
	}
	return mine / all;
}

/*
 * Terms that a sum cannot have: those that make the kernels do more of them
 * than the event counted there. Nothing in a sum makes up for it.
 */
static void bar_terms(const struct trial *t)
{
	const struct evidence *e = &t->evidence;

	for (size_t i = 0; i < t->c->terms.n; i++) {
		const struct expectation *x = &t->c->terms.x[i];

		t->barred[i] = t->c->terms.barred[i];
		for (size_t b = 0; !t->barred[i] && b < e->n; b++) {
			double least = x->value[b] / 2, slope = e->slope[b];

			if (least > 0 && slope < least)
				t->barred[i] =
					least - slope >
					SLOPE_ERRORS * posterior_deviation(
							       e, b, slope,
							       x->sigma[b]);
		}
	}
}

/* The best formula, if it is more likely than not; false: there is none. */
static int find_formula(const struct trial *t, struct classify_candidate *x,
			bool *found)
{
	const struct compose_options options = { .terms = 4,
						 .beam = 12,
						 .barred = t->barred };
	struct blend list[FORMULAS];
	size_t n = 0;
	int err;

	bar_terms(t);
	*found = false;
	err = compose(&t->evidence, t->c->terms.x, t->c->terms.n, &options,
		      list, FORMULAS, &n);
	if (err || n == 0)
		return err;
	*x = (struct classify_candidate){
		.by = BY_CONCEPTS,
		.kind = list[0].n > 1            ? CLASSIFY_SUM
			: list[0].factor[0] != 1 ? CLASSIFY_SCALED
						 : CLASSIFY_TERM,
		.formula = list[0],
		.p_value = list[0].p_value,
		.confidence = share_of_best(t, list, n),
	};
	if (x->kind == CLASSIFY_TERM)
		x->by = BY_CONCEPT;
	x->likelihood = classify_weigh(t->c, t->event, &x->formula, false, 0)
				.likelihood;
	*found = x->confidence >= CLASSIFY_EVEN;
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
static bool is_rival(const struct trial *t, size_t term, size_t *silent,
		     size_t *stated)
{
	const struct evidence *e = &t->evidence;
	const struct expectation *x = &t->c->terms.x[term];

	*silent = *stated = 0;
	if (is_architectural(concepts[term].family) ||
	    concepts[term].family == FAMILY_SPENT)
		return false;
	for (size_t b = 0; b < e->n; b++) {
		double slope = e->slope[b], value = x->value[b];

		if (isnan(slope))
			continue;
		if (isnan(value)) {
			*silent += fabs(slope) > SLOPE_SEEN;
			continue;
		}
		(*stated)++;
		if (fabs(slope - value) >
		    SLOPE_CONTRADICTS *
			    posterior_deviation(e, b, value, x->sigma[b]))
			return false;
	}
	return *silent > 0;
}

/* Events of a CPU count nothing of a GPU's, nor those of a GPU of a CPU's. */
static bool is_elsewhere(const struct trial *t, size_t term)
{
	bool gpu = concepts[term].family == FAMILY_GPU ||
		   concepts[term].family == FAMILY_GPU_MEMORY;

	return gpu != classify_is_gpu(t->c);
}

static double odds_of_rivals(const struct trial *t)
{
	double sum = 0;
	bool dark = false;

	for (size_t i = 0; i < CONCEPT_COUNT; i++) {
		size_t silent, stated;

		if (is_elsewhere(t, i) || !is_rival(t, i, &silent, &stated))
			continue;
		if (stated == 0)
			dark = true;
		else
			sum += RIVAL_ODDS *
			       exp(-RIVAL_RATE * (double)(silent - 1));
	}
	return sum + (dark ? RIVAL_DARK : 0);
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
				 SLOPE_SAME * fabs(f->factor[i]);
	}
	return exp2(-(whole ? fmax(kernels, WHOLE_KERNELS) : kernels));
}

/* What the likelihood cannot know: what was never put to the test. */
void trial_temper(const struct trial *t, struct classify_candidate *x)
{
	const double *value = classify_expect(t->c, &x->formula, false).value;
	size_t spoken;
	double silent = 1 - classify_coverage(t->c, t->event, value, &spoken);

	x->confidence *= 1 - silent * silent * silent / 2;
	if (silent > 0) /* there may be more to it, which nothing tested */
		x->confidence = fmin(x->confidence, CLASSIFY_CERTAIN);
	if (x->kind != CLASSIFY_TERM) /* numbers that fit by chance */
		x->confidence *= (1 - silent / 2) *
				 (1 - chance_of_fit(&x->formula, spoken));
	if (!is_architectural(family_of(x->formula.term[0])))
		x->confidence /= 1 + odds_of_rivals(t);
}

/* Whether @other is what @x is, or one of those that look the same. */
static bool is_same_term(const struct classify_candidate *x,
			 const struct classify_candidate *other)
{
	bool same = x->formula.term[0] == other->formula.term[0];

	for (size_t i = 0; i < x->n_also; i++)
		same |= x->also[i] == other->formula.term[0];
	return other->kind == CLASSIFY_TERM && same;
}

/*
 * Whether a formula is clearly more likely than the term @x, beyond what it
 * could gain by coming nearer where that is a little off: what then is left it
 * gains where the term says nothing.
 */
static bool gains_in_silence(const struct trial *t,
			     const struct classify_candidate *x,
			     const struct blend *formula)
{
	struct classify_fitness fit =
		classify_weigh(t->c, t->event, &x->formula, false, 0);
	double mine = fit.likelihood - log((double)t->c->terms.n + 2);

	return formula->weight - t->none - mine - fit.chi_square / 2 >=
	       CLASSIFY_CLEARLY;
}

/* A formula beside @term (NULL: there is none), which then has to give way or
 * keeps its place. */
static int try_formula(const struct trial *t, struct classify_event *e,
		       const struct classify_candidate *term)
{
	struct classify_candidate x;
	bool found, clear;
	int err = find_formula(t, &x, &found);

	if (err || !found || (term && is_same_term(term, &x)))
		return err;
	clear = !term || gains_in_silence(t, term, &x.formula);
	trial_temper(t, &x);
	if (term && term->confidence >= CLASSIFY_LIKELY) {
		if (clear && x.confidence >= CLASSIFY_LIKELY)
			classify_object(e, "says nothing about kernels that a "
					   "formula explains");
		else
			x.objection = "explains no more than one concept does";
	}
	classify_propose(e, &x);
	return 0;
}

static bool is_alternative(const struct classify_event *e, size_t term)
{
	for (size_t i = 0; i < e->n_also; i++)
		if (e->also[i] == term)
			return true;
	return false;
}

/* The next best terms, so that it can be seen what they lack. */
static void propose_runners_up(const struct trial *t, struct classify_event *e,
			       const struct verdict *v)
{
	size_t last = v->best;

	for (size_t n = 0; n < RUNNERS_UP; n++) { /* in the order of odds */
		struct classify_candidate x;
		size_t next = t->n, df;
		double off;

		for (size_t i = 0; i < t->n; i++)
			if (i != v->best && !is_alternative(e, t->which[i]) &&
			    (n == 0 || t->posterior[i] < t->posterior[last]) &&
			    (next == t->n ||
			     t->posterior[i] > t->posterior[next]))
				next = i;
		if (next == t->n)
			return;
		x = trial_one_term(t, next);
		off = posterior_chi_square(&t->evidence, &t->usable[next], &df);
		x.p_value = chi_square_tail(off, (double)df);
		x.ruled_out = true;
		x.objection = x.p_value < POSTERIOR_REFUSED
				      ? "off by more than the errors allow"
				      : "less likely";
		classify_propose(e, &x);
		last = next;
	}
}

static int judge_event(struct trial *t, size_t event)
{
	struct classify_event *e = &t->c->events[event];
	struct classify_candidate term;
	struct verdict v;
	bool has_term;
	int err = 0;

	if (e->kind != CLASSIFY_UNKNOWN)
		return 0;
	if (e->varies || e->noise >= NOISE_MOST) {
		e->kind = CLASSIFY_NOISY;
		e->by = BY_REPEATS;
	}
	t->event = event;
	t->evidence = classify_evidence(t->c, event, 0);
	t->none = posterior_likelihood(&t->evidence, NULL);
	v = posterior_judge(&t->evidence, t->usable, t->n, NULL, t->posterior);
	has_term = v.best < t->n;
	if (has_term) {
		term = best_term(t, &v);
		trial_temper(t, &term);
		classify_propose(e, &term);
	}
	if (e->kind != CLASSIFY_NOISY &&
	    (!has_term || term.confidence < CLASSIFY_LIKELY ||
	     classify_coverage(t->c, event, t->usable[v.best].value, NULL) < 1))
		err = try_formula(t, e, has_term ? &term : NULL);
	if (e->kind != CLASSIFY_NOISY)
		trial_near_misses(t, e);
	propose_runners_up(t, e, &v);
	return err;
}

int classify_try_concepts(struct classification *c)
{
	size_t n = c->terms.n;
	struct trial t = {
		.c = c,
		.posterior = calloc(n + 1, sizeof(double)),
		.usable = calloc(n + 1, sizeof(struct expectation)),
		.which = calloc(n + 1, sizeof(size_t)),
		.barred = calloc(n + 1, 1),
	};
	int err = t.posterior && t.usable && t.which && t.barred ? 0
								 : PAPI_ENOMEM;

	for (size_t i = 0; !err && i < n; i++)
		if (!c->terms.barred[i]) {
			t.which[t.n] = i;
			t.usable[t.n++] = c->terms.x[i];
		}
	for (size_t i = 0; !err && i < c->n; i++)
		err = judge_event(&t, i);
	free(t.posterior);
	free(t.usable);
	free(t.which);
	free(t.barred);
	return err;
}
