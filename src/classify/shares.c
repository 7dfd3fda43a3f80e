/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Events that count cycles of some kind: stalls by cause, units that idle. What
 * kernels say of these are shares of their cycles (kernels/spent.c), so they
 * are judged once it is known which event counts cycles, and only where nothing
 * else explains an event.
 *
 * Where a concept is said to take a share from a to b, every share between is
 * as likely, and what is outside the less so the farther it is. "None of these"
 * is any share of the size of the largest, or nothing; so is what a concept
 * says nothing of.
 */

#include <math.h>
#include <stdlib.h>

#include "analysis/posterior.h"
#include "analysis/special.h"
#include "base/err.h"
#include "classify/inside.h"

/* Room to judge in: of all terms, those that are shares. */
struct spent {
	size_t benches;
	double *cycles;      /* of each bench; NaN: too few, or not known */
	double *low, *high;  /* [term][bench]; NaN: nothing is said */
	double *weight;      /* of each term, and one more */
	double *off, *share; /* of one event */
	size_t n;            /* terms */
	size_t *term;        /* which */
};

/*
 * The event that counts cycles; c->n if none does. Where several seem to, it is
 * the one that the others are parts of: so are cycles in which a unit idles,
 * which few kernels tell from cycles. A counter that is full at some count says
 * nothing in the other kernels.
 */
static size_t find_cycles(const struct classification *c)
{
	size_t best = c->n;

	for (size_t i = 0; i < c->n; i++)
		if (classify_counts(c, i, CONCEPT_CYCLES) &&
		    isinf(c->events[i].full) &&
		    (best == c->n || classify_is_part(c, best, i)) &&
		    !(best < c->n && classify_is_part(c, i, best)))
			best = i;
	return best;
}

/* Whether @event was taken for total cycles although it counts only part of
 * them. */
static bool is_mistaken(const struct classification *c, size_t event,
			size_t cycles)
{
	return classify_counts(c, event, CONCEPT_CYCLES) &&
	       classify_is_part(c, event, cycles) &&
	       !classify_is_part(c, cycles, event);
}

static bool is_open(const struct classification *c, size_t event, size_t cycles)
{
	return c->events[event].kind == CLASSIFY_UNKNOWN ||
	       is_mistaken(c, event, cycles);
}

/* The share that one part of a sum takes, or adds to what is left out. */
static bool add_part(enum kernel_bound bound, enum concept part, double *low,
		     double *high)
{
	double from, to;

	if (!kernel_spends(bound, part, &from, &to))
		return false;
	*low = fmax(*low, from);
	*high = fmax(*high, to);
	return true;
}

/*
 * A unit idles in every cycle in which nothing is executed on it. So the branch
 * unit idles in all cycles but one for each branch, at the least, whatever else
 * the kernel does. Not said where branches are mispredicted: the wrong path has
 * branches, too.
 */
static void state_idle(struct spent *s, const struct classification *c)
{
	size_t branches = classify_term_find("BR_ALL") * s->benches;
	size_t missed = CONCEPT_BR_MISP * s->benches;

	for (size_t i = 0; i < s->n; i++)
		for (size_t b = 0;
		     s->term[i] == CONCEPT_IDLE_BR && b < s->benches; b++) {
			double *low = &s->low[i * s->benches + b];
			double *high = &s->high[i * s->benches + b];
			double idle =
				1 - c->terms.value[branches + b] / s->cycles[b];

			if (c->terms.value[missed + b] != 0 || !(idle > 0))
				continue;        /* true for NaN */
			*low = fmax(*low, idle); /* NaN: nothing was said */
			*high = isnan(*high) ? 1 : fmax(*high, *low);
		}
}

/*
 * What @term takes in bench @b. Parts of a sum do not overlap, and one of them
 * is what the kernel is bound by, if any. A sum may be what is left of all
 * cycles, which then come first.
 */
static void state(const struct classify_plan *plan, size_t b, size_t term,
		  double *low, double *high)
{
	const struct classify_bench *bench = &plan->benches[b];
	enum kernel_bound bound =
		kernel_bound(bench->kernel, &bench->point, &plan->machine);
	const struct composite *sum =
		term < CONCEPT_COUNT ? NULL : &composites[term - CONCEPT_COUNT];
	bool left = sum && sum->terms[0].concept == CONCEPT_CYCLES;
	double from = 0, to = 0;
	bool known = sum || add_part(bound, (enum concept)term, &from, &to);

	for (size_t i = left; known && sum && sum->terms[i].weight != 0; i++)
		known = add_part(bound, sum->terms[i].concept, &from, &to);
	*low = !known ? NAN : left ? 1 - to : from;
	*high = !known ? NAN : left ? 1 - from : to;
}

static void close_spent(struct spent *s)
{
	free(s->cycles);
	free(s->term);
}

static int open_spent(struct spent *s, const struct classification *c,
		      size_t cycles)
{
	size_t benches = c->plan->n_benches, terms = c->terms.n;

	*s = (struct spent){
		.benches = benches,
		.cycles = calloc(3 * benches + 2 * terms * benches + terms + 1,
				 sizeof(double)),
		.term = calloc(terms, sizeof(size_t)),
	};
	if (!s->cycles || !s->term) {
		close_spent(s);
		return PAPI_ENOMEM;
	}
	s->share = s->cycles + benches;
	s->off = s->share + benches;
	s->low = s->off + benches;
	s->high = s->low + terms * benches;
	s->weight = s->high + terms * benches;
	for (size_t b = 0; b < benches; b++) {
		double n = c->slope[cycles * benches + b];

		s->cycles[b] = n > SHARE_CYCLES ? n : NAN;
	}
	for (size_t t = 0; t < c->terms.n; t++)
		if (classify_is_spent(t))
			s->term[s->n++] = t;
	for (size_t i = 0; i < s->n; i++)
		for (size_t b = 0; b < benches; b++)
			state(c->plan, b, s->term[i], &s->low[i * benches + b],
			      &s->high[i * benches + b]);
	state_idle(s, c);
	return 0;
}

/*
 * From now on these are terms like others: so many cycles, and how many more or
 * fewer it may be. There have to be kernels that spend cycles on it, and others
 * that do not.
 */
static void tell_term(struct classification *c, const struct spent *s, size_t i)
{
	size_t to = s->term[i] * s->benches, from = i * s->benches;
	bool spent = false, spared = false;

	for (size_t b = 0; b < s->benches; b++) {
		double low = s->low[from + b], high = s->high[from + b];

		c->terms.value[to + b] = (low + high) / 2 * s->cycles[b];
		c->terms.sigma[to + b] = (high - low) / 2 * s->cycles[b];
		spent |= low * s->cycles[b] > 0; /* false for NaN */
		spared |= high * s->cycles[b] <= SHARE_SPARED * s->cycles[b];
	}
	c->terms.barred[s->term[i]] = !spent || !spared;
}

static double log_normal(double off, double sd)
{
	return -0.91893853320467274178 - log(sd) - off * off / (2 * sd * sd);
}

static double log_sum(double a, double b)
{
	double top = fmax(a, b);

	return top + log(exp(a - top) + exp(b - top));
}

/* A share of which nothing is said. @largest: of this event's. */
static double log_any(double share, double off, double largest)
{
	double spread = fmax(1, largest);

	return log(0.5) + log_sum(log_normal(share, off), -log(2 * spread));
}

static double outside(double share, double low, double high)
{
	return share < low ? low - share : share > high ? share - high : 0;
}

static double largest_share(const struct spent *s)
{
	double most = 0;

	for (size_t b = 0; b < s->benches; b++)
		most = fmax(most, fabs(s->share[b])); /* a NaN is left out */
	return most;
}

/*
 * Log-likelihood of the shares if they are those of term @i; s->n: of none.
 * *@chi and *@df: what the shares are off, where something is said.
 */
static double likelihood(const struct spent *s, size_t i, double *chi,
			 size_t *df)
{
	double sum = 0, largest = largest_share(s);

	*chi = 0;
	*df = 0;
	for (size_t b = 0; b < s->benches; b++) {
		double share = s->share[b], sd = s->off[b], width, out;
		size_t at = i * s->benches + b;

		if (isnan(share))
			continue;
		if (i == s->n || isnan(s->low[at])) {
			sum += log_any(share, sd, largest);
			continue;
		}
		width = s->high[at] - s->low[at];
		out = outside(share, s->low[at], s->high[at]) / sd;
		sum += -log(width + sd * 2.50662827463100050242) -
		       out * out / 2;
		*chi += out * out;
		(*df)++;
	}
	return sum;
}

static void take_shares(struct spent *s, const struct classification *c,
			size_t event)
{
	for (size_t b = 0; b < s->benches; b++) {
		size_t at = event * s->benches + b;

		s->share[b] = c->slope[at] / s->cycles[b];
		s->off[b] = hypot(SHARE_OFF, c->error[at] / s->cycles[b]);
	}
}

/* Whether the kernels in which the event counts say something of term @i. */
static double covered(const struct spent *s, size_t i)
{
	size_t counted = 0, spoken = 0;

	for (size_t b = 0; b < s->benches; b++)
		if (fabs(s->share[b]) > SHARE_OFF) { /* false for NaN */
			counted++;
			spoken += isnan(s->low[i * s->benches + b]) ? 0 : 1;
		}
	return counted ? (double)spoken / (double)counted : 0;
}

/*
 * Whether some kernel is said to spend cycles on it, and does, and all that are
 * said to do so do: many kernels that spend none, as they should, must not
 * outvote one in which the event is missing.
 */
static bool is_seen(const struct spent *s, size_t i)
{
	bool seen = false;

	for (size_t b = 0; b < s->benches; b++) {
		if (!(s->low[i * s->benches + b] > 0)) /* true for NaN */
			continue;
		if (fabs(s->share[b]) < SHARE_OFF / 2) /* false for NaN */
			return false;
		seen |= s->share[b] > SHARE_OFF;
	}
	return seen;
}

/* The best of them, with those that are nearly as good. */
static struct classify_candidate best_share(const struct spent *s, size_t best)
{
	double all = 0, mine = 0, silent = 1 - covered(s, best);
	struct classify_candidate x = {
		.by = BY_SHARE,
		.kind = CLASSIFY_TERM,
		.formula = { .n = 1,
			     .term = { s->term[best] },
			     .factor = { 1 },
			     .fitted = { 1 } },
		.likelihood = s->weight[best] - s->weight[s->n],
	};

	for (size_t i = 0; i <= s->n; i++) {
		double share = exp(s->weight[i] - s->weight[best]);

		all += share;
		if (i < s->n && share >= SHARE_AS_GOOD &&
		    (i == best || x.n_also < CLASSIFY_ALSO)) {
			mine += share;
			if (i != best)
				x.also[x.n_also++] = s->term[i];
		}
	}
	/* shares are no counts: they leave a doubt whatever they are */
	x.confidence = fmin(mine / all, CLASSIFY_CERTAIN) *
		       (1 - silent * silent * silent / 2);
	return x;
}

/* What an event lost to a better claim it does not get back. */
static bool was_ruled_out(const struct classify_event *e, size_t term)
{
	for (size_t i = 0; i < e->n_candidates; i++) {
		const struct classify_candidate *x = &e->candidates[i];

		if (x->ruled_out && x->by == BY_SHARE &&
		    x->formula.term[0] == term)
			return true;
	}
	return false;
}

static void judge_shares(const struct classification *c,
			 struct classify_event *e, struct spent *s,
			 bool mistaken)
{
	size_t best = s->n, df;
	double chi, p_value = 0;
	struct classify_candidate x;

	s->weight[s->n] = likelihood(s, s->n, &chi, &df);
	for (size_t i = 0; i < s->n; i++) {
		double p;

		s->weight[i] = likelihood(s, i, &chi, &df);
		p = chi_square_tail(chi, (double)df);
		if (c->terms.barred[s->term[i]] || !is_seen(s, i) ||
		    p < POSTERIOR_REFUSED || was_ruled_out(e, s->term[i]))
			s->weight[i] = -INFINITY;
		if (s->weight[i] > s->weight[best]) {
			best = i;
			p_value = p;
		}
	}
	if (best == s->n)
		return;
	x = best_share(s, best);
	x.p_value = p_value;
	if (mistaken)
		classify_object(e, "counts less than cycles");
	classify_propose(e, &x);
}

int classify_try_shares(struct classification *c)
{
	size_t cycles = find_cycles(c);
	struct spent s;

	if (cycles == c->n)
		return 0;
	if (open_spent(&s, c, cycles))
		return PAPI_ENOMEM;
	for (size_t i = 0; i < s.n; i++)
		tell_term(c, &s, i);
	for (size_t i = 0; i < c->n; i++) {
		if (!is_open(c, i, cycles))
			continue;
		take_shares(&s, c, i);
		judge_shares(c, &c->events[i], &s, is_mistaken(c, i, cycles));
	}
	close_spent(&s);
	return 0;
}
