/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Claims that an event counts a certain class, held against what was measured:
 * what the classification says of the event, and where a kernel contradicts.
 */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/posterior.h"
#include "base/array.h"
#include "base/strbuf.h"
#include "classify/inside.h"
#include "console/console.h"

static size_t find_event(const struct classification *c, const char *name)
{
	size_t i = 0;

	while (i < c->n && !classify_same_name(c->events[i].name, name))
		i++;
	return i;
}

/* The bench in which @event is farthest off @x, in errors; n_benches: none. */
static size_t find_worst(const struct classification *c, size_t event,
			 const struct expectation *x)
{
	struct evidence e = classify_evidence(c, event, 0);
	size_t worst = e.n;
	double most = SLOPE_CONTRADICTS;

	for (size_t b = 0; b < e.n; b++) {
		double off =
			fabs(e.slope[b] - x->value[b]) /
			posterior_deviation(&e, b, x->value[b], x->sigma[b]);

		if (off > most) { /* false for NaN */
			most = off;
			worst = b;
		}
	}
	return worst;
}

static void add_found(struct strbuf *sb, const struct classification *c,
		      const struct classify_event *e)
{
	OWNED char *formula =
		classify_is_known(e) ? classify_formula(c, e) : NULL;

	if (formula)
		strbuf_addf(sb, "it counts %s (%s)", formula,
			    classify_certainty(e));
	else
		strbuf_addf(sb, "it is %s", classify_class(e));
}

/* Kernels contradict, or an explanation that is not the claimed one won. */
static enum classify_claim_verdict judge_claim(const struct classification *c,
					       size_t event, size_t term,
					       struct strbuf *why)
{
	const struct classify_event *e = &c->events[event];
	const struct blend f = { .n = 1, .term = { term }, .factor = { 1 } };
	struct classify_fitness fit = classify_weigh(c, event, &f, false, 0);
	size_t worst = find_worst(c, event, &c->terms.x[term]);
	size_t benches = c->plan->n_benches;

	if (classify_counts(c, event, term)) {
		strbuf_add(why, classify_certainty(e));
		return CLAIM_HOLDS;
	}
	add_found(why, c, e);
	if (fit.p_value < POSTERIOR_REFUSED && worst < benches) {
		strbuf_addf(why,
			    "; in %s it counts %.6g per iteration, not "
			    "%.6g",
			    c->plan->benches[worst].name,
			    c->slope[event * benches + worst],
			    c->terms.value[term * benches + worst]);
		return CLAIM_FAILS;
	}
	if (e->by == BY_SCALE && e->formula.term[0] == term)
		return CLAIM_FAILS;
	strbuf_add(why, "; no kernel that ran contradicts the claim");
	return CLAIM_OPEN;
}

static bool verify(const struct classification *c, struct classify_claim *claim)
{
	size_t i = find_event(c, claim->event);
	struct strbuf why = { 0 };

	claim->verdict = CLAIM_OPEN;
	if (i == c->n || c->events[i].kind == CLASSIFY_NOT_COUNTED)
		strbuf_add(&why, "it was not counted");
	else if (c->terms.barred[claim->term])
		strbuf_add(&why, "no kernel that ran exercises it");
	else
		claim->verdict = judge_claim(c, i, claim->term, &why);
	claim->why = strbuf_take(&why);
	return claim->why != NULL;
}

int classify_claims_verify(struct classify_claims *claims,
			   const struct classification *c)
{
	int status = 0;

	for (size_t i = 0; i < claims->n; i++) {
		if (!verify(c, &claims->items[i]))
			return CMD_FAILED;
		if (claims->items[i].verdict != CLAIM_HOLDS)
			status = CMD_LIMIT;
	}
	return status;
}

static int refuse_class(const struct console *console, const char *name)
{
	struct nearest near;
	const char *hint;

	nearest_init(&near, name);
	for (size_t t = 0; t < CONCEPT_COUNT + composites_n; t++)
		nearest_add(&near, classify_term_name(t));
	hint = nearest_text(&near, "");
	say_error_hint(console,
		       hint ? hint : "the JSON lists all of them as classes",
		       "there is no class '%s'", name);
	return CMD_USAGE;
}

/* The last equals sign separates: names of raw events have some, too. */
int classify_claims_add(struct classify_claims *claims,
			const struct console *console, const char *word)
{
	const char *equals = strrchr(word, '=');
	struct classify_claim *claim;

	if (!equals || equals == word || strpbrk(word, "*?["))
		return say_usage(
			console,
			"unexpected argument '%s'; a claim is EVENT=CLASS, "
			"events to classify are given with -e",
			word);
	if (classify_term_find(equals + 1) == CONCEPT_COUNT + composites_n)
		return refuse_class(console, equals + 1);
	if (array_grow(&claims->items, claims->n, sizeof(*claims->items)))
		goto no_memory;
	claim = &claims->items[claims->n];
	*claim = (struct classify_claim){
		.event = strndup(word, (size_t)(equals - word)),
		.term = classify_term_find(equals + 1),
	};
	if (!claim->event)
		goto no_memory;
	claims->n++;
	return 0;
no_memory:
	return say_no_memory(console);
}

void classify_claims_fini(struct classify_claims *claims)
{
	for (size_t i = 0; i < claims->n; i++) {
		free(claims->items[i].event);
		free(claims->items[i].why);
	}
	free(claims->items);
	*claims = (struct classify_claims){ 0 };
}

const char *classify_claim_word(const struct classify_claim *claim)
{
	static const char *const words[] = {
		[CLAIM_HOLDS] = "holds",
		[CLAIM_FAILS] = "fails",
		[CLAIM_OPEN] = "open",
	};

	return words[claim->verdict];
}
