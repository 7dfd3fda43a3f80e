/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A classification as a table for people; with -v, below each event why it got
 * its class and what came second. Programs read json.c's.
 */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/strbuf.h"
#include "classify/inside.h"
#include "write/style.h"

static enum ink ink_of(const struct classify_event *e)
{
	switch (e->kind) {
	case CLASSIFY_TERM:
	case CLASSIFY_SCALED:
	case CLASSIFY_SUM:
		return e->confidence > CLASSIFY_CERTAIN ? INK_GOOD : INK_FAIR;
	case CLASSIFY_NOISY:
		return INK_FAIR;
	default:
		return INK_DIM;
	}
}

/* What is to be said beside the class. */
static void add_remark(struct strbuf *sb, const struct classification *c,
		       size_t i, const struct report_style *style)
{
	const struct classify_event *e = &c->events[i];
	size_t same = 0;

	if (e->kind < CLASSIFY_NOISY || e->kind == CLASSIFY_UNKNOWN)
		strbuf_add(sb, classify_words(e));
	if (e->kind == CLASSIFY_NOISY)
		strbuf_addf(sb, "varies by %.0f %%", 100 * e->noise);
	if (e->by == BY_SCALE) { /* with what two errors are */
		strbuf_addf(sb, "= %s x %g %s %.1g",
			    classify_term_name(e->formula.term[0]),
			    e->formula.factor[0],
			    style_sign(style, SIGN_PLUS_MINUS),
			    2 * e->formula.error[0]);
	} else if (e->kind == CLASSIFY_SCALED || e->kind == CLASSIFY_SUM) {
		OWNED char *formula = classify_formula(c, e);

		strbuf_addf(sb, "= %s", formula ? formula : "?");
	}
	if (isfinite(e->full))
		strbuf_addf(sb, "%sno further than %.0f", sb->len ? "; " : "",
			    e->full);
	if (e->shared)
		strbuf_addf(sb, "%salso of other threads", sb->len ? "; " : "");
	if (e->deaf > 0)
		strbuf_addf(sb, "%snothing below %.0f", sb->len ? "; " : "",
			    e->deaf);
	for (size_t k = 0; k < e->n_also; k++)
		strbuf_addf(sb, "%s%s",
			    k              ? ", "
			    : e->of_events ? "; this may be "
			    : sb->len      ? "; or "
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

/* Where remarks start, behind the name. */
#define BESIDE 32

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

/* "3 BR_COND by formula of concepts" */
static void add_candidate(struct strbuf *sb, const struct classification *c,
			  const struct classify_candidate *x)
{
	classify_add_formula(sb, c, &x->formula, x->of_events, 0);
	strbuf_addf(sb, " by %s", classify_by_name(x->by));
}

static void put_line(const struct report_style *style, const char *text,
		     FILE *to)
{
	fputs("    ", to);
	style_wrap(style, text, 4, 6, to);
}

/* "score -33.8 (odds -13.8, name 20.0, objection -40.0)" */
static void add_score(struct strbuf *sb, const struct classify_candidate *x)
{
	double name = classify_prior(x->by);
	double objection = x->objection ? SCORE_OBJECTION : 0;

	strbuf_addf(sb, ", score %.1f (odds %.1f", x->score,
		    x->score - name + objection);
	if (name > 0)
		strbuf_addf(sb, ", name %.1f", name);
	if (objection > 0)
		strbuf_addf(sb, ", objection -%.1f", objection);
	strbuf_add(sb, ")");
}

/* ", 67.6 behind; its counts are e^214 times less likely" */
static void add_distance(struct strbuf *sb, const struct classify_candidate *x,
			 const struct classify_candidate *first)
{
	double less = first->likelihood - x->likelihood;

	strbuf_addf(sb, ", %.1f behind; its counts are ",
		    first->score - x->score);
	if (fabs(less) < 0.5) /* shown as e^0 */
		strbuf_add(sb, "as likely");
	else
		strbuf_addf(sb, "e^%.0f times %s likely", fabs(less),
			    less < 0 ? "more" : "less");
}

/* Which explanation won, by how much, and what came second. */
static void put_why(const struct classification *c,
		    const struct classify_event *e,
		    const struct report_style *style, FILE *to)
{
	bool known = classify_is_known(e);
	const struct classify_candidate *first = e->candidates;
	const struct classify_candidate *x = known ? first + 1 : first;
	STRBUF(sb);

	strbuf_addf(&sb, "decided by %s", classify_by_name(e->by));
	if (known) {
		strbuf_addf(&sb, ", confidence %.4f", e->confidence);
		add_score(&sb, first);
	}
	if (known && first->objection)
		strbuf_addf(&sb, ", although: %s", first->objection);
	put_line(style, strbuf_text(&sb), to);
	strbuf_cut(&sb, 0);
	if (x < first + e->n_candidates) {
		strbuf_add(&sb, known ? "second: " : "nearest: ");
		add_candidate(&sb, c, x);
		if (known) {
			add_score(&sb, x);
			add_distance(&sb, x, first);
		}
		if (x->objection)
			strbuf_addf(&sb, "; objection: %s", x->objection);
		put_line(style, strbuf_text(&sb), to);
	} else if (known) {
		put_line(style, "second: none was found", to);
	}
}

static void put_row(const struct classification *c, size_t i, int width,
		    const struct report_style *style, FILE *to)
{
	const struct classify_event *e = &c->events[i];
	bool known = classify_is_known(e);
	STRBUF(remark);
	bool beside;

	add_remark(&remark, c, i, style);
	beside = (size_t)width + BESIDE + style_columns(strbuf_text(&remark)) <=
		 style->width;
	fprintf(to, "%-*s  %s%-*s%s", width, e->name,
		style_on(style, ink_of(e)), known || beside ? 18 : 0,
		classify_class(e), style_off(style));
	if (known)
		fprintf(to, " %-*s", beside && remark.len ? 9 : 0,
			classify_certainty(e));
	else if (beside && remark.len)
		fprintf(to, " %9s", "");
	/* beside the row if there is room for it, else below */
	if (remark.len)
		fputs(beside ? "  " : "\n    ", to);
	style_wrap(style, strbuf_text(&remark),
		   beside ? (size_t)width + BESIDE : 4, 4, to);
	if (style->verbose)
		put_why(c, e, style, to);
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
		    "exercises, %zu unclassified",
		    c->n, count_kind(c, CLASSIFY_TERM),
		    count_kind(c, CLASSIFY_SCALED), count_kind(c, CLASSIFY_SUM),
		    count_kind(c, CLASSIFY_NOISY), count_kind(c, CLASSIFY_DEAD),
		    count_kind(c, CLASSIFY_NOT_EXERCISED),
		    count_kind(c, CLASSIFY_UNKNOWN));
	if (count_kind(c, CLASSIFY_NOT_COUNTED))
		strbuf_addf(sb, ", %zu that could not be counted",
			    count_kind(c, CLASSIFY_NOT_COUNTED));
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
	STRBUF(sb);

	style_heading(style, "summary", to);
	add_kinds(&sb, c);
	style_wrap(style, strbuf_text(&sb), 0, 2, to);
	strbuf_cut(&sb, 0);
	add_experiment(&sb, c);
	style_wrap(style, strbuf_text(&sb), 0, 2, to);
	if (c->rank)
		fprintf(to, "%zu of the events are independent\n", c->rank);
	if (c->cut_short)
		fputs("The time budget ended before the last kernel; with "
		      "--journal the same command resumes.\n",
		      to);
}

/* Of events chosen by hand these may be all the others: no more are named. */
#define MOST_NAMED 24

/* Whether not even half of it can be expressed: a share that says nothing. */
static bool is_out_of_reach(const struct classify_preset *preset)
{
	return !(preset->residual < 0.5);
}

static size_t widest_gone(const struct classify_presets *p)
{
	size_t width = 0;

	for (size_t i = 0; i < p->n; i++)
		if (classify_is_unavailable(&p->items[i]) &&
		    !is_out_of_reach(&p->items[i]) &&
		    strlen(p->items[i].name) > width)
			width = strlen(p->items[i].name);
	return width;
}

static void put_gone(const struct classify_preset *preset, size_t width,
		     const struct report_style *style, FILE *to)
{
	STRBUF(sb);

	strbuf_addf(&sb, "%s (%.0f %% not expressible)",
		    classify_term_text(preset->term), 100 * preset->residual);
	fprintf(to, "%-*s  ", (int)width, preset->name);
	style_wrap(style, strbuf_text(&sb), width + 2, width + 2, to);
}

/* Those of which these events say next to nothing, by name alone. */
static void put_out_of_reach(const struct classify_presets *p,
			     const struct report_style *style, FILE *to)
{
	STRBUF(sb);
	size_t n = 0;

	for (size_t i = 0; i < p->n; i++)
		if (classify_is_unavailable(&p->items[i]) &&
		    is_out_of_reach(&p->items[i]) && n++ < MOST_NAMED)
			strbuf_addf(&sb, "%s%s",
				    n > 1 ? ", " : "hardly or not at all: ",
				    p->items[i].name);
	if (n > MOST_NAMED)
		strbuf_addf(&sb, ", and %zu more (JSON has all)",
			    n - MOST_NAMED);
	if (n)
		style_wrap(style, strbuf_text(&sb), 0, 2, to);
}

static void put_unavailable(const struct classify_presets *p,
			    const struct report_style *style, FILE *to)
{
	size_t width = widest_gone(p), n = 0;

	for (size_t i = 0; i < p->n; i++)
		n += classify_is_unavailable(&p->items[i]);
	if (n == 0)
		return;
	style_heading(style, "what none of these events counts", to);
	for (size_t i = 0; i < p->n; i++)
		if (classify_is_unavailable(&p->items[i]) &&
		    !is_out_of_reach(&p->items[i]))
			put_gone(&p->items[i], width, style, to);
	put_out_of_reach(p, style, to);
}

static void put_claims(const struct classified *d,
		       const struct report_style *style, FILE *to)
{
	if (!d->claims || d->claims->n == 0)
		return;
	style_heading(style, "claims", to);
	for (size_t i = 0; i < d->claims->n; i++) {
		const struct classify_claim *claim = &d->claims->items[i];
		STRBUF(sb);

		strbuf_addf(&sb, "%s=%s %s: %s", claim->event,
			    classify_term_name(claim->term),
			    classify_claim_word(claim), claim->why);
		style_wrap(style, strbuf_text(&sb), 0, 4, to);
	}
}

int classify_write_text(const void *what, const struct report_style *style,
			FILE *to)
{
	const struct classified *d = what;
	int width = (int)widest(d->c);

	fprintf(to, "%s%-*s  %-18s %s%s\n", style_on(style, INK_HEADING), width,
		"event", "counts", "certainty", style_off(style));
	for (size_t i = 0; i < d->c->n; i++)
		put_row(d->c, i, width, style, to);
	put_claims(d, style, to);
	put_unavailable(d->presets, style, to);
	put_summary(d, style, to);
	return ferror(to) ? PAPI_ESYS : 0;
}
