/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A classification for programs: as JSON with all that is known of each event,
 * and as CSV, an event a line.
 */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "classify/inside.h"
#include "write/csv.h"
#include "write/json.h"
#include "write/number.h"

/* Which benches a map of numbers has; the others say nothing new. */
enum map {
	MAP_SLOPES, /* all */
	MAP_ERRORS, /* those that are known badly */
	MAP_FITS,   /* in which the event grows, and not by a line */
};

static void put_map(struct json *j, const char *name,
		    const struct classification *c, size_t event, enum map map)
{
	size_t benches = c->plan->n_benches;

	json_row(j, name);
	for (size_t b = 0; b < benches; b++) {
		const struct slope *s = &c->slopes[event * benches + b];
		double error = c->error[event * benches + b];

		if (map == MAP_SLOPES)
			json_number(j, c->plan->benches[b].name,
				    c->slope[event * benches + b]);
		else if (map == MAP_ERRORS && error > SLOPE_ROUNDING)
			json_number(j, c->plan->benches[b].name, error);
		else if (map == MAP_FITS && s->r2 < SHOWN_FIT &&
			 fabs(s->slope) > SLOPE_SEEN)
			json_number(j, c->plan->benches[b].name, s->r2);
	}
	json_end_object(j);
}

static void put_formula(struct json *j, const struct classification *c,
			const struct classify_event *e)
{
	OWNED char *formula =
		classify_is_known(e) ? classify_formula(c, e) : NULL;

	json_string(j, "formula", formula);
	json_array(j, "terms");
	for (size_t k = 0; classify_is_known(e) && k < e->formula.n; k++) {
		const struct blend *f = &e->formula;

		json_row(j, NULL);
		json_string(j, e->of_events ? "event" : "class",
			    e->of_events ? c->events[f->term[k]].name
					 : classify_term_name(f->term[k]));
		json_number(j, "factor", f->factor[k]);
		json_number(j, "fitted", f->fitted[k]);
		json_number(j, "stderr", f->error[k]);
		json_end_object(j);
	}
	json_end_array(j);
}

static void put_steps(struct json *j, const struct classification *c, size_t i)
{
	struct classify_steps steps[CLASSIFY_SWEEPS];
	size_t n = classify_steps_find(c, i, steps, CLASSIFY_SWEEPS);

	json_array(j, "steps");
	for (size_t k = 0; k < n; k++) {
		json_row(j, NULL);
		json_string(j, "kernel", steps[k].kernel);
		json_numbers(j, "levels", steps[k].level, steps[k].n);
		json_string(j, "signs", steps[k].sign);
		json_end_object(j);
	}
	json_end_array(j);
}

void classify_put_class(struct json *j, const struct classify_event *e)
{
	json_string(j, "name", e->name);
	json_string(j, "class", classify_class(e));
	json_string(j, "description", classify_words(e));
}

/* All that was considered, best first; the first won if it is not ruled out. */
static void put_candidates(struct json *j, const struct classification *c,
			   const struct classify_event *e)
{
	json_string(j, "decided_by", classify_by_name(e->by));
	json_array(j, "candidates");
	for (size_t i = 0; i < e->n_candidates; i++) {
		const struct classify_candidate *x = &e->candidates[i];
		OWNED char *text = classify_candidate_text(c, x);

		json_row(j, NULL);
		json_string(j, "formula", text);
		json_string(j, "by", classify_by_name(x->by));
		json_number(j, "likelihood", x->likelihood);
		json_number(j, "prior", classify_prior(x->by));
		json_number(j, "confidence", x->confidence);
		json_number(j, "p_value", x->p_value);
		json_string(j, "objection", x->objection);
		json_bool(j, "ruled_out", x->ruled_out);
		json_number(j, "score", x->score);
		json_end_object(j);
	}
	json_end_array(j);
}

static void put_event(struct json *j, const struct classification *c, size_t i)
{
	const struct classify_event *e = &c->events[i];

	json_object(j, NULL);
	classify_put_class(j, e);
	json_number(j, "confidence",
		    classify_is_known(e) ? e->confidence : NAN);
	json_string(j, "certainty", classify_certainty(e));
	json_number(j, "p_value", classify_is_known(e) ? e->p_value : NAN);
	put_candidates(j, c, e);
	json_list(j, "alternatives");
	for (size_t k = 0; k < e->n_also; k++)
		json_string(j, NULL, classify_term_name(e->also[k]));
	json_end_array(j);
	json_row(j, "goodness");
	for (size_t k = 0; k < CLASSIFY_PAPER; k++)
		json_number(j, concepts[classify_paper[k]].symbol,
			    e->goodness[k]);
	json_end_object(j);
	put_formula(j, c, e);
	json_list(j, "equivalent");
	for (size_t k = 0; k < c->n; k++)
		if (classify_are_equal(c, i, k))
			json_string(j, NULL, c->events[k].name);
	json_end_array(j);
	json_number(j, "noise", e->noise);
	json_bool(j, "curved", e->curved);
	json_bool(j, "counts_other_threads", e->shared);
	json_number(j, "counts_up_to", isfinite(e->full) ? e->full : NAN);
	json_number(j, "counts_from", e->deaf > 0 ? e->deaf : NAN);
	put_map(j, "signature", c, i, MAP_SLOPES);
	put_map(j, "errors", c, i, MAP_ERRORS);
	put_map(j, "r2", c, i, MAP_FITS);
	put_steps(j, c, i);
	json_string(j, "reason", e->reason);
	json_end_object(j);
}

static void put_preset(struct json *j, const struct classification *c,
		       const struct classify_preset *p)
{
	json_object(j, NULL);
	json_string(j, "name", p->name);
	json_string(j, "class", classify_term_name(p->term));
	json_bool(j, "available", p->made);
	json_array(j, "terms");
	for (size_t i = 0; i < p->n; i++) {
		json_row(j, NULL);
		json_string(j, "event", c->events[p->event[i]].name);
		json_number(j, "factor", p->factor[i]);
		json_end_object(j);
	}
	json_end_array(j);
	json_number(j, "backward_error", p->backward_error);
	json_number(j, "residual", p->residual);
	json_number(j, "left_out_error", p->made ? p->held_out : NAN);
	json_number(j, "held_out_error", p->held_out_bench);
	json_bool(j, "fits_counters", p->fits);
	json_string(j, "rival", p->rival);
	json_end_object(j);
}

/* What classes there are, and which of them some kernel makes count. */
static void put_class(struct json *j, const struct classification *c, size_t t)
{
	const struct composite_term *part =
		t < CONCEPT_COUNT ? NULL : composites[t - CONCEPT_COUNT].terms;

	json_row(j, NULL);
	json_string(j, "name", classify_term_name(t));
	json_string(j, "description", classify_term_text(t));
	json_bool(j, "exercised", !c->terms.barred[t]);
	json_bool(j, "stirred", !c->terms.barred[t]); /* its first name */
	json_row(j, "sum_of");
	for (; part && part->weight != 0; part++)
		json_number(j, concepts[part->concept].name, part->weight);
	json_end_object(j);
	json_end_object(j);
}

int classify_describe(const void *what, struct json *j)
{
	const struct classified *d = what;
	const struct classification *c = d->c;

	json_row(j, "pmu");
	json_string(j, "kind", d->pmu);
	json_string(j, "model", d->model[0] ? d->model : NULL);
	json_unsigned(j, "counters", c->counters);
	json_bool(j, "blind", d->blind);
	json_end_object(j);
	json_row(j, "experiment");
	json_unsigned(j, "units", c->plan->n_units);
	json_unsigned(j, "kernels", c->plan->n_benches);
	json_unsigned(j, "sets", c->sets);
	json_unsigned(j, "repeats", c->repeats);
	json_unsigned(j, "runs", c->runs);
	json_bool(j, "complete", !c->cut_short);
	json_end_object(j);
	json_array(j, "events");
	for (size_t i = 0; i < c->n; i++)
		put_event(j, c, i);
	json_end_array(j);
	json_array(j, "claims");
	for (size_t i = 0; d->claims && i < d->claims->n; i++) {
		const struct classify_claim *claim = &d->claims->items[i];

		json_row(j, NULL);
		json_string(j, "event", claim->event);
		json_string(j, "class", classify_term_name(claim->term));
		json_string(j, "verdict", classify_claim_word(claim));
		json_string(j, "why", claim->why);
		json_end_object(j);
	}
	json_end_array(j);
	json_list(j, "unavailable_classes");
	for (size_t i = 0; i < d->presets->n; i++)
		if (classify_is_unavailable(&d->presets->items[i]))
			json_string(j, NULL, d->presets->items[i].name);
	json_end_array(j);
	json_number(j, "rank", c->rank ? (double)c->rank : NAN);
	json_array(j, "classes");
	for (size_t i = 0; i < c->terms.n; i++)
		put_class(j, c, i);
	json_end_array(j);
	json_array(j, "presets");
	for (size_t i = 0; i < d->presets->n; i++)
		put_preset(j, c, &d->presets->items[i]);
	json_end_array(j);
	return 0;
}

/* CSV: an event a line, its slopes in columns of their own. */

int classify_write_csv(const void *what, const struct report_style *style,
		       FILE *to)
{
	const struct classified *d = what;
	const struct classification *c = d->c;
	size_t benches = c->plan->n_benches;

	(void)style;
	fputs("event,class,confidence,formula,noise", to);
	for (size_t b = 0; b < benches; b++) {
		csv_put_next(c->plan->benches[b].name, to);
	}
	fputc('\n', to);
	for (size_t i = 0; i < c->n; i++) {
		const struct classify_event *e = &c->events[i];
		OWNED char *formula =
			classify_is_known(e) ? classify_formula(c, e) : NULL;

		csv_put_field(e->name, to);
		fprintf(to, ",%s", classify_class(e));
		csv_put_number(classify_is_known(e) ? e->confidence : NAN, to);
		csv_put_next(formula ? formula : "", to);
		csv_put_number(e->noise, to);
		for (size_t b = 0; b < benches; b++)
			csv_put_number(c->slope[i * benches + b], to);
		fputc('\n', to);
	}
	return ferror(to) ? PAPI_ESYS : 0;
}
