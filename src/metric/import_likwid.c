/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * likwid's performance groups:
 *
 *   SHORT  a title
 *   EVENTSET
 *   FIXC0  INSTR_RETIRED_ANY
 *   METRICS
 *   CPI  FIXC1/FIXC0
 *   LONG  free text
 *
 * A metric's last word is its formula over counter names, "time" (seconds) and
 * "inverseClock"; what is in brackets before it is the unit.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "metric/import.h"

enum part {
	PART_NONE,
	PART_EVENTS,
	PART_METRICS,
	PART_LONG
};

struct counter {
	char *name;  /* "FIXC0" */
	char *event; /* what it counts */
};

struct group {
	struct strbuf *out;
	struct import_counts *counts;
	struct diag *diag;
	struct counter *counters;
	size_t n;
	char *title;
	enum part part;
	size_t line;
};

/* Events that presets have under a name that holds everywhere. */
static const struct {
	const char *likwid, *ours;
} known[] = {
	{ "INSTR_RETIRED_ANY", "PAPI_TOT_INS" },
	{ "RETIRED_INSTRUCTIONS", "PAPI_TOT_INS" },
	{ "CPU_CLK_UNHALTED_CORE", "PAPI_TOT_CYC" },
	{ "CPU_CLOCKS_UNHALTED", "PAPI_TOT_CYC" },
	{ "CPU_CLK_UNHALTED_REF", "PAPI_REF_CYC" },
};

static const char *our_event(const char *event)
{
	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		if (strcmp(known[i].likwid, event) == 0)
			return known[i].ours;
	return event;
}

/* "FIXC0 EVENT[:options]" */
static int take_event(struct group *g, const char *line)
{
	size_t name = strcspn(line, " \t");
	const char *event = line + name + strspn(line + name, " \t");
	struct counter c = { strndup(line, name),
			     strndup(event, strcspn(event, " \t")) };

	if (!c.name || !c.event || !*c.event ||
	    array_grow(&g->counters, g->n, sizeof(*g->counters))) {
		bool is_empty = c.event && !*c.event;

		free(c.name);
		free(c.event);
		if (!is_empty)
			return diag_fail(g->diag, PAPI_ENOMEM, "out of memory");
		return diag_fail_at(g->diag, PAPI_EINVAL, name + 1,
				    "the counter has no event");
	}
	g->counters[g->n++] = c;
	return 0;
}

static void put_word(const struct group *g, const char *word,
		     struct strbuf *out)
{
	if (strcmp(word, "time") == 0) {
		strbuf_add(out, "wall_s");
		return;
	}
	if (strcmp(word, "inverseClock") == 0) {
		strbuf_add(out, "(1/#)");
		return;
	}
	for (size_t i = 0; i < g->n; i++) {
		if (strcmp(g->counters[i].name, word) == 0) {
			strbuf_addf(out, "\"%s\"",
				    our_event(g->counters[i].event));
			return;
		}
	}
	strbuf_add(out, word); /* min, max, or the compiler refuses it */
}

/* Counter names become events; numbers and operators stay. */
static void put_formula(const struct group *g, const char *s,
			struct strbuf *out)
{
	while (*s) {
		size_t n = strspn(s, "0123456789.");
		char *word;

		if (n > 0) { /* with its exponent */
			if ((s[n] == 'e' || s[n] == 'E') && s[n + 1])
				n += 2 + strspn(s + n + 2, "0123456789");
			strbuf_addn(out, s, n);
		} else if (isalpha((unsigned char)*s) || *s == '_') {
			while (isalnum((unsigned char)s[n]) || s[n] == '_')
				n++;
			word = strndup(s, n);
			if (word)
				put_word(g, word, out);
			free(word);
		} else {
			strbuf_addn(out, s, n = 1);
		}
		s += n;
	}
}

/* "Name with words [unit] formula" */
static int take_metric(struct group *g, char *line)
{
	char *formula = strrchr(line, ' ');
	char *tab = strrchr(line, '\t');
	STRBUF(ours);
	struct import_metric metric = { .name = line };
	char *open, *close;

	if (!formula || (tab && tab > formula))
		formula = tab;
	if (!formula)
		return diag_fail_at(g->diag, PAPI_EINVAL, strlen(line) + 1,
				    "the metric has no formula");
	put_formula(g, formula + 1, &ours);
	while (formula > line && strchr(" \t", formula[-1]))
		formula--;
	*formula = '\0';
	metric.title = line;
	open = strrchr(line, '[');
	close = strrchr(line, ']');
	if (open && close && close > open && open > line) {
		*close = '\0';
		metric.unit = open + 1;
		while (open > line && strchr(" \t", open[-1]))
			open--;
		*open = '\0';
	}
	metric.formula = strbuf_text(&ours);
	metric.category = g->title;
	import_put(g->out, &metric, g->counts);
	return 0;
}

/* Whether @line is the heading @word; what follows it on the line. */
static const char *heading(const char *line, const char *word)
{
	size_t n = strlen(word);

	if (strncmp(line, word, n) != 0 || (line[n] && !strchr(" \t", line[n])))
		return NULL;
	return line + n + strspn(line + n, " \t");
}

static int take_line(struct group *g, char *line)
{
	const char *title = heading(line, "SHORT");

	if (g->part == PART_LONG || !*line || *line == '#')
		return 0;
	if (title) {
		free(g->title);
		g->title = strdup(title);
	} else if (heading(line, "EVENTSET")) {
		g->part = PART_EVENTS;
	} else if (heading(line, "METRICS")) {
		g->part = PART_METRICS;
	} else if (heading(line, "LONG")) {
		g->part = PART_LONG;
	} else if (g->part == PART_EVENTS) {
		return take_event(g, line);
	} else if (g->part == PART_METRICS) {
		return take_metric(g, line);
	} else {
		return diag_fail_at(
			g->diag, PAPI_EINVAL, 1,
			"this line comes before EVENTSET and METRICS");
	}
	return 0;
}

static int take_all(struct group *g, char *text)
{
	char *rest = text;
	char *line;
	int err = 0;

	while (!err && (line = strsep(&rest, "\n")) != NULL) {
		size_t n = strlen(line);

		g->line++;
		while (n > 0 && strchr(" \t\r", line[n - 1]))
			line[--n] = '\0';
		err = take_line(g, line + strspn(line, " \t"));
	}
	if (err && g->diag)
		g->diag->line = g->line;
	return err;
}

int import_likwid(const char *text, struct strbuf *out,
		  struct import_counts *counts, struct diag *diag)
{
	struct group g = { .out = out, .counts = counts, .diag = diag };
	OWNED char *copy = strdup(text);
	int err = copy ? take_all(&g, copy) : PAPI_ENOMEM;

	while (g.n > 0) {
		g.n--;
		free(g.counters[g.n].name);
		free(g.counters[g.n].event);
	}
	free(g.counters);
	free(g.title);
	return err;
}
