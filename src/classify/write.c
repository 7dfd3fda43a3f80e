/* SPDX-License-Identifier: BSD-3-Clause */
/* A classification as a table for people, as JSON and as CSV. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/strbuf.h"
#include "classify/inside.h"
#include "write/json.h"
#include "write/number.h"
#include "write/style.h"

/* Text. */

static enum ink ink_of(const struct classify_event *e)
{
	switch (e->kind) {
	case CLASSIFY_TERM:
	case CLASSIFY_SCALED:
	case CLASSIFY_SUM:
		return e->confidence > 0.99 ? INK_GOOD : INK_FAIR;
	case CLASSIFY_NOISY:
		return INK_FAIR;
	default:
		return INK_DIM;
	}
}

/* What is to be said beside the class. */
static void add_remark(struct strbuf *sb, const struct classification *c,
		       size_t i)
{
	const struct classify_event *e = &c->events[i];
	size_t same = 0;

	if (e->kind < CLASSIFY_NOISY || e->kind == CLASSIFY_UNKNOWN)
		strbuf_add(sb, classify_words(e));
	if (e->kind == CLASSIFY_NOISY)
		strbuf_addf(sb, "varies by %.0f %%", 100 * e->noise);
	if (e->kind == CLASSIFY_SCALED || e->kind == CLASSIFY_SUM) {
		char *formula = classify_formula(c, e);

		strbuf_addf(sb, "= %s", formula ? formula : "?");
		free(formula);
	}
	for (size_t k = 0; k < e->n_also; k++)
		strbuf_addf(sb, "%s%s",
			    k              ? ", "
			    : e->of_events ? "; this may be "
					   : "or ",
			    classify_term_name(e->also[k]));
	for (size_t k = 0; k < c->n; k++) {
		if (!classify_are_equal(c, i, k))
			continue;
		if (++same <= 3)
			strbuf_addf(sb, "%s%s",
				    same > 1  ? ", "
				    : sb->len ? "; same as "
					      : "same as ",
				    c->events[k].name);
	}
	if (same > 3)
		strbuf_addf(sb, " and %zu more", same - 3);
}

/* Of the names; few are longer than what leaves room for the rest. */
#define WIDEST 50

static size_t widest(const struct classification *c)
{
	size_t width = 5;

	for (size_t i = 0; i < c->n; i++)
		if (strlen(c->events[i].name) > width)
			width = strlen(c->events[i].name);
	return width < WIDEST ? width : WIDEST;
}

static void put_row(const struct classification *c, size_t i, int width,
		    const struct report_style *style, FILE *to)
{
	const struct classify_event *e = &c->events[i];
	bool known = classify_is_known(e);
	struct strbuf remark = { 0 };
	bool beside;

	add_remark(&remark, c, i);
	beside = (size_t)width + 29 + style_columns(strbuf_text(&remark)) <=
		 style->width;
	fprintf(to, "%-*s  %s%-*s%s", width, e->name,
		style_on(style, ink_of(e)), known || beside ? 18 : 0,
		classify_class(e), style_off(style));
	if (known)
		fprintf(to, " %6.4f", e->confidence);
	else if (beside && remark.len)
		fprintf(to, " %6s", "");
	/* beside the row if there is room for it, else below */
	if (remark.len)
		fputs(beside ? "  " : "\n    ", to);
	style_wrap(style, strbuf_text(&remark), beside ? (size_t)width + 29 : 4,
		   4, to);
	strbuf_fini(&remark);
}

static size_t count_kind(const struct classification *c,
			 enum classify_kind kind)
{
	size_t n = 0;

	for (size_t i = 0; i < c->n; i++)
		n += c->events[i].kind == kind;
	return n;
}

static void add_kinds(struct strbuf *sb, const struct classification *c)
{
	strbuf_addf(sb,
		    "%zu events: %zu of one kind, %zu multiples, %zu sums, "
		    "%zu noisy, %zu that never counted, %zu that no kernel "
		    "stirs, %zu unclassified",
		    c->n, count_kind(c, CLASSIFY_TERM),
		    count_kind(c, CLASSIFY_SCALED), count_kind(c, CLASSIFY_SUM),
		    count_kind(c, CLASSIFY_NOISY), count_kind(c, CLASSIFY_DEAD),
		    count_kind(c, CLASSIFY_UNSTIRRED),
		    count_kind(c, CLASSIFY_UNKNOWN));
	if (count_kind(c, CLASSIFY_UNCOUNTED))
		strbuf_addf(sb, ", %zu that could not be counted",
			    count_kind(c, CLASSIFY_UNCOUNTED));
}

static void add_experiment(struct strbuf *sb, const struct classification *c)
{
	strbuf_addf(sb, "%zu kernels with their parameters",
		    c->plan->n_benches);
	if (c->missing)
		strbuf_addf(sb, ", %zu of which did not run", c->missing);
	strbuf_addf(sb, "; %zu runs in %u sets of events", c->runs, c->sets);
	if (c->counters)
		strbuf_addf(sb, " on %u counters", c->counters);
	if (c->resumed)
		strbuf_addf(sb,
			    " (%zu of %zu kernel lengths were in the "
			    "journal)",
			    c->resumed, c->plan->n_units);
}

static void put_summary(const struct classified *d,
			const struct report_style *style, FILE *to)
{
	const struct classification *c = d->c;
	struct strbuf sb = { 0 };

	style_heading(style, "summary", to);
	add_kinds(&sb, c);
	style_wrap(style, strbuf_text(&sb), 0, 2, to);
	strbuf_fini(&sb);
	add_experiment(&sb, c);
	style_wrap(style, strbuf_text(&sb), 0, 2, to);
	strbuf_fini(&sb);
	if (c->rank)
		fprintf(to, "of the events %zu are independent\n", c->rank);
	if (c->cut_short)
		fputs("The budget ended before the last kernel; with --journal "
		      "the same command goes on.\n",
		      to);
}

static size_t widest_gone(const struct classify_presets *p)
{
	size_t width = 0;

	for (size_t i = 0; i < p->n; i++)
		if (classify_is_unavailable(&p->items[i]) &&
		    strlen(p->items[i].name) > width)
			width = strlen(p->items[i].name);
	return width;
}

static void put_gone(const struct classify_preset *preset, size_t width,
		     const struct report_style *style, FILE *to)
{
	struct strbuf sb = { 0 };

	strbuf_add(&sb, classify_term_text(preset->term));
	if (!isnan(preset->residual))
		strbuf_addf(&sb, " (%.0f %% out of reach)",
			    100 * preset->residual);
	fprintf(to, "%-*s  ", (int)width, preset->name);
	style_wrap(style, strbuf_text(&sb), width + 2, width + 2, to);
	strbuf_fini(&sb);
}

static void put_unavailable(const struct classify_presets *p,
			    const struct report_style *style, FILE *to)
{
	size_t width = widest_gone(p);

	if (width == 0)
		return;
	style_heading(style, "what no event counts", to);
	for (size_t i = 0; i < p->n; i++)
		if (classify_is_unavailable(&p->items[i]))
			put_gone(&p->items[i], width, style, to);
}

int classify_write_text(const void *what, const struct report_style *style,
			FILE *to)
{
	const struct classified *d = what;
	int width = (int)widest(d->c);

	fprintf(to, "%s%-*s  %-18s %6s%s\n", style_on(style, INK_HEADING),
		width, "event", "counts", "sure", style_off(style));
	for (size_t i = 0; i < d->c->n; i++)
		put_row(d->c, i, width, style, to);
	put_unavailable(d->presets, style, to);
	put_summary(d, style, to);
	return ferror(to) ? PAPI_ESYS : 0;
}

/* JSON. */

static void put_slopes(struct json *j, const struct classification *c, size_t i)
{
	size_t benches = c->plan->n_benches;

	json_row(j, "signature");
	for (size_t b = 0; b < benches; b++)
		json_number(j, c->plan->benches[b].name,
			    c->slope[i * benches + b]);
	json_end_object(j);
}

static void put_errors(struct json *j, const struct classification *c, size_t i)
{
	size_t benches = c->plan->n_benches;

	json_row(j, "errors");
	for (size_t b = 0; b < benches; b++)
		if (c->error[i * benches + b] > 1e-9)
			json_number(j, c->plan->benches[b].name,
				    c->error[i * benches + b]);
	json_end_object(j);
}

/* How well lines fit: of kernels in which the event grows and they do not. */
static void put_fits(struct json *j, const struct classification *c, size_t i)
{
	size_t benches = c->plan->n_benches;

	json_row(j, "r2");
	for (size_t b = 0; b < benches; b++) {
		const struct slope *s = &c->slopes[i * benches + b];

		if (s->r2 < 0.999 && fabs(s->slope) > 0.01)
			json_number(j, c->plan->benches[b].name, s->r2);
	}
	json_end_object(j);
}

static void put_formula(struct json *j, const struct classification *c,
			const struct classify_event *e)
{
	char *formula = classify_is_known(e) ? classify_formula(c, e) : NULL;

	json_string(j, "formula", formula);
	free(formula);
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
		json_list(j, "levels");
		for (size_t l = 0; l < steps[k].n; l++)
			json_number(j, NULL, steps[k].level[l]);
		json_end_array(j);
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

static void put_event(struct json *j, const struct classification *c, size_t i)
{
	const struct classify_event *e = &c->events[i];

	json_object(j, NULL);
	classify_put_class(j, e);
	json_number(j, "confidence",
		    classify_is_known(e) ? e->confidence : NAN);
	json_number(j, "p_value", classify_is_known(e) ? e->p_value : NAN);
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
	put_slopes(j, c, i);
	put_errors(j, c, i);
	put_fits(j, c, i);
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
	json_end_object(j);
}

/* What classes there are, and which of them some kernel makes count. */
static void put_class(struct json *j, const struct classification *c, size_t t)
{
	json_row(j, NULL);
	json_string(j, "name", classify_term_name(t));
	json_string(j, "description", classify_term_text(t));
	json_bool(j, "stirred", !c->terms.barred[t]);
	json_row(j, "sum_of");
	for (size_t i = 0; t >= CONCEPT_COUNT && i < COMPOSITE_TERMS; i++) {
		const struct composite *sum = &composites[t - CONCEPT_COUNT];

		if (sum->terms[i].weight == 0)
			break;
		json_number(j, concepts[sum->terms[i].concept].name,
			    sum->terms[i].weight);
	}
	json_end_object(j);
	json_end_object(j);
}

int classify_write_json(const void *what, const struct report_style *style,
			FILE *to)
{
	const struct classified *d = what;
	const struct classification *c = d->c;
	struct json j;

	(void)style;
	json_init(&j, to);
	json_object(&j, NULL);
	json_unsigned(&j, "assay", 1);
	json_row(&j, "pmu");
	json_string(&j, "kind", d->pmu);
	json_string(&j, "model", d->model[0] ? d->model : NULL);
	json_unsigned(&j, "counters", c->counters);
	json_bool(&j, "blind", d->blind);
	json_end_object(&j);
	json_row(&j, "experiment");
	json_unsigned(&j, "units", c->plan->n_units);
	json_unsigned(&j, "kernels", c->plan->n_benches);
	json_unsigned(&j, "sets", c->sets);
	json_unsigned(&j, "repeats", c->repeats);
	json_unsigned(&j, "runs", c->runs);
	json_bool(&j, "complete", !c->cut_short);
	json_end_object(&j);
	json_array(&j, "events");
	for (size_t i = 0; i < c->n; i++)
		put_event(&j, c, i);
	json_end_array(&j);
	json_list(&j, "unavailable_classes");
	for (size_t i = 0; i < d->presets->n; i++)
		if (classify_is_unavailable(&d->presets->items[i]))
			json_string(&j, NULL, d->presets->items[i].name);
	json_end_array(&j);
	json_number(&j, "rank", c->rank ? (double)c->rank : NAN);
	json_array(&j, "classes");
	for (size_t i = 0; i < c->terms.n; i++)
		put_class(&j, c, i);
	json_end_array(&j);
	json_array(&j, "presets");
	for (size_t i = 0; i < d->presets->n; i++)
		put_preset(&j, c, &d->presets->items[i]);
	json_end_array(&j);
	json_end_object(&j);
	return json_finish(&j);
}

/* CSV: an event a line, its slopes in columns of their own. */

static void put_field(const char *text, FILE *to)
{
	if (!strpbrk(text, ",\"\n")) {
		fputs(text, to);
		return;
	}
	fputc('"', to);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', to);
		fputc(*text, to);
	}
	fputc('"', to);
}

static void put_number(double value, FILE *to)
{
	char text[NUMBER_ROOM];

	fprintf(to, ",%s", isnan(value) ? "" : number_exact(text, value));
}

int classify_write_csv(const void *what, const struct report_style *style,
		       FILE *to)
{
	const struct classified *d = what;
	const struct classification *c = d->c;
	size_t benches = c->plan->n_benches;

	(void)style;
	fputs("event,class,confidence,formula,noise", to);
	for (size_t b = 0; b < benches; b++) {
		fputc(',', to);
		put_field(c->plan->benches[b].name, to);
	}
	fputc('\n', to);
	for (size_t i = 0; i < c->n; i++) {
		const struct classify_event *e = &c->events[i];
		char *formula =
			classify_is_known(e) ? classify_formula(c, e) : NULL;

		put_field(e->name, to);
		fprintf(to, ",%s", classify_class(e));
		put_number(classify_is_known(e) ? e->confidence : NAN, to);
		fputc(',', to);
		put_field(formula ? formula : "", to);
		free(formula);
		put_number(e->noise, to);
		for (size_t b = 0; b < benches; b++)
			put_number(c->slope[i * benches + b], to);
		fputc('\n', to);
	}
	return ferror(to) ? PAPI_ESYS : 0;
}
