/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Candidates and the one score that decides between them.
 *
 * Whoever finds an explanation proposes it: with its confidence, which is how
 * probable the measured slopes make it against the alternatives of its own
 * kind. The score is the logarithm of those odds, the prior of its kind, and an
 * objection if there is one: something that its own likelihood cannot know,
 * such as that another event has the better claim. The best score wins. If all
 * are less likely than not, or ruled out, the event is unclassified. Nothing is
 * overwritten, so it can always be said what came second, and why.
 */

#include <math.h>
#include <string.h>

#include "classify/inside.h"

double classify_prior(enum classify_by by)
{
	/* what it is comes before what other events it is like */
	return by >= BY_MULTIPLE ? 0 : SCORE_NAME;
}

static double log_odds(double confidence)
{
	double odds = log(confidence) - log1p(-fmin(confidence, 1));

	return fmax(-SCORE_ODDS, fmin(odds, SCORE_ODDS)); /* of 0 and 1, too */
}

static void score(struct classify_candidate *x)
{
	if (!x->ruled_out && x->confidence < CLASSIFY_EVEN) {
		x->ruled_out = true;
		x->objection = "less likely than not";
	}
	x->score = classify_prior(x->by) + log_odds(x->confidence) -
		   (x->objection ? SCORE_OBJECTION : 0);
}

static bool is_before(const struct classify_candidate *a,
		      const struct classify_candidate *b)
{
	if (a->ruled_out != b->ruled_out)
		return b->ruled_out;
	if (a->score != b->score)
		return a->score > b->score;
	return a->likelihood > b->likelihood;
}

/* Best first; of two that are equal the one that was first. */
static void sort(struct classify_event *e)
{
	for (size_t i = 1; i < e->n_candidates; i++) {
		struct classify_candidate x = e->candidates[i];
		size_t at = i;

		for (; at > 0 && is_before(&x, &e->candidates[at - 1]); at--)
			e->candidates[at] = e->candidates[at - 1];
		e->candidates[at] = x;
	}
}

/* What was observed, such as that it never counts, needs no explanation. */
static void decide(struct classify_event *e)
{
	const struct classify_candidate *x = e->candidates;

	sort(e);
	if (e->by == BY_COUNTS || e->by == BY_REPEATS)
		return;
	if (e->n_candidates == 0 || x->ruled_out) {
		e->kind = CLASSIFY_UNKNOWN;
		e->by = BY_NOTHING;
		e->formula = (struct blend){ 0 };
		e->of_events = false;
		e->n_also = 0;
		e->confidence = 0;
		return;
	}
	e->kind = x->kind;
	e->by = x->by;
	e->formula = x->formula;
	e->of_events = x->of_events;
	e->n_also = x->n_also;
	memcpy(e->also, x->also, sizeof(e->also));
	e->confidence = x->confidence;
	e->p_value = x->p_value;
}

void classify_propose(struct classify_event *e, struct classify_candidate *x)
{
	struct classify_candidate *last =
		&e->candidates[CLASSIFY_CANDIDATES - 1];

	score(x);
	if (e->n_candidates < CLASSIFY_CANDIDATES)
		e->candidates[e->n_candidates++] = *x;
	else if (is_before(x, last))
		*last = *x;
	decide(e);
}

void classify_object(struct classify_event *e, const char *objection)
{
	if (e->by < BY_CONCEPT)
		return;
	for (size_t i = 0; i < e->n_candidates; i++) {
		struct classify_candidate *x = &e->candidates[i];

		if (i > 0 && (x->objection || x->by >= BY_MULTIPLE))
			continue;
		x->objection = objection;
		score(x);
	}
	decide(e);
}

void classify_limit(struct classify_event *e, double most)
{
	if (e->n_candidates == 0 || e->candidates[0].confidence <= most)
		return;
	e->candidates[0].confidence = most;
	score(&e->candidates[0]);
	decide(e);
}

void classify_rule_out(struct classify_event *e, const char *objection)
{
	size_t term = e->formula.term[0];

	e->candidates[0].ruled_out = true;
	for (size_t i = 1; i < e->n_candidates; i++)
		if (e->candidates[i].of_events && e->candidates[i].n_also &&
		    e->candidates[i].also[0] == term)
			e->candidates[i].n_also = 0;
	classify_object(e, objection);
}

const char *classify_by_name(enum classify_by by)
{
	static const char *const names[] = {
		[BY_NOTHING] = "nothing",
		[BY_COUNTS] = "counts",
		[BY_REPEATS] = "repeats",
		[BY_CONCEPT] = "concept",
		[BY_CONCEPTS] = "formula of concepts",
		[BY_SCALE] = "scaled concept",
		[BY_SHARE] = "share of cycles",
		[BY_MULTIPLE] = "multiple of an event",
		[BY_SUM] = "sum of events",
		[BY_DIFFERENCE] = "difference of events",
	};

	return names[by];
}

const char *classify_certainty_of(double confidence)
{
	return confidence > CLASSIFY_CERTAIN   ? "certain"
	       : confidence >= CLASSIFY_LIKELY ? "likely"
					       : "guess";
}

const char *classify_certainty(const struct classify_event *e)
{
	return classify_is_known(e) ? classify_certainty_of(e->confidence)
				    : NULL;
}
