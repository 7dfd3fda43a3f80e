/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is known of one event: what it counts and how sure that is, why (the
 * runners-up), what to use instead, its curves, and where it counts.
 */
#include "classify/event_page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/strbuf.h"
#include "write/html.h"
#include "write/number.h"

#define SPREAD 1e-3 /* of repeats: less is not worth a word */

static bool is_counted(double slope)
{
	return !isnan(slope) && fabs(slope) >= 5e-4;
}

static void put_slopes(const struct classification *c, size_t event,
		       struct html_report *page)
{
	const struct classify_event *e = &c->events[event];
	size_t benches = c->plan->n_benches;
	const double *expect =
		e->kind == CLASSIFY_TERM
			? c->terms.value + e->formula.term[0] * benches
			: NULL;
	struct json *j = &page->json;

	html_report_part(page, "table", "Where it counts");
	html_report_columns(page, "Kernel", "text", "Counts per iteration",
			    "number", NULL);
	if (expect)
		html_report_column(page, "As its class predicts", "number");
	html_report_rows(page);
	for (size_t b = 0; b < benches; b++) {
		double slope = c->slope[event * benches + b];

		if (!is_counted(slope))
			continue;
		json_list(j, NULL);
		json_string(j, NULL, c->plan->benches[b].name);
		json_number(j, NULL, slope);
		if (expect)
			json_number(j, NULL, expect[b]);
		json_end_array(j);
	}
	html_report_end(page);
}

/* "+00": it jumps where a kernel leaves L1D. */
static void put_steps(const struct classification *c, size_t event,
		      struct html_report *page)
{
	struct classify_steps steps[CLASSIFY_SWEEPS];
	size_t n = classify_steps_find(c, event, steps, CLASSIFY_SWEEPS);
	static const char *const levels[] = { "In L1D", "In L2", "In L3" };
	struct json *j = &page->json;

	if (n == 0)
		return;
	html_report_part(page, "table", "By the level that holds the data");
	html_report_columns(page, "Kernel", "text", NULL);
	for (size_t i = 0; i + 1 < steps[0].n; i++)
		html_report_column(page, levels[i], "number");
	html_report_column(page, "In memory", "number");
	html_report_column(page, "Steps", "code");
	html_report_rows(page);
	for (size_t k = 0; k < n; k++) {
		json_list(j, NULL);
		json_string(j, NULL, steps[k].kernel);
		for (size_t i = 0; i < steps[k].n; i++)
			json_number(j, NULL, steps[k].level[i]);
		json_string(j, NULL, steps[k].sign);
		json_end_array(j);
	}
	html_report_end(page);
}

static void put_fact(struct json *j, const char *what, const char *text)
{
	if (!text || !*text)
		return;
	json_cells(j, "%s %s", what, text);
}

/* "CE 0.607, CR 1": those of which something is left; to be freed. */
static char *list_goodness(const struct classify_event *e)
{
	struct strbuf sb = { 0 };

	for (size_t i = 0; i < CLASSIFY_PAPER; i++)
		if (e->goodness[i] >= 5e-4)
			strbuf_addf(&sb, "%s%s %.3g", sb.len ? ", " : "",
				    concepts[classify_paper[i]].symbol,
				    e->goodness[i]);
	strbuf_add(&sb, "");
	return strbuf_take(&sb);
}

/* Class and relatives of one event. */
static void put_what_it_is(const struct classification *c, size_t event,
			   struct html_report *page)
{
	const struct classify_event *e = &c->events[event];
	char *counts = classify_counts_text(c, e),
	     *equals = classify_list_equals(c, event);
	OWNED char *goodness = list_goodness(e);
	struct json *j = &page->json;
	char noise[NUMBER_CAPACITY] = "";

	if (e->noise > 1e-3)
		snprintf(noise, sizeof(noise), "%.1f %%", 100 * e->noise);
	html_report_part(page, "table", "Summary");
	html_report_columns(page, "What", "text", c->events[event].name, "text",
			    NULL);
	html_report_rows(page);
	put_fact(j, "Class", classify_class(e));
	put_fact(j, "Counts", counts);
	put_fact(j, "Repeats differ by", noise);
	put_fact(j, "Same as", equals);
	put_fact(j, "Goodness (2018 paper)", goodness);
	html_report_end(page);
	free(counts);
	free(equals);
}

/* Why it is taken for that, as a half sentence. */
static const char *grounds_of(enum classify_by by)
{
	switch (by) {
	case BY_NOTHING:
		return "no explanation that was tried fits its counts";
	case BY_REPEATS:
		return "repeats of the same kernel differ too much to say more";
	case BY_COUNTS:
		return "decided by its counts alone";
	case BY_CONCEPT:
		return "in every kernel it counts what this definition predicts";
	default:
		return "its counts follow those of other events";
	}
}

static void put_lead(const struct classification *c,
		     const struct classify_event *e, struct html_report *page)
{
	OWNED char *counts = classify_counts_text(c, e);
	struct strbuf lead = { 0 };
	char probability[NUMBER_CAPACITY] = "above 0.999";

	if (e->confidence <= 0.999) /* no more digits: 1 would claim too much */
		snprintf(probability, sizeof(probability), "%.3g",
			 e->confidence);
	if (classify_is_known(e))
		strbuf_addf(&lead,
			    "%s counts %s. This is %s (probability "
			    "%s): %s.",
			    e->name, counts && *counts ? counts : "its class",
			    strcmp(classify_certainty(e), "guess") == 0
				    ? "a guess"
				    : classify_certainty(e),
			    probability, grounds_of(e->by));
	else
		strbuf_addf(&lead, "What %s counts is not known: %s.", e->name,
			    counts && *counts ? counts : grounds_of(e->by));
	html_report_lead(page, &lead);
}

static void put_candidate(const struct classification *c,
			  const struct classify_event *e, size_t i,
			  struct json *j)
{
	const struct classify_candidate *x = &e->candidates[i];
	OWNED char *text = classify_candidate_text(c, x);
	bool chosen = i == 0 && classify_is_known(e) && !x->ruled_out;

	json_cells(j, "%s %s %g %g %s %s %s",
		   x->by == BY_CONCEPT && !x->of_events
			   ? classify_term_text(x->formula.term[0])
		   : text ? text
			  : "",
		   classify_by_name(x->by), x->score,
		   x->likelihood - e->candidates[0].likelihood,
		   chosen         ? "yes"
		   : x->ruled_out ? "no"
				  : "",
		   x->objection ? x->objection : "", text ? text : "");
}

/* The explanations that were weighed, best first. */
static void put_why(const struct classification *c,
		    const struct classify_event *e, struct html_report *page)
{
	struct json *j = &page->json;

	if (e->n_candidates == 0)
		return;
	html_report_part(page, "table", "Why: the explanations, best first");
	html_report_columns(page, "Explanation", "text", "Kind", "text",
			    "Score", "number",
			    "Log likelihood relative to the best", "number",
			    "Chosen", "verdict", "Objection", "text", NULL);
	html_report_more(page, "Class or formula", "code");
	html_report_rows(page);
	for (size_t i = 0; i < e->n_candidates; i++)
		put_candidate(c, e, i, j);
	html_report_end(page);
}

static void put_advice(struct json *j, char *text)
{
	if (text)
		json_string(j, NULL, text);
	free(text);
}

static bool uses(const struct classify_preset *p, size_t event)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->event[i] == event)
			return p->is_preset && p->made;
	return false;
}

static void put_preset_advice(const struct classified *d, size_t event,
			      struct json *j)
{
	for (size_t i = 0; i < d->presets->n; i++) {
		const struct classify_preset *p = &d->presets->items[i];
		char *recipe;

		if (!uses(p, event))
			continue;
		recipe = classify_recipe(d->c, p);
		put_advice(j, str_format("%s uses it: %s", p->name,
					 recipe ? recipe : ""));
		free(recipe);
	}
}

/* Other ways to count the same, and what to beware of. */
static void put_instead(const struct classified *d, size_t event,
			struct html_report *page)
{
	const struct classification *c = d->c;
	const struct classify_event *e = &c->events[event];
	OWNED char *equals = classify_list_equals(c, event);
	size_t base = classify_base(c, event);
	struct json *j = &page->json;

	html_report_part(page, "list", "What to use");
	json_array(j, "items");
	if (!classify_is_known(e))
		put_advice(j, str_format("Do not use this event: nobody can "
					 "say what a change in it means"));
	if (base != event)
		put_advice(j, str_format("%s: counts this directly; "
					 "this event counts %.4g of it",
					 c->events[base].name,
					 classify_times(c, event, base)));
	if (equals && *equals)
		put_advice(j,
			   str_format("The same in every kernel: %s", equals));
	put_preset_advice(d, event, j);
	if (e->noise > SPREAD)
		put_advice(j, str_format("Repeats differ by %.1f %%: count "
					 "several runs (-r) and compare means",
					 100 * e->noise));
	else if (classify_is_known(e))
		put_advice(j, str_format("Use this event: all repeats gave the "
					 "same count"));
	html_report_end(page);
}

static void put_evidence(const struct classification *c, size_t event,
			 struct html_report *page)
{
	classify_put_curves(c, event, page);
	put_why(c, &c->events[event], page);
	put_steps(c, event, page);
	put_slopes(c, event, page);
	put_what_it_is(c, event, page);
}

void classify_put_pages(const struct classified *d, struct html_report *page)
{
	const struct classification *c = d->c;
	struct json *j = &page->json;

	html_report_part(page, "choice", "One event");
	json_string(j, "label", "event");
	json_bool(j, "page", true);
	json_array(j, "items");
	for (size_t i = 0; i < c->n; i++) {
		bool counted = c->events[i].kind >= CLASSIFY_NOISY;

		json_object(j, NULL);
		json_string(j, "name", c->events[i].name);
		put_lead(c, &c->events[i], page);
		json_array(j, "parts");
		put_instead(d, i, page);
		if (counted)
			put_evidence(c, i, page);
		html_report_end(page);
	}
	html_report_end(page);
}
