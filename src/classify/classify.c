/* SPDX-License-Identifier: BSD-3-Clause */
#include "classify/classify.h"

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
	c->exact = calloc(c->plan->n_benches + 1, 1);
	return c->events && c->slopes && c->slope && c->error && c->exact
		       ? 0
		       : PAPI_ENOMEM;
}

struct evidence classify_evidence(const struct classification *c, size_t event,
				  double floor)
{
	size_t benches = c->plan->n_benches;

	return (struct evidence){ .slope = c->slope + event * benches,
				  .error = c->error + event * benches,
				  .n = benches,
				  .floor = floor };
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
	if (!err)
		err = classify_fit(c, result);
	if (!err)
		err = classify_find_varying(c, result);
	if (!err)
		err = classify_judge(c);
	if (!err)
		err = classify_settle_cycles(c);
	if (!err)
		err = classify_judge_spent(c);
	if (!err)
		err = classify_relate(c);
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
	free(c->exact);
	*c = (struct classification){ 0 };
}

bool classify_is_known(const struct classify_event *e)
{
	return e->kind == CLASSIFY_TERM || e->kind == CLASSIFY_SCALED ||
	       e->kind == CLASSIFY_SUM;
}

void classify_abstain(struct classify_event *e)
{
	if (e->confidence >= CLASSIFY_EVEN)
		return;
	e->kind = CLASSIFY_UNKNOWN;
	e->n_also = 0;
}

const char *classify_class(const struct classify_event *e)
{
	switch (e->kind) {
	case CLASSIFY_UNCOUNTED:
		return "uncounted";
	case CLASSIFY_DEAD:
		return "dead";
	case CLASSIFY_UNSTIRRED:
		return "unstirred";
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
	case CLASSIFY_UNCOUNTED:
		return e->reason ? e->reason : "not counted in time";
	case CLASSIFY_DEAD:
		return "it counted nothing in any kernel";
	case CLASSIFY_UNSTIRRED:
		return "no kernel here makes it count";
	case CLASSIFY_TERM:
		return classify_term_text(e->formula.term[0]);
	case CLASSIFY_UNKNOWN:
		return "no kernel here tells what it counts";
	default:
		return NULL;
	}
}

char *classify_formula(const struct classification *c,
		       const struct classify_event *e)
{
	const struct blend *f = &e->formula;
	struct strbuf sb = { 0 };

	for (size_t i = 0; i < f->n; i++) {
		double factor = fabs(f->factor[i]);

		if (f->factor[i] < 0)
			strbuf_add(&sb, i ? " - " : "-");
		else if (i)
			strbuf_add(&sb, " + ");
		if (factor != 1)
			strbuf_addf(&sb, "%g ", factor);
		strbuf_add(&sb, e->of_events ? c->events[f->term[i]].name
					     : classify_term_name(f->term[i]));
	}
	strbuf_add(&sb, "");
	return strbuf_take(&sb);
}

bool classify_are_equal(const struct classification *c, size_t i, size_t k)
{
	const struct kin *a = &c->events[i].kin, *b = &c->events[k].kin;

	return i != k && a->head == b->head &&
	       fabs(a->scale - b->scale) < 1e-9 * fabs(a->scale);
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
