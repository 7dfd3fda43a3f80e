/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From counts to verdicts, step by step, and what a verdict is called. How well
 * explanations fit is evidence.c, which of them wins is candidates.c.
 */

#include "classify/inside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/strbuf.h"

static int make_room(struct classification *c)
{
	size_t cells = c->n * c->plan->n_benches;

	c->events = calloc(c->n + 1, sizeof(*c->events));
	c->slopes = calloc(cells + 1, sizeof(*c->slopes));
	c->slope = calloc(cells + 1, sizeof(*c->slope));
	c->error = calloc(cells + 1, sizeof(*c->error));
	c->measured = calloc(c->n + 1, sizeof(*c->measured));
	c->exact = calloc(c->plan->n_benches + 1, 1);
	c->work = calloc(4 * c->plan->n_benches + 1, sizeof(*c->work));
	if (!c->events || !c->slopes || !c->slope || !c->error ||
	    !c->measured || !c->exact || !c->work)
		return PAPI_ENOMEM;
	for (size_t i = 0; i < c->n; i++)
		c->measured[i] =
			(struct expectation){ c->slope + i * c->plan->n_benches,
					      c->error +
						      i * c->plan->n_benches };
	return 0;
}

/* Each step rests on the verdicts that the ones before it have left. */
static int judge_events(struct classification *c)
{
	int err = classify_try_concepts(c);

	if (!err) {
		classify_try_cycles(c);
		err = classify_try_shares(c);
	}
	if (!err)
		err = classify_find_families(c);
	if (!err) {
		classify_try_multiples(c);
		err = classify_try_sums(c);
	}
	if (!err) {
		classify_try_differences(c);
		classify_share_with_family(c);
		/* what is a sum of others is a part of nothing else */
		err = classify_settle_claims(c);
	}
	/* those that lost their claim may be cycles of some kind: what is left
	 * of others to the last count says more than a share */
	if (!err) {
		classify_try_differences(c);
		classify_try_near(c);
		err = classify_try_shares(c);
	}
	if (!err)
		err = classify_doubt(c);
	return err ? err : classify_find_rank(c);
}

int classify(struct classification *c, const struct classify_plan *plan,
	     const struct experiment_result *result)
{
	int err;

	*c = (struct classification){
		.plan = plan,
		.result = result,
		.n = result->n_events,
		.runs = result->runs + (result->resumed - result->refused) *
					       result->sets * result->repeats,
		.resumed = result->resumed,
		.sets = result->sets,
		.counters = result->counters,
		.repeats = result->repeats,
		.cut_short = result->cut_short,
	};
	if (c->n == 0 || plan->n_benches == 0)
		return PAPI_EINVAL;
	err = make_room(c);
	if (!err)
		err = classify_terms_make(&c->terms, plan);
	if (!err) {
		classify_find_limits(c, result);
		err = classify_fit(c, result);
	}
	if (!err)
		classify_find_scope(c);
	if (!err)
		err = classify_find_varying(c, result);
	if (!err)
		err = judge_events(c);
	if (err)
		classification_fini(c);
	return err;
}

void classification_fini(struct classification *c)
{
	classify_terms_fini(&c->terms);
	free(c->events);
	free(c->slopes);
	free(c->slope);
	free(c->error);
	free(c->measured);
	free(c->exact);
	free(c->work);
	*c = (struct classification){ 0 };
}

bool classify_is_known(const struct classify_event *e)
{
	return e->kind == CLASSIFY_TERM || e->kind == CLASSIFY_SCALED ||
	       e->kind == CLASSIFY_SUM;
}

bool classify_same_name(const char *a, const char *b)
{
	const char *of_a = strstr(a, "::"), *of_b = strstr(b, "::");

	return strcmp(of_a ? of_a + 2 : a, of_b ? of_b + 2 : b) == 0;
}

bool classify_is_of_cycles(const struct classify_event *e)
{
	return e->kind == CLASSIFY_TERM &&
	       classify_is_spent(e->formula.term[0]);
}

const char *classify_class(const struct classify_event *e)
{
	switch (e->kind) {
	case CLASSIFY_NOT_COUNTED:
		return "not counted";
	case CLASSIFY_DEAD:
		return "dead";
	case CLASSIFY_NOT_EXERCISED:
		return "not exercised";
	case CLASSIFY_NOISY:
		return "noisy";
	case CLASSIFY_TERM:
		return classify_term_name(e->formula.term[0]);
	case CLASSIFY_SCALED:
		return "scaled";
	case CLASSIFY_SUM:
		return "sum";
	default:
		return "unclassified";
	}
}

const char *classify_words(const struct classify_event *e)
{
	switch (e->kind) {
	case CLASSIFY_NOT_COUNTED:
		return e->reason ? e->reason
				 : "not counted before the time ran out";
	case CLASSIFY_DEAD:
		return "it counted nothing in any kernel";
	case CLASSIFY_NOT_EXERCISED:
		return "no kernel here makes it count";
	case CLASSIFY_TERM:
		return classify_term_text(e->formula.term[0]);
	case CLASSIFY_UNKNOWN:
		return "no kernel explains what it counts";
	default:
		return NULL;
	}
}

void classify_add_formula(struct strbuf *sb, const struct classification *c,
			  const struct blend *f, bool of_events, size_t prefix)
{
	for (size_t i = 0; i < f->n; i++) {
		double factor = fabs(f->factor[i]);

		if (f->factor[i] < 0)
			strbuf_add(sb, i ? " - " : "-");
		else if (i)
			strbuf_add(sb, " + ");
		if (factor != 1)
			strbuf_addf(sb, "%g ", factor);
		strbuf_add(sb, of_events ? c->events[f->term[i]].name + prefix
					 : classify_term_name(f->term[i]));
	}
	strbuf_add(sb, "");
}

char *classify_formula(const struct classification *c,
		       const struct classify_event *e)
{
	struct strbuf sb = { 0 };

	classify_add_formula(&sb, c, &e->formula, e->of_events, 0);
	return strbuf_take(&sb);
}

char *classify_candidate_text(const struct classification *c,
			      const struct classify_candidate *x)
{
	struct strbuf sb = { 0 };

	classify_add_formula(&sb, c, &x->formula, x->of_events, 0);
	return strbuf_take(&sb);
}

bool classify_counts(const struct classification *c, size_t i, size_t t)
{
	const struct classify_event *e = &c->events[i];

	if (e->kind != CLASSIFY_TERM)
		return false;
	for (size_t k = 0; k < e->n_also; k++)
		if (e->also[k] == t)
			return true;
	return e->formula.term[0] == t;
}
