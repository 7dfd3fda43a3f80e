/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * perf's metrics (an array of objects with MetricName and MetricExpr) and
 * Intel's (an object with Metrics, whose Formula is over the aliases of their
 * Events and Constants).
 *
 * perf writes an event's modifiers as cpu@EVENT.MASK\,cmask\=1@, where libpfm4
 * has EVENT:MASK:c=1. d_ratio(a, b) is a/b, or 0 where b is 0.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/tree.h"
#include "metric/import.h"

static bool is_in_name(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '.' || c == ':';
}

/* "EVENT.MASK" as libpfm4 has it; names in small letters stay. */
static void put_event(struct strbuf *out, const char *name, size_t n)
{
	bool is_native = false;

	for (size_t i = 0; i < n; i++)
		is_native |= isupper((unsigned char)name[i]) != 0;
	for (size_t i = 0; i < n; i++)
		strbuf_addn(out, is_native && name[i] == '.' ? ":" : &name[i],
			    1);
}

static const struct {
	const char *perf, *pfm;
} modifiers[] = {
	{ "cmask=", "c=" },
	{ "inv", "i=1" },
	{ "edge", "e=1" },
};

/* "cmask=1" as libpfm4 has it; false if it has nothing like it. */
static bool put_modifier(struct strbuf *out, const char *term)
{
	for (size_t i = 0; i < ARRAY_SIZE(modifiers); i++) {
		size_t n = strlen(modifiers[i].perf);
		const char *value = term + n;

		if (strncmp(term, modifiers[i].perf, n) != 0)
			continue;
		if (term[n - 1] != '=') {
			if (*value && strcmp(value, "=1") != 0)
				return false;
			value = "";
		} else if (strncmp(value, "0x", 2) == 0) {
			strbuf_addf(out, ":%s%lu", modifiers[i].pfm,
				    strtoul(value, NULL, 16));
			return true;
		}
		strbuf_addf(out, ":%s%s", modifiers[i].pfm, value);
		return true;
	}
	return false;
}

/* What stands between '@'s: "EVENT.MASK,cmask=1", its backslashes gone. */
static void put_terms(struct strbuf *out, const char *pmu, char *terms)
{
	STRBUF(pfm);
	OWNED char *copy = strdup(terms);
	char *rest = copy;
	char *term = strsep(&rest, ",");
	bool fits = strcmp(pmu, "cpu") == 0 && term && !strchr(term, '=');

	if (fits)
		put_event(&pfm, term, strlen(term));
	while (fits && (term = strsep(&rest, ",")) != NULL)
		fits = put_modifier(&pfm, term);
	if (fits)
		strbuf_addf(out, "\"%s\"", strbuf_text(&pfm));
	else
		strbuf_addf(out, "\"%s/%s/\"", pmu, terms);
}

/* A copy without backslashes; what follows one stands for itself. */
static char *plain(const char *s, size_t n)
{
	char *copy = strndup(s, n);
	char *to = copy;

	for (const char *from = copy; from && *from; from++) {
		if (*from == '\\' && from[1])
			from++;
		*to++ = *from;
	}
	if (copy)
		*to = '\0';
	return copy;
}

static size_t put_name(struct strbuf *out, const char *s)
{
	size_t n = 0, end;
	bool is_escaped = false;
	char *name, *terms;

	while (is_in_name(s[n]) || (s[n] == '\\' && s[n + 1])) {
		is_escaped |= s[n] == '\\';
		n += s[n] == '\\' ? 2 : 1;
	}
	name = plain(s, n);
	if (!name)
		return n;
	end = s[n] == '@' ? n + 1 + strcspn(s + n + 1, "@") : n;
	if (end > n) {
		terms = plain(s + n + 1, end - n - 1);
		if (terms)
			put_terms(out, name, terms);
		free(terms);
		n = s[end] ? end + 1 : end;
	} else if (strcmp(name, "duration_time") == 0) {
		strbuf_add(out, "wall_s");
	} else if (is_escaped) {
		strbuf_addf(out, "\"%s\"", name);
	} else {
		put_event(out, name, strlen(name));
	}
	free(name);
	return n;
}

/* Where the argument at @s ends: a comma or ')' that is its own. */
static const char *argument_end(const char *s)
{
	size_t open = 0;

	for (; *s; s++) {
		if (*s == '\\' && s[1])
			s++;
		else if (*s == '(')
			open++;
		else if (*s == ')' && open-- == 0)
			break;
		else if (*s == ',' && open == 0)
			break;
	}
	return s;
}

static void translate(struct strbuf *out, const char *s, const char *end,
		      unsigned depth);

/* d_ratio(a, b), from its '(' on; returns what follows, or NULL. */
static const char *put_ratio(struct strbuf *out, const char *s, const char *end,
			     unsigned depth)
{
	const char *first = s + 1;
	const char *comma = argument_end(first);
	const char *close = *comma == ',' ? argument_end(comma + 1) : comma;

	if (*comma != ',' || *close != ')' || close >= end)
		return NULL;
	strbuf_add(out, "guard((");
	translate(out, first, comma, depth + 1);
	strbuf_add(out, ")/(");
	translate(out, comma + 1, close, depth + 1);
	strbuf_add(out, "), 0)");
	return close + 1;
}

/*
 * perf's expression in our infix. Words and signs that we have not stay as
 * they are, and the compiler refuses them with their name.
 */
static void translate(struct strbuf *out, const char *s, const char *end,
		      unsigned depth)
{
	while (s < end) {
		size_t digits = strspn(s, "0123456789.");
		const char *after;

		if (digits > 0) {
			if ((s[digits] == 'e' || s[digits] == 'E') &&
			    s[digits + 1])
				digits += 2 +
					  strspn(s + digits + 2, "0123456789");
			strbuf_addn(out, s, digits);
			s += digits;
		} else if (strncmp(s, "d_ratio(", 8) == 0 && depth < 64 &&
			   (after = put_ratio(out, s + 7, end, depth))) {
			s = after;
		} else if (isalpha((unsigned char)*s) || *s == '_') {
			s += put_name(out, s);
		} else if (*s == '#') { /* perf's own: never our clock rate */
			strbuf_add(out, "?");
			s++;
		} else {
			strbuf_addn(out, s++, 1);
		}
	}
}

/* "100%": a factor and a unit. Returns the unit; *@factor is its length. */
static const char *split_scale(const char *scale, size_t *factor)
{
	*factor = strspn(scale, "0123456789.e-");
	return scale + *factor;
}

static void take_perf(const struct tree *item, struct strbuf *out,
		      struct import_counts *counts)
{
	const char *expression = tree_text(item, "MetricExpr");
	const char *scale = tree_text(item, "ScaleUnit");
	struct import_metric metric = {
		.name = tree_text(item, "MetricName"),
		.category = tree_text(item, "MetricGroup"),
		.title = tree_text(item, "BriefDescription"),
		.text = tree_text(item, "PublicDescription"),
	};
	STRBUF(ours);
	size_t factor = 0;

	if (!metric.name || !expression)
		return; /* an event, which these files have, too */
	if (scale)
		metric.unit = split_scale(scale, &factor);
	if (factor > 0 && strncmp(scale, "1", factor) != 0)
		strbuf_addf(&ours, "%.*s * (", (int)factor, scale);
	else
		factor = 0;
	translate(&ours, expression, expression + strlen(expression), 0);
	if (factor > 0)
		strbuf_add(&ours, ")");
	metric.formula = strbuf_text(&ours);
	import_put(out, &metric, counts);
}

/* What alias @word of an Intel formula stands for, or NULL. */
static const char *alias(const struct tree *item, const char *list,
			 const char *word, size_t n)
{
	const struct tree *all = tree_member(item, list);

	for (size_t i = 0; all && i < all->n; i++) {
		const char *name = tree_text(&all->items[i], "Alias");

		if (name && strlen(name) == n && strncmp(name, word, n) == 0)
			return tree_text(&all->items[i], "Name");
	}
	return NULL;
}

static void translate_intel(struct strbuf *out, const struct tree *item,
			    const char *s)
{
	while (*s) {
		size_t n = 0;
		const char *event, *constant;

		if (strspn(s, "0123456789.")) {
			n = strspn(s, "0123456789.");
			strbuf_addn(out, s, n);
			s += n;
			continue;
		}
		while (isalnum((unsigned char)s[n]) || s[n] == '_')
			n++;
		if (n == 0) {
			strbuf_addn(out, s++, 1);
			continue;
		}
		event = alias(item, "Events", s, n);
		constant = alias(item, "Constants", s, n);
		if (event) {
			strbuf_add(out, "\"");
			put_event(out, event, strlen(event));
			strbuf_add(out, "\"");
		} else if (constant) {
			strbuf_addf(out, "\"%s\"", constant);
		} else {
			strbuf_addn(out, s, n);
		}
		s += n;
	}
}

static void take_intel(const struct tree *item, struct strbuf *out,
		       struct import_counts *counts)
{
	const char *formula = tree_text(item, "Formula");
	struct import_metric metric = {
		.name = tree_text(item, "MetricName"),
		.category = tree_text(item, "Category"),
		.unit = tree_text(item, "UnitOfMeasure"),
		.title = tree_text(item, "BriefDescription"),
	};
	STRBUF(ours);

	if (!metric.name || !formula)
		return;
	translate_intel(&ours, item, formula);
	metric.formula = strbuf_text(&ours);
	import_put(out, &metric, counts);
}

int import_json(const char *text, struct strbuf *out,
		struct import_counts *counts, struct diag *diag)
{
	const struct tree *metrics;
	struct tree *json;
	int err = tree_parse(text, &json, diag);

	if (err)
		return err;
	metrics = tree_member(json, "Metrics");
	if (metrics) {
		for (size_t i = 0; i < metrics->n; i++)
			take_intel(&metrics->items[i], out, counts);
	} else if (json->kind == TREE_ARRAY) {
		for (size_t i = 0; i < json->n; i++)
			take_perf(&json->items[i], out, counts);
	} else {
		err = diag_fail(diag, PAPI_EINVAL,
				"this file contains neither perf's nor Intel's "
				"metrics");
	}
	tree_free(json);
	return err;
}
