/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which kernel to run next, where the time does not suffice for all: the one
 * from which most is learnt about what events count, for what it costs.
 *
 * Each event has a probability for every term, and for none of them. A bench
 * tells terms apart that expect different slopes of it; terms that expect the
 * same, or nothing, it leaves as they are. What is learnt of an event is the
 * entropy of what the bench may show, in nats. An event that is none of the
 * terms is a sum or a multiple of some, or of other events: of it so much is
 * learnt as of one of which nothing is known, which is what the bench tells
 * apart that no bench before it has.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "classify/inside.h"

/* What setting up a kernel costs, in instructions. Convention: it matters only
 * beside the shortest kernels. */
#define COST_OF_SETUP 1e5
/* Instructions of an iteration where a kernel does not state them. */
#define COST_UNKNOWN 10.0
/* Terms that are less likely take no part any more. */
#define CHOOSE_LEAST 1e-4
/* Slopes of two terms that one bench tells apart differ by so many errors. */
#define CHOOSE_ERRORS 4.0

#define SILENT        0 /* the group of terms that a bench says nothing of */

struct classify_chooser {
	const struct classify_plan *plan;
	struct classify_terms terms;
	unsigned *group;    /* [bench][term]: those that it cannot tell apart */
	double *cost;       /* [bench] */
	bool *heard;        /* [bench]: its counts are in @weight */
	unsigned *cell;     /* [term]: those that no bench told apart so far */
	size_t bench;       /* that is being run */
	size_t n_events;    /* 0: not known yet */
	double *weight;     /* [event][term], none last: log-likelihoods */
	double *scale;      /* [event]: its largest slope */
	double *share;      /* [term]: room for probabilities, none last */
	double *mass;       /* [group]: room */
	struct pair *pairs; /* [term]: room */
	uint64_t *key;      /* [term]: room */
	double *x, *y;      /* room for the points of a bench */
};

/* Terms in order of what a bench expects of them. */
struct pair {
	double value, deviation;
	size_t term;
};

static int by_value(const void *a, const void *b)
{
	const struct pair *p = a, *q = b;

	return p->value < q->value ? -1 : p->value > q->value;
}

/* Put terms that bench @b expects nearly the same of into one group. */
static void find_groups(struct classify_chooser *c, size_t b)
{
	const struct classify_terms *t = &c->terms;
	struct evidence exact = { .error = (const double[]){ 0 }, .n = 1 };
	unsigned group = SILENT;
	size_t n = 0;

	for (size_t i = 0; i < t->n; i++) {
		double value = t->value[i * t->benches + b];

		c->group[b * t->n + i] = SILENT;
		if (!t->barred[i] && !isnan(value))
			c->pairs[n++] = (struct pair){
				value,
				posterior_deviation(
					&exact, 0, value,
					t->sigma[i * t->benches + b]),
				i
			};
	}
	qsort(c->pairs, n, sizeof(*c->pairs), by_value);
	for (size_t i = 0; i < n; i++) {
		const struct pair *p = &c->pairs[i];

		if (i == 0 || p->value - p[-1].value >
				      CHOOSE_ERRORS * hypot(p->deviation,
							    p[-1].deviation))
			group++;
		c->group[b * t->n + p->term] = group;
	}
}

/* What the runs of bench @b execute. */
static double cost_of(const struct classify_chooser *c, size_t b)
{
	const struct classify_bench *bench = &c->plan->benches[b];
	double each = c->terms.value[CONCEPT_INS * c->terms.benches + b];
	double cost = 0;

	if (!(each > 0)) /* true for NaN */
		each = COST_UNKNOWN;
	for (size_t u = bench->first; u < bench->first + bench->n; u++)
		cost += COST_OF_SETUP +
			each * (double)c->plan->units[u].point.times;
	return cost;
}

static size_t most_units(const struct classify_plan *plan)
{
	size_t most = 0;

	for (size_t b = 0; b < plan->n_benches; b++)
		if (plan->benches[b].n > most)
			most = plan->benches[b].n;
	return most;
}

struct classify_chooser *classify_chooser_new(const struct classify_plan *plan)
{
	struct classify_chooser *c = calloc(1, sizeof(*c));
	size_t terms = CONCEPT_COUNT + composites_n, n = plan->n_benches;

	if (!c)
		return NULL;
	c->plan = plan;
	c->bench = n;
	c->group = calloc(n * terms + 1, sizeof(*c->group));
	c->cost = calloc(n + 1, sizeof(*c->cost));
	c->heard = calloc(n + 1, sizeof(*c->heard));
	c->cell = calloc(terms + 1, sizeof(*c->cell));
	c->share = calloc(terms + 1, sizeof(*c->share));
	c->mass = calloc(terms + 2, sizeof(*c->mass));
	c->pairs = calloc(terms + 1, sizeof(*c->pairs));
	c->key = calloc(terms + 1, sizeof(*c->key));
	if (!c->group || !c->cost || !c->heard || !c->cell || !c->share ||
	    !c->mass || !c->pairs || !c->key ||
	    classify_terms_make(&c->terms, plan)) {
		classify_chooser_free(c);
		return NULL;
	}
	for (size_t b = 0; b < n; b++) {
		find_groups(c, b);
		c->cost[b] = cost_of(c, b);
	}
	return c;
}

void classify_chooser_free(struct classify_chooser *c)
{
	if (!c)
		return;
	classify_terms_fini(&c->terms);
	free(c->group);
	free(c->cost);
	free(c->heard);
	free(c->cell);
	free(c->weight);
	free(c->scale);
	free(c->share);
	free(c->mass);
	free(c->pairs);
	free(c->key);
	free(c->x);
	free(c->y);
	free(c);
}

/* The number of events is known once the first worker has told them. */
static bool make_room(struct classify_chooser *c,
		      const struct experiment_result *r)
{
	size_t points = most_units(c->plan) * r->repeats + 1;

	if (c->n_events == r->n_events)
		return true;
	c->weight =
		calloc(r->n_events * (c->terms.n + 1) + 1, sizeof(*c->weight));
	c->scale = calloc(r->n_events + 1, sizeof(*c->scale));
	c->x = calloc(points, sizeof(*c->x));
	c->y = calloc(points, sizeof(*c->y));
	if (!c->weight || !c->scale || !c->x || !c->y)
		return false;
	c->n_events = r->n_events;
	return true;
}

/* What was counted. */

/* The slope of @event in bench @b; false: there is none. */
static bool measure(struct classify_chooser *c,
		    const struct experiment_result *r, size_t b, size_t event,
		    struct slope *s)
{
	const struct classify_bench *bench = &c->plan->benches[b];
	size_t n = 0;

	for (size_t u = bench->first; u < bench->first + bench->n; u++)
		for (unsigned i = 0; i < r->repeats; i++) {
			double y = experiment_count(r, u, i, event);

			if (isnan(y))
				continue;
			c->x[n] = (double)c->plan->units[u].point.times;
			c->y[n++] = y;
		}
	if (n == 0 || !(c->x[0] > 0))
		return false;
	if (slope_fit(c->x, c->y, n, s))
		*s = (struct slope){ .slope = c->y[0] / c->x[0] };
	if (isnan(s->error))
		s->error = 0;
	return true;
}

/* What the slope of @event in bench @b says of each term. */
static void hear_event(struct classify_chooser *c, size_t b, size_t event,
		       const struct slope *s)
{
	const struct classify_terms *t = &c->terms;
	double *weight = c->weight + event * (t->n + 1);
	double off[2] = { s->slope, 0 }, error[2] = { s->error, 0 };
	struct evidence e = { .slope = off, .error = error, .n = 2 };
	double silence;

	c->scale[event] = fmax(c->scale[event], fabs(s->slope));
	off[1] = c->scale[event]; /* silence is as wide as the largest slope */
	silence = posterior_silence(&e, 0);
	e.n = 1;
	for (size_t i = 0; i <= t->n; i++) {
		size_t at = i * t->benches + b;
		const struct expectation x = { t->value + at, t->sigma + at };

		weight[i] += i == t->n || isnan(*x.value)
				     ? silence
				     : posterior_likelihood(&e, &x);
	}
}

/* Terms that bench @b tells apart are in different cells from now on. */
static void divide(struct classify_chooser *c, size_t b)
{
	const unsigned *group = c->group + b * c->terms.n;
	unsigned cells = 0;

	for (size_t i = 0; i < c->terms.n; i++)
		c->mass[i] = c->cell[i];
	for (size_t i = 0; i < c->terms.n; i++) {
		size_t k = 0;

		while (c->mass[k] < c->mass[i] || c->mass[k] > c->mass[i] ||
		       group[k] != group[i])
			k++;
		c->cell[i] = k < i ? c->cell[k] : cells++;
	}
}

static bool was_run(const struct experiment_result *r, size_t unit)
{
	if (r->reasons[unit])
		return true;
	for (size_t i = 0; i < r->n_events; i++)
		if (!isnan(experiment_count(r, unit, r->repeats - 1, i)))
			return true;
	return false;
}

static bool is_finished(const struct classify_chooser *c,
			const struct experiment_result *r, size_t b)
{
	const struct classify_bench *bench = &c->plan->benches[b];

	for (size_t u = bench->first; u < bench->first + bench->n; u++)
		if (!was_run(r, u))
			return false;
	return true;
}

static void hear(struct classify_chooser *c, const struct experiment_result *r)
{
	for (size_t b = 0; b < c->plan->n_benches; b++) {
		struct slope s;

		if (c->heard[b] || !is_finished(c, r, b))
			continue;
		c->heard[b] = true;
		for (size_t i = 0; i < r->n_events; i++)
			if (measure(c, r, b, i, &s))
				hear_event(c, b, i, &s);
		divide(c, b);
	}
}

/* What would be learnt. */

/* Probabilities of the terms of @event into @share; returns that of none. */
static double find_shares(struct classify_chooser *c, size_t event)
{
	const double *weight = c->weight + event * (c->terms.n + 1);
	size_t n = c->terms.n;
	double top = weight[n], sum = 0;

	for (size_t i = 0; i < n; i++)
		if (!c->terms.barred[i])
			top = fmax(top, weight[i]);
	for (size_t i = 0; i <= n; i++) {
		c->share[i] =
			i < n && c->terms.barred[i] ? 0 : exp(weight[i] - top);
		sum += c->share[i];
	}
	for (size_t i = 0; i <= n; i++)
		c->share[i] = c->share[i] < CHOOSE_LEAST * sum
				      ? 0
				      : c->share[i] / sum;
	return c->share[n];
}

static double entropy_of(double *mass, size_t n, double sum)
{
	double entropy = 0;

	for (size_t i = 0; i < n; i++) {
		if (mass[i] > 0)
			entropy -= mass[i] * log(mass[i] / sum);
		mass[i] = 0;
	}
	return entropy;
}

/* Of an event with these probabilities, by bench @b: what it may show, in as
 * far as its terms say. */
static double learnt(struct classify_chooser *c, const size_t *alive, size_t n,
		     size_t b)
{
	const unsigned *group = c->group + b * c->terms.n;
	double sum = 0;
	unsigned most = 0;

	memset(c->mass, 0, (c->terms.n + 2) * sizeof(*c->mass));
	for (size_t i = 0; i < n; i++) {
		unsigned g = group[alive[i]];

		if (g == SILENT)
			continue;
		c->mass[g] += c->share[alive[i]];
		sum += c->share[alive[i]];
		most = g > most ? g : most;
	}
	return sum > 0 ? entropy_of(c->mass, most + 1, sum) : 0;
}

static int by_key(const void *a, const void *b)
{
	uint64_t p = *(const uint64_t *)a, q = *(const uint64_t *)b;

	return p < q ? -1 : p > q;
}

/* How many keys from @at on are alike, without their last @bits. */
static size_t count_alike(const uint64_t *at, const uint64_t *end,
			  unsigned bits)
{
	size_t n = 1;

	while (at + n < end && at[n] >> bits == *at >> bits)
		n++;
	return n;
}

/* Of an event of which nothing is known but that it is none of the terms: how
 * bench @b divides the cells. */
static double learnt_of_none(struct classify_chooser *c, size_t b)
{
	const unsigned *group = c->group + b * c->terms.n;
	uint64_t *key = c->key, *end = key;
	double gain = 0;
	size_t same;

	for (size_t i = 0; i < c->terms.n; i++)
		if (group[i] != SILENT)
			*end++ = (uint64_t)c->cell[i] << 32 | group[i];
	qsort(key, (size_t)(end - key), sizeof(*key), by_key);
	for (size_t cell; key < end; key += cell) {
		cell = count_alike(key, end, 32);
		for (size_t i = 0; i < cell; i += same) {
			same = count_alike(key + i, end, 0);
			gain += (double)same * log((double)cell / (double)same);
		}
	}
	return gain / (double)c->terms.n;
}

/* Add what each bench would tell of @event. */
static void add_gains(struct classify_chooser *c, size_t event, double *gain,
		      size_t *alive, double *none)
{
	size_t n = 0;

	*none += find_shares(c, event);
	for (size_t i = 0; i < c->terms.n; i++)
		if (c->share[i] > 0)
			alive[n++] = i;
	for (size_t b = 0; n > 1 && b < c->plan->n_benches; b++)
		if (!c->heard[b])
			gain[b] += learnt(c, alive, n, b);
}

static bool is_left(const struct classify_chooser *c, size_t b,
		    const bool *taken)
{
	const struct classify_bench *bench = &c->plan->benches[b];

	for (size_t u = bench->first; u < bench->first + bench->n; u++)
		if (!taken[u])
			return true;
	return false;
}

static size_t find_best(struct classify_chooser *c, const bool *taken)
{
	size_t n = c->plan->n_benches, best = n;
	OWNED double *gain = calloc(n + 1, sizeof(*gain));
	OWNED size_t *alive = calloc(c->terms.n + 1, sizeof(*alive));
	double none = 0, most = -1;

	if (!gain || !alive)
		return n;
	for (size_t i = 0; i < c->n_events; i++)
		add_gains(c, i, gain, alive, &none);
	for (size_t b = 0; b < n; b++) {
		double worth;

		if (!is_left(c, b, taken))
			continue;
		worth = (gain[b] + none * learnt_of_none(c, b)) / c->cost[b];
		if (worth > most) {
			most = worth;
			best = b;
		}
	}
	return best;
}

static size_t first_left(const bool *taken, size_t from, size_t end)
{
	while (from < end && taken[from])
		from++;
	return from;
}

size_t classify_choose(void *chooser, const struct experiment_result *r,
		       const bool *taken)
{
	struct classify_chooser *c = chooser;
	const struct classify_bench *bench;

	if (c->bench == c->plan->n_benches || !is_left(c, c->bench, taken)) {
		if (make_room(c, r)) {
			hear(c, r);
			c->bench = find_best(c, taken);
		}
		if (c->bench == c->plan->n_benches)
			return first_left(taken, 0, c->plan->n_units);
	}
	bench = &c->plan->benches[c->bench];
	return first_left(taken, bench->first, bench->first + bench->n);
}
