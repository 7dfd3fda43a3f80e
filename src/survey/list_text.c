/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A listing for people: what can be counted, by where it is counted; what
 * cannot, by reason.
 */

#include <string.h>

#include "base/err.h"
#include "base/strbuf.h"
#include "survey/survey.h"
#include "write/style.h"

struct table {
	const struct list_view *view;
	const struct report_style *style;
	FILE *to;
};

#define WIDEST_NAME 36 /* longer names push their description away */

static const char *class_name(const struct listing *l,
			      const struct listed_event *e)
{
	if (e->class == CLASS_PRESET)
		return "presets";
	return e->class == CLASS_METRIC ? "metrics"
					: l->components[e->component].name;
}

static bool same_class(const struct listed_event *a,
		       const struct listed_event *b)
{
	return a->class == b->class && a->component == b->component;
}

/* What cannot be counted has an x before it; why follows below them all. */
static void put_event(const struct table *t, const struct listed_event *e,
		      size_t width)
{
	const char *text = t->style->verbose ? e->text : e->brief;
	size_t name = style_columns(e->name);

	fputs(e->available ? "  " : style_on(t->style, INK_DIM), t->to);
	fputs(e->available ? "" : "x ", t->to);
	fputs(e->name, t->to);
	if (!*text) {
		putc('\n', t->to);
	} else {
		if (name > width) {
			fputs("\n  ", t->to);
			name = 0;
		}
		style_blanks(width - name + 2, t->to);
		style_wrap(t->style, text, 4 + width, 4 + width, t->to);
	}
	if (!e->available)
		fputs(style_off(t->style), t->to);
}

/* One past the last event that belongs with event @first. */
static size_t class_end(const struct listing *l, size_t first)
{
	size_t end = first;

	while (end < l->n_events &&
	       same_class(&l->events[first], &l->events[end]))
		end++;
	return end;
}

static size_t name_width(const struct table *t, size_t first, size_t end)
{
	const struct listing *l = t->view->listing;
	size_t width = 0;

	for (size_t i = first; i < end; i++) {
		size_t n = style_columns(l->events[i].name);

		if ((t->view->all || l->events[i].available) && n > width)
			width = n;
	}
	return width > WIDEST_NAME ? WIDEST_NAME : width;
}

static size_t count_with_reason(const struct listing *l, size_t first,
				size_t end, const char *reason)
{
	size_t n = 0;

	for (size_t i = first; i < end; i++) {
		const char *why = l->events[i].reason;

		n += why && strcmp(why, reason) == 0;
	}
	return n;
}

static void put_dim(const struct table *t, const char *text)
{
	fprintf(t->to, "  %s", style_on(t->style, INK_DIM));
	style_wrap(t->style, text, 2, 4, t->to);
	fputs(style_off(t->style), t->to);
}

/* "96 cannot be counted here: REASON", a line for each reason. */
static void put_missing(const struct table *t, size_t first, size_t end)
{
	const struct listing *l = t->view->listing;

	for (size_t i = first; i < end; i++) {
		const char *why = l->events[i].reason;
		STRBUF(text);

		if (!why || count_with_reason(l, first, i, why))
			continue;
		strbuf_addf(&text, "%zu cannot be counted here: %s",
			    count_with_reason(l, i, end, why), why);
		put_dim(t, strbuf_text(&text));
	}
}

/* The events of @e's component that are not even listed. */
static void put_left_out(const struct table *t, const struct listed_event *e)
{
	const char *why =
		e->class == CLASS_NATIVE
			? t->view->listing->components[e->component].left_out
			: NULL;
	STRBUF(text);

	if (!why)
		return;
	strbuf_addf(&text,
		    "events of PMUs that are not there (-a lists them) cannot "
		    "be counted: %s",
		    why);
	put_dim(t, strbuf_text(&text));
}

static void put_class(const struct table *t, size_t first, size_t end)
{
	const struct listing *l = t->view->listing;
	size_t width = name_width(t, first, end);
	STRBUF(title);
	bool simulated = false;
	size_t works = 0;

	for (size_t i = first; i < end; i++) {
		works += l->events[i].available;
		simulated |= l->events[i].simulated;
	}
	strbuf_addf(&title, "%s: %zu of %zu can be counted here%s",
		    class_name(l, &l->events[first]), works, end - first,
		    simulated ? ", on the simulated PMU" : "");
	style_heading(t->style, strbuf_text(&title), t->to);
	for (size_t i = first; i < end; i++)
		if (t->view->all || l->events[i].available)
			put_event(t, &l->events[i], width);
	put_missing(t, first, end);
	put_left_out(t, &l->events[first]);
}

static void put_components(const struct table *t)
{
	const struct listing *l = t->view->listing;

	style_heading(t->style, "components", t->to);
	for (size_t i = 0; i < l->n_components; i++) {
		const struct listed_component *c = &l->components[i];
		STRBUF(text);

		if (c->available)
			strbuf_addf(&text, "%s; %d events", c->text, c->events);
		else
			strbuf_addf(&text, "disabled: %s", c->reason);
		fprintf(t->to, "  %-16s  ", c->name);
		style_wrap(t->style, strbuf_text(&text), 20, 20, t->to);
	}
}

int list_write_text(const void *what, const struct report_style *style,
		    FILE *to)
{
	struct table t = { what, style, to };
	const struct listing *l = t.view->listing;

	for (size_t i = 0; t.view->events && i < l->n_events;) {
		size_t end = class_end(l, i);

		put_class(&t, i, end);
		i = end;
	}
	if (t.view->components)
		put_components(&t);
	return fflush(to) || ferror(to) ? PAPI_ESYS : 0;
}
