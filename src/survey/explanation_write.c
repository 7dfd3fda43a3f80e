/* SPDX-License-Identifier: BSD-3-Clause */
/* An explanation, for people and for programs. */

#include <string.h>

#include "base/err.h"
#include "base/strbuf.h"
#include "survey/survey.h"
#include "write/json.h"
#include "write/style.h"

struct sheet {
	const struct report_style *style;
	FILE *to;
};

static void put(const struct sheet *s, const char *topic, enum ink ink,
		const char *text)
{
	if (*text)
		style_topic(s->style, topic, ink, text, s->to);
}

static void put_names(const struct sheet *s, const char *topic,
		      const struct names *names)
{
	STRBUF(text);

	for (size_t i = 0; i < names->n; i++)
		strbuf_addf(&text, "%s%s", i ? ", " : "", names->items[i]);
	put(s, topic, INK_PLAIN, strbuf_text(&text));
}

static bool is_metric(const struct explanation *x)
{
	return strcmp(x->kind, "metric") == 0;
}

static void put_caveats(const struct sheet *s, const struct explanation *x)
{
	const char *topic = "caveats";

	if (*x->note && (!x->reason || !strstr(x->note, x->reason))) {
		put(s, topic, INK_PLAIN, x->note);
		topic = "";
	}
	if (x->natives.n > 1 && !is_metric(x))
		put(s, topic, INK_PLAIN,
		    "it is computed from several events; if they do not all "
		    "count at the same time, it is an estimate");
}

static void put_here(const struct sheet *s, const struct explanation *x)
{
	if (!x->available)
		put(s, "here", INK_POOR, x->reason);
	else if (x->simulated)
		put(s, "here", INK_GOOD,
		    "can be counted on the simulated PMU, but not on this "
		    "machine's (see assay doctor)");
	else
		put(s, "here", INK_GOOD, "can be counted (it was tried)");
}

/* The command that counts it, or the one that says what is missing. */
static void put_next(const struct sheet *s, const struct explanation *x)
{
	STRBUF(text);

	if (!x->available) {
		put(s, "try", INK_PLAIN, "assay doctor");
		return;
	}
	strbuf_add(&text, "assay count -e ");
	if (!is_metric(x))
		strbuf_add(&text, x->name);
	for (size_t i = 0; is_metric(x) && i < x->natives.n; i++)
		strbuf_addf(&text, "%s%s", i ? "," : "", x->natives.items[i]);
	strbuf_add(&text, " ./program");
	put(s, "try", INK_PLAIN, strbuf_text(&text));
}

int explanation_write_text(const void *what, const struct report_style *style,
			   FILE *to)
{
	const struct explanation *x = what;
	struct sheet s = { style, to };

	fprintf(to, "%s%s%s  %s%s%s\n", style_on(style, INK_BOLD), x->name,
		style_off(style), style_on(style, INK_DIM), x->kind,
		style_off(style));
	put(&s, "meaning", INK_PLAIN, x->text);
	put(&s, "unit", INK_PLAIN, x->unit);
	put(&s, "formula", INK_PLAIN, x->formula);
	put(&s, "verdict", INK_PLAIN, x->threshold ? x->threshold : "");
	put_names(&s, is_metric(x) ? "needs" : "counted as", &x->natives);
	put(&s, "component", INK_PLAIN, x->component);
	put(&s, "measured", INK_PLAIN, x->measured ? x->measured : "");
	put(&s, "validation", INK_PLAIN, x->validated ? x->validated : "");
	put_here(&s, x);
	put_names(&s, "also called", &x->same);
	put_names(&s, "part of", &x->within);
	put_caveats(&s, x);
	put_next(&s, x);
	return fflush(to) || ferror(to) ? PAPI_ESYS : 0;
}

static void put_list(struct json *j, const char *name,
		     const struct names *names)
{
	json_strings(j, name, names->items, names->n);
}

static const char *text_or_null(const char *text)
{
	return *text ? text : NULL;
}

int explanation_describe(const void *what, struct json *j)
{
	const struct explanation *x = what;

	json_string(j, "name", x->name);
	json_string(j, "kind", x->kind);
	json_string(j, "description", x->text);
	json_string(j, "unit", x->unit);
	json_string(j, "formula", text_or_null(x->formula));
	json_string(j, "threshold", x->threshold);
	put_list(j, "native", &x->natives);
	json_string(j, "component", text_or_null(x->component));
	json_bool(j, "available", x->available);
	json_string(j, "reason", x->reason);
	put_list(j, "aliases", &x->same);
	put_list(j, "part_of", &x->within);
	json_string(j, "note", text_or_null(x->note));
	json_string(j, "measured", x->measured);
	json_string(j, "validated", x->validated);
	return 0;
}
