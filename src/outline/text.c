/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sections in the terminal: the tree with its inclusive and exclusive values,
 * who of the threads and ranks did how much, and on request every number.
 */

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/memfile.h"
#include "base/strbuf.h"
#include "outline/outline.h"
#include "write/columns.h"
#include "write/number.h"

#define MOST_METRICS 4 /* columns of the tree */

struct page {
	const struct outline *o;
	const struct report_style *style;
	FILE *to;
};

static const char *by_name(const struct outline *o)
{
	return strcmp(o->by, "IncSec") == 0 ? "time" : o->by;
}

/* A value of outline.by; "-" for none. */
static const char *amount(const struct outline *o, char *text,
			  long double value)
{
	if (isnan(value))
		return "-";
	return strcmp(o->by, "IncSec") == 0
		       ? number_seconds(text, (double)value)
		       : number_count(text, value);
}

static const char *percent(char *text, const char *format, double value)
{
	if (isnan(value))
		return "-";
	snprintf(text, NUMBER_CAPACITY, format, value);
	return text;
}

static enum ink ink_of(const char *verdict)
{
	if (strcmp(verdict, "good") == 0)
		return INK_GOOD;
	if (strcmp(verdict, "fair") == 0)
		return INK_FAIR;
	return strcmp(verdict, "poor") == 0 ? INK_POOR : INK_PLAIN;
}

/*
 * "topic   sentence"; takes @text and frees it. Names come from files: what a
 * terminal would act on is shown as '?'.
 */
static int put_topic(const struct page *p, const char *topic, enum ink ink,
		     char *text)
{
	struct memfile clean;
	int err = text ? memfile_open(&clean) : PAPI_ENOMEM;

	if (!err) {
		style_put(text, SIZE_MAX, clean.to);
		err = memfile_close(&clean);
	}
	if (!err) {
		style_topic(p->style, topic, ink, clean.text, p->to);
		free(clean.text);
	}
	free(text);
	return err;
}

/* ---- what was measured ---- */

static int put_head(const struct page *p)
{
	const struct task_head *head = &p->o->head;
	const char *model = head->model;
	struct strbuf text = { 0 };
	char number[NUMBER_CAPACITY];
	int err;

	strbuf_addf(&text, "%s", p->o->run->name);
	if (head->program[0] && strcmp(head->program, p->o->run->name) != 0)
		strbuf_addf(&text, ": %s", head->program);
	strbuf_addf(&text, ", %ld %s", head->tasks > 0 ? head->tasks : 1,
		    head->tasks > 1 ? "ranks" : "rank");
	if (strncmp(model, "sim-", 4) == 0)
		model += 4;
	if (!p->o->simulated && head->seconds > 0)
		strbuf_addf(&text, ", %s",
			    number_seconds(number, head->seconds));
	if (p->o->simulated)
		strbuf_addf(&text, ", simulated PMU%s%s",
			    *model ? ", machine model " : "", model);
	err = put_topic(p, "run", INK_BOLD, strbuf_take(&text));
	if (p->o->simulated)
		style_topic(p->style, "", INK_DIM,
			    strcmp(p->o->by, "IncSec") == 0
				    ? "Times are the simulator's, not this "
				      "machine's."
				    : "Times are left out: the program ran "
				      "under the simulator.",
			    p->to);
	if (!head->complete)
		style_topic(p->style, "", INK_POOR,
			    "This run is incomplete: it ended early, or a file "
			    "could not be added.",
			    p->to);
	return err;
}

/* ---- the tree ---- */

struct metrics {
	const char *names[MOST_METRICS];
	size_t n;
};

static bool has_metric(const struct metrics *m, const char *name)
{
	for (size_t i = 0; i < m->n; i++)
		if (strcmp(m->names[i], name) == 0)
			return true;
	return false;
}

/* Columns that the tree takes without metrics: numbers are this wide. */
#define OTHER_COLUMNS 56
#define METRIC_MIN    8

static size_t label_columns(const struct outline *o)
{
	size_t most = 0;

	for (size_t i = 0; i < o->n; i++) {
		size_t n = 2 * o->nodes[i].depth +
			   style_columns(o->nodes[i].section.label);

		if (!o->nodes[i].hidden && n > most)
			most = n;
	}
	return most;
}

/* Add a metric if there is a verdict on it and room for it. */
static void add_choice(struct metrics *m, const struct task_datum *d,
		       size_t *columns)
{
	size_t need = 2 + (style_columns(d->name) > METRIC_MIN
				   ? style_columns(d->name)
				   : METRIC_MIN);

	if (m->n == MOST_METRICS || !d->verdict[0] || isnan(d->value) ||
	    has_metric(m, d->name) || need > *columns)
		return;
	m->names[m->n++] = d->name;
	*columns -= need;
}

static struct metrics choose_metrics(const struct page *p)
{
	const struct outline *o = p->o;
	size_t used = OTHER_COLUMNS + label_columns(o);
	size_t columns = used < p->style->width ? p->style->width - used : 0;
	struct metrics m = { .n = 0 };

	for (size_t i = 0; i < o->n; i++)
		for (size_t k = 0; k < o->nodes[i].section.n; k++)
			add_choice(&m, &o->nodes[i].section.data[k], &columns);
	return m;
}

/* Sections with more than one rank or thread that are shown. */
static size_t count_spreads(const struct outline *o)
{
	size_t n = 0;

	for (size_t i = 0; i < o->n; i++)
		if (!o->nodes[i].hidden)
			n += (size_t)(o->nodes[i].ranks.n > 1) +
			     (size_t)(o->nodes[i].threads.n > 1);
	return n;
}

static void add_label(struct columns *c, const struct outline_node *node)
{
	const char *kind = node->section.kind;

	columns_add(c, INK_PLAIN, "%*s%s%s%s", (int)(2 * node->depth), "",
		    node->section.label,
		    strcmp(kind, "thread") == 0 ? " (thread)" : "",
		    node->section.is_short ? " (short)" : "");
}

static void add_metric(struct columns *c, const struct outline_node *node,
		       const char *name)
{
	const struct task_datum *d = outline_find(node, name);
	char text[NUMBER_CAPACITY];

	if (!d || isnan(d->value))
		columns_add(c, INK_DIM, "-");
	else
		columns_add(c, ink_of(d->verdict), "%s%s%s",
			    number_short(text, (double)d->value),
			    d->unit[0] ? " " : "", d->unit);
}

static void add_node(struct columns *c, const struct outline *o,
		     const struct outline_node *node, const struct metrics *m)
{
	char text[NUMBER_CAPACITY];
	double ranks = outline_imbalance(&node->ranks);

	add_label(c, node);
	columns_add(c, INK_PLAIN, "%s",
		    isnan(node->calls) ? "-" : number_count(text, node->calls));
	columns_add(c, INK_BOLD, "%s", amount(o, text, node->inclusive));
	columns_add(c, INK_PLAIN, "%s", amount(o, text, node->exclusive));
	columns_add(c, INK_PLAIN, "%s", percent(text, "%.1f %%", node->share));
	columns_add(c, INK_PLAIN, "%s",
		    percent(text, "+%.0f %%",
			    fmax(ranks, outline_imbalance(&node->threads))));
	for (size_t i = 0; i < m->n; i++)
		add_metric(c, node, m->names[i]);
}

static size_t count_hidden(const struct outline *o)
{
	size_t n = 0;

	for (size_t i = 0; i < o->n; i++)
		n += o->nodes[i].hidden;
	return n;
}

static int put_tree(const struct page *p)
{
	static const char *const names[] = {
		"section",   "calls", "inclusive",
		"exclusive", "share", "imbalance"
	};
	/* by the number of metrics */
	static const char *const aligns[MOST_METRICS + 1] = {
		"lrrrrr", "lrrrrrr", "lrrrrrrr", "lrrrrrrrr", "lrrrrrrrrr"
	};
	const struct outline *o = p->o;
	struct metrics m = choose_metrics(p);
	STRBUF(heading);
	struct columns c;
	int err;

	strbuf_addf(&heading, "sections, by %s", by_name(o));
	style_heading(p->style, strbuf_text(&heading), p->to);
	columns_init(&c, aligns[m.n]);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		columns_add(&c, INK_DIM, "%s", names[i]);
	for (size_t i = 0; i < m.n; i++)
		columns_add(&c, INK_DIM, "%s", m.names[i]);
	for (size_t i = 0; i < o->n; i++)
		if (!o->nodes[i].hidden)
			add_node(&c, o, &o->nodes[i], &m);
	err = columns_write(&c, p->style, p->to);
	columns_fini(&c);
	if (count_hidden(o) > 0)
		fprintf(p->to,
			"(%zu of %zu sections hidden by --depth and "
			"--min)\n",
			count_hidden(o), o->n);
	return err;
}

/* ---- threads and ranks ---- */

static void add_who(struct columns *c, const struct outline *o, long task,
		    long thread)
{
	if (task < 0 && thread < 0)
		columns_add(c, INK_DIM, "-");
	else if (thread < 0)
		columns_add(c, INK_DIM, "rank %ld", task);
	else if (task < 0 || o->head.tasks < 2)
		columns_add(c, INK_DIM, "thread %ld", thread);
	else
		columns_add(c, INK_DIM, "rank %ld t%ld", task, thread);
}

/* Balanced ones are left out, unless -v asks for them. */
#define BALANCED 1 /* percent */

static void add_spread(struct columns *c, const struct page *p,
		       const struct outline_node *node,
		       const struct outline_spread *s, const char *what)
{
	const struct outline *o = p->o;
	char text[NUMBER_CAPACITY];

	if (s->n < 2 || (outline_imbalance(s) < BALANCED && !p->style->verbose))
		return;
	columns_add(c, INK_PLAIN, "%s", node->section.label);
	columns_add(c, INK_PLAIN, "%zu %s", s->n, what);
	columns_add(c, INK_PLAIN, "%s", amount(o, text, s->min));
	add_who(c, o, s->min_task, s->min_thread);
	columns_add(c, INK_PLAIN, "%s", amount(o, text, s->mean));
	columns_add(c, INK_PLAIN, "%s", amount(o, text, s->max));
	add_who(c, o, s->max_task, s->max_thread);
	columns_add(c, INK_BOLD, "%s",
		    percent(text, "+%.0f %%", outline_imbalance(s)));
}

static int put_spreads(const struct page *p)
{
	static const char *const names[] = { "section", "over",     "min",
					     "",        "mean",     "max",
					     "",        "imbalance" };
	const struct outline *o = p->o;
	struct columns c;
	size_t rows;
	int err;

	if (count_spreads(o) == 0)
		return 0;
	style_heading(p->style, "imbalance: max / mean - 1", p->to);
	columns_init(&c, "llrlrrlr");
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		columns_add(&c, INK_DIM, "%s", names[i]);
	for (size_t i = 0; i < o->n; i++) {
		const struct outline_node *node = &o->nodes[i];
		bool merged = node->rows->n < 2;

		if (node->hidden)
			continue;
		add_spread(&c, p, node, &node->ranks,
			   merged ? "ranks and threads" : "ranks");
		add_spread(&c, p, node, &node->threads, "threads");
	}
	rows = c.n / ARRAY_SIZE(names) - 1;
	err = rows ? columns_write(&c, p->style, p->to) : 0;
	columns_fini(&c);
	if (rows < count_spreads(o))
		fprintf(p->to,
			"(balanced within %d %%: %zu of %zu; -v shows all)\n",
			BALANCED, count_spreads(o) - rows, count_spreads(o));
	return err;
}

static int put_rows(const struct page *p)
{
	const struct outline *o = p->o;
	struct columns c;
	size_t column;
	char text[NUMBER_CAPACITY];
	int err;

	if (!o->options->per_thread ||
	    !map_find(&o->run->column_index, o->by, &column))
		return 0;
	style_heading(p->style, "every rank and thread", p->to);
	columns_init(&c, "llr");
	columns_add(&c, INK_DIM, "section");
	columns_add(&c, INK_DIM, "where");
	columns_add(&c, INK_DIM, "%s", by_name(o));
	for (size_t i = 0; i < o->n; i++)
		for (size_t k = 0;
		     !o->nodes[i].hidden && k < o->nodes[i].rows->n; k++) {
			const struct view_row *row = &o->nodes[i].rows->rows[k];

			columns_add(&c, INK_PLAIN, "%s",
				    o->nodes[i].section.label);
			add_who(&c, o, row->task, row->thread);
			columns_add(&c, INK_PLAIN, "%s",
				    amount(o, text,
					   column < row->n ? row->values[column]
							   : NAN));
		}
	err = columns_write(&c, p->style, p->to);
	columns_fini(&c);
	return err;
}

/* ---- every number ---- */

static void add_value(struct columns *c, const struct task_datum *d,
		      long double value)
{
	char text[NUMBER_CAPACITY];

	if (isnan(value))
		columns_add(c, INK_DIM, "-");
	else if (strcmp(taskfile_kind(d), "time") == 0)
		columns_add(c, INK_BOLD, "%s",
			    number_seconds(text, (double)value));
	else if (d->formula[0])
		columns_add(c, ink_of(d->verdict), "%s%s%s",
			    number_short(text, (double)value),
			    d->unit[0] ? " " : "", d->unit);
	else
		columns_add(c, INK_BOLD, "%s", number_count(text, value));
}

/* Simulated times say nothing; the exclusive time stands beside the other. */
static bool is_listed(const struct outline *o, const struct task_datum *d)
{
	bool is_empty = isnan(d->value) && !(d->reason && d->reason[0]);

	return !is_empty && strcmp(d->name, "ExcSec") != 0 &&
	       strcmp(d->name, "Count") != 0 &&
	       (!o->simulated || strcmp(taskfile_kind(d), "time") != 0);
}

/* The verdict, or why there is no value; and the error of an estimate. */
static void add_remark(struct columns *c, const struct page *p,
		       const struct task_datum *d)
{
	double error = 100 * (double)(d->uncertainty / fabsl(d->value));
	char text[NUMBER_CAPACITY] = "";

	if (isfinite(error) && error > 0)
		snprintf(text, sizeof(text), "%s%s %.2g %%",
			 d->verdict[0] ? "  " : "",
			 style_sign(p->style, SIGN_PLUS_MINUS), error);
	columns_add(c, ink_of(d->verdict), "%s%s",
		    d->reason && d->reason[0] ? d->reason : d->verdict, text);
}

static void add_datum(struct columns *c, const struct page *p,
		      const struct outline_node *node,
		      const struct task_datum *d)
{
	bool is_time = strcmp(d->name, "IncSec") == 0;
	const struct task_datum *own =
		is_time ? outline_find(node, "ExcSec") : NULL;

	columns_add(c, INK_PLAIN, "  %s", is_time ? "time" : d->name);
	add_value(c, d, d->value);
	add_value(c, d, own ? own->value : d->exclusive);
	add_remark(c, p, d);
}

/* "label  solver.c:12-40" */
static void put_place(const struct page *p, const struct task_section *s)
{
	fputs(style_on(p->style, INK_BOLD), p->to);
	style_put(s->label, SIZE_MAX, p->to);
	fputs(style_off(p->style), p->to);
	if (s->file[0]) {
		fputs("  ", p->to);
		style_put(s->file, SIZE_MAX, p->to);
		fprintf(p->to, ":%ld-%ld", s->line_start, s->line_end);
	}
	putc('\n', p->to);
}

static int put_numbers(const struct page *p, const struct outline_node *node)
{
	const struct task_section *s = &node->section;
	struct columns c;
	int err;

	put_place(p, s);
	columns_init(&c, "lrrl");
	columns_add(&c, INK_DIM, "  name");
	columns_add(&c, INK_DIM, "inclusive");
	columns_add(&c, INK_DIM, "exclusive");
	columns_add(&c, INK_DIM, "%s", "");
	for (size_t i = 0; i < s->n; i++)
		if (is_listed(p->o, &s->data[i]))
			add_datum(&c, p, node, &s->data[i]);
	err = columns_write(&c, p->style, p->to);
	columns_fini(&c);
	return err;
}

/* One section is shown whole; of several the tree, and the rest with -v. */
static int put_all_numbers(const struct page *p)
{
	int err = 0;

	if (p->o->n != 1 && !p->style->verbose)
		return 0;
	style_heading(p->style, "events and metrics", p->to);
	for (size_t i = 0; i < p->o->n && !err; i++)
		if (!p->o->nodes[i].hidden)
			err = put_numbers(p, &p->o->nodes[i]);
	return err;
}

/* ---- what went wrong ---- */

static int put_uncounted(const struct page *p)
{
	int err = 0;

	for (size_t i = 0; i < p->o->n_events && !err; i++) {
		const struct task_event *e = &p->o->events[i];

		if (!e->counted)
			err = put_topic(
				p, "not counted", INK_PLAIN,
				str_format("%s: %s", e->name, e->reason));
	}
	return err;
}

static int put_problem(const struct page *p, const struct view_problem *w)
{
	struct strbuf text = { 0 };

	strbuf_addf(&text, "section %ld %s", w->id, w->what);
	if (w->file[0])
		strbuf_addf(&text, ", at %s:%ld", w->file, w->line);
	if (w->count > 1)
		strbuf_addf(&text, ", %.0f times", w->count);
	return put_topic(p, "problem", INK_POOR, strbuf_take(&text));
}

static int put_remarks(const struct page *p)
{
	const struct view_run *run = p->o->run;
	int err = put_uncounted(p);

	for (size_t i = 0; i < run->n_problems && !err; i++)
		err = put_problem(p, &run->problems[i]);
	for (size_t i = 0; i < run->n_remarks && !err; i++)
		if (!run->remarks[i].name[0])
			err = put_topic(p, "note", INK_PLAIN,
					strdup(run->remarks[i].text));
	return err;
}

static int put_run(const struct page *p)
{
	int err = put_head(p);

	if (err)
		return err;
	if (p->o->n == 0) {
		style_topic(p->style, "", INK_PLAIN,
			    "The program ended without a section.", p->to);
		return put_remarks(p);
	}
	err = put_tree(p);
	if (!err)
		err = put_spreads(p);
	if (!err)
		err = put_rows(p);
	if (!err)
		err = put_all_numbers(p);
	return err ? err : put_remarks(p);
}

int outline_write_text(const void *report, const struct report_style *style,
		       FILE *to)
{
	const struct outline_report *r = report;
	int err = 0;

	for (size_t i = 0; i < r->n && !err; i++) {
		const struct page page = { &r->outlines[i], style, to };

		if (i > 0)
			putc('\n', to);
		err = put_run(&page);
	}
	for (size_t i = 0; i < r->view->n_profiles && !err; i++) {
		if (i > 0 || r->n > 0)
			putc('\n', to);
		style_topic(style, "profile", INK_BOLD,
			    r->view->profiles[i].name, to);
		err = profile_write_text(&r->view->profiles[i].profile, style,
					 to);
	}
	if (!err && ferror(to))
		err = PAPI_ESYS;
	return err;
}
