/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counters and metrics as text: a line each, and those without a value below,
 * together with the reason that they share.
 */

#include <math.h>
#include <string.h>

#include "base/array.h"
#include "base/strbuf.h"
#include "report/text_page.h"
#include "write/number.h"

/* Sign, name and remark behind a number; the name column is @width wide. */
struct line {
	const char *number;
	const char *unit;
	bool simulated;
	bool scaled;
	const char *name;
	size_t width;
	const char *remark;
};

/* As much of @text as fits into @columns columns, with a sign for the rest. */
static void put_cut(const struct page *p, const char *text, size_t columns)
{
	size_t column = 0;

	if (style_columns(text) <= columns) {
		fputs(text, p->to);
		return;
	}
	for (; *text && columns > 2; text++) {
		if (((unsigned char)*text & 0xc0) != 0x80 &&
		    ++column + 2 > columns)
			break;
		putc(*text, p->to);
	}
	fputs(style_sign(p->style, SIGN_ELLIPSIS), p->to);
}

static void put_line(const struct page *p, const struct line *l)
{
	STRBUF(number);
	size_t used;
	size_t name = style_columns(l->name);

	strbuf_add(&number, l->number);
	if (*l->unit)
		strbuf_addf(&number, " %s", l->unit);
	used = style_columns(strbuf_text(&number));
	put_spaces(p, used < NUMBER_COLUMNS ? NUMBER_COLUMNS - used : 0);
	used = used < NUMBER_COLUMNS ? NUMBER_COLUMNS : used;
	fprintf(p->to, "%s%s%s %c%c %s", on(p, INK_BOLD), strbuf_text(&number),
		off(p), l->simulated ? '*' : ' ', l->scaled ? '~' : ' ',
		l->name);
	used += 4 + name;
	if (*l->remark && name < l->width) {
		put_spaces(p, l->width - name);
		used += l->width - name;
	}
	if (*l->remark && used + 12 < p->style->width) {
		fprintf(p->to, "  %s", on(p, INK_DIM));
		put_cut(p, l->remark, p->style->width - used - 2);
		fputs(off(p), p->to);
	}
	putc('\n', p->to);
}

double text_seconds_in(const char *unit)
{
	static const struct {
		const char *unit;
		double seconds;
	} times[] = {
		{ "s", 1 },
		{ "ms", 1e-3 },
		{ "us", 1e-6 },
		{ "ns", 1e-9 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(times); i++)
		if (strcmp(times[i].unit, unit) == 0)
			return times[i].seconds;
	return 0;
}

/* @value of event @e, without its unit. */
static const char *event_number(const struct report_event *e, long double value,
				char *text)
{
	double time = text_seconds_in(e->unit);

	if (time > 0)
		return number_seconds(text, (double)value * time);
	/* Joules and the like come in parts */
	return value == floorl(value) ? number_count(text, value)
				      : number_short(text, (double)value);
}

/* Whether all of the time was seen, but not all of the program. */
static bool is_sampled(const struct report_event *e)
{
	return e->running_ns >= e->enabled_ns;
}

/* Of which part of the time it is known. */
static void put_share(const struct report_event *e, struct strbuf *out)
{
	if (!is_sampled(e))
		strbuf_addf(out, "counted %.0f %% of the time",
			    100 * (double)e->running_ns /
				    (double)e->enabled_ns);
	else
		strbuf_add(out, "estimated from samples");
}

/* Of samples: what 95 of 100 estimates are within, two standard errors. */
static void put_error(const struct page *p, const struct report_event *e,
		      struct strbuf *out)
{
	const char *pm = style_sign(p->style, SIGN_PLUS_MINUS);
	double error = is_sampled(e) ? 2 * e->error : e->error;
	char text[NUMBER_CAPACITY];

	if (!(error > 0))
		return;
	if (e->number.value > error)
		strbuf_addf(out, ", %s %.2g %%", pm,
			    100 * error / (double)e->number.value);
	else /* a share of next to nothing */
		strbuf_addf(out, ", %s %s", pm,
			    event_number(e, ceil(error), text));
	if (is_sampled(e))
		strbuf_add(out, " (95 %)");
}

/* What stands behind an event's name: its spread, else its quality or text. */
static void event_remark(const struct page *p, const struct report_event *e,
			 struct strbuf *out)
{
	const struct report_number *n = &e->number;
	const char *pm = style_sign(p->style, SIGN_PLUS_MINUS);
	char low[NUMBER_CAPACITY], high[NUMBER_CAPACITY];

	if (!isnan(n->stddev) && n->value != 0)
		strbuf_addf(out, "%s %.2g %%  (%s %s %s)%s", pm,
			    100 * n->stddev / fabs((double)n->value),
			    event_number(e, n->min, low),
			    style_sign(p->style, SIGN_ELLIPSIS),
			    event_number(e, n->max, high),
			    e->quality == REPORT_SCALED ? "  " : "");
	if (e->quality == REPORT_SCALED && e->enabled_ns > 0) {
		put_share(e, out);
		put_error(p, e, out);
	} else if (isnan(n->stddev)) {
		strbuf_add(out, e->text);
	}
}

static void put_event(const struct page *p, const struct report_event *e,
		      size_t width)
{
	STRBUF(remark);
	char number[NUMBER_CAPACITY];
	struct line line = {
		.number = event_number(e, e->number.value, number),
		.unit = text_seconds_in(e->unit) > 0 ? "" : e->unit,
		.simulated = e->simulated,
		.scaled = e->quality == REPORT_SCALED,
		.name = e->name,
		.width = width,
	};

	event_remark(p, e, &remark);
	line.remark = strbuf_text(&remark);
	put_line(p, &line);
}

/* Names that lack a value for the same reason, on one line with it. */
struct absent {
	const char *name;
	const char *reason;
};

static struct absent absent_event(const struct report *r, size_t i)
{
	const struct report_event *e = &r->events[i];
	bool none = e->quality == REPORT_NONE;

	return (struct absent){ e->name, none ? e->reason : NULL };
}

static struct absent absent_metric(const struct report *r, size_t i)
{
	const struct report_metric *m = &r->metrics[i];
	bool none = isnan(m->number.value);

	return (struct absent){ m->name, none ? m->reason : NULL };
}

static bool seen_before(const struct report *r, size_t i, const char *reason,
			struct absent (*get)(const struct report *, size_t))
{
	for (size_t k = 0; k < i; k++) {
		struct absent a = get(r, k);

		if (a.reason && strcmp(a.reason, reason) == 0)
			return true;
	}
	return false;
}

static void put_absent(const struct page *p, size_t n,
		       struct absent (*get)(const struct report *, size_t))
{
	for (size_t i = 0; i < n; i++) {
		struct absent first = get(p->r, i);
		STRBUF(names);

		if (!first.reason || seen_before(p->r, i, first.reason, get))
			continue;
		strbuf_add(&names, "no value: ");
		for (size_t k = i; k < n; k++) {
			struct absent a = get(p->r, k);

			if (a.reason && strcmp(a.reason, first.reason) == 0)
				strbuf_addf(&names, "%s%s", k > i ? ", " : "",
					    a.name);
		}
		fputs(on(p, INK_FAIR), p->to);
		put_spaces(p, 2);
		style_wrap(p->style, strbuf_text(&names), 2, 12, p->to);
		fputs(off(p), p->to);
		put_spaces(p, 12);
		style_wrap(p->style, first.reason, 12, 12, p->to);
	}
}

static size_t widest(size_t a, const char *name)
{
	size_t b = style_columns(name);

	return b > a ? b : a;
}

void text_put_events(const struct page *p)
{
	const struct report *r = p->r;
	size_t width = 0;

	if (r->n_events == 0)
		return;
	for (size_t i = 0; i < r->n_events; i++)
		width = widest(width, r->events[i].name);
	style_heading(p->style, "counters", p->to);
	for (size_t i = 0; i < r->n_events; i++)
		if (r->events[i].quality != REPORT_NONE)
			put_event(p, &r->events[i], width);
	put_absent(p, r->n_events, absent_event);
}

static enum ink verdict_ink(enum report_verdict verdict)
{
	static const enum ink inks[] = {
		[REPORT_NO_VERDICT] = INK_PLAIN,
		[REPORT_GOOD] = INK_GOOD,
		[REPORT_FAIR] = INK_FAIR,
		[REPORT_POOR] = INK_POOR,
	};

	return inks[verdict];
}

#define VERDICT_COLUMNS 4 /* "good", "fair", "poor" */

static const char *metric_name(const struct report_metric *m)
{
	return *m->text ? m->text : m->name;
}

static void put_verdict(const struct page *p, const struct report_metric *m,
			size_t width)
{
	const char *verdict = report_verdict_name(m->verdict);

	if (!verdict)
		return;
	put_spaces(p, width - style_columns(metric_name(m)) + 2);
	fprintf(p->to, "%s%-*s%s", on(p, verdict_ink(m->verdict)),
		VERDICT_COLUMNS, verdict, off(p));
	if (m->goal)
		fprintf(p->to, "  %swant %s%s", on(p, INK_DIM), m->goal,
			off(p));
}

static void put_metric(const struct page *p, const struct report_metric *m,
		       size_t width)
{
	const struct report_number *n = &m->number;
	STRBUF(number);
	char text[NUMBER_CAPACITY];

	strbuf_add(&number, number_short(text, (double)n->value));
	if (*m->unit)
		strbuf_addf(&number, " %s", m->unit);
	fprintf(p->to, "%s%*s%s %c%c %s", on(p, INK_BOLD), NUMBER_COLUMNS,
		strbuf_text(&number), off(p), m->simulated ? '*' : ' ',
		m->scaled ? '~' : ' ', metric_name(m));
	put_verdict(p, m, width);
	if (!isnan(n->stddev) && n->value != 0)
		fprintf(p->to, "  %s %.2g %%",
			style_sign(p->style, SIGN_PLUS_MINUS),
			100 * n->stddev / fabs((double)n->value));
	else if (m->error > 0)
		fprintf(p->to, "  %s %s", style_sign(p->style, SIGN_PLUS_MINUS),
			number_short(text, m->error));
	putc('\n', p->to);
}

void text_put_metrics(const struct page *p)
{
	const struct report *r = p->r;
	size_t width = 0;
	bool any = false;

	for (size_t i = 0; i < r->n_metrics; i++) {
		if (isnan(r->metrics[i].number.value))
			continue;
		any = true;
		width = widest(width, metric_name(&r->metrics[i]));
	}
	if (!any && (r->n_metrics == 0 || !p->style->verbose))
		return;
	style_heading(p->style, "metrics", p->to);
	for (size_t i = 0; i < r->n_metrics; i++)
		if (!isnan(r->metrics[i].number.value))
			put_metric(p, &r->metrics[i], width);
	put_absent(p, r->n_metrics, absent_metric);
}
