/* SPDX-License-Identifier: BSD-3-Clause */
/* From the merged sections of a run to a sorted tree. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "outline/outline.h"

const char *const outline_sort_names[] = { "inclusive", "exclusive", "calls",
					   "imbalance", "label",     "file",
					   NULL };

void outline_fini(struct outline *o)
{
	while (o->n > 0)
		free((void *)o->nodes[--o->n].section.data);
	free(o->nodes);
	free(o->events);
	*o = (struct outline){ 0 };
}

const struct task_datum *outline_find(const struct outline_node *node,
				      const char *name)
{
	for (size_t i = 0; i < node->section.n; i++)
		if (strcmp(node->section.data[i].name, name) == 0)
			return &node->section.data[i];
	return NULL;
}

/* ---- what the merge hands over ---- */

static int take_head(void *context, const struct task_head *head)
{
	struct outline *o = context;

	o->head = *head;
	o->simulated = strcmp(head->pmu, "sim") == 0;
	return 0;
}

static int take_event(void *context, const struct task_event *event)
{
	struct outline *o = context;

	return array_add(o->events, o->n_events, *event);
}

static int take_section(void *context, const struct task_section *section)
{
	struct outline *o = context;
	struct task_datum *data = calloc(section->n + 1, sizeof(*data));
	struct outline_node node = { .section = *section, .parent = -1 };

	if (!data || array_grow(&o->nodes, o->n, sizeof(node))) {
		free(data);
		return PAPI_ENOMEM;
	}
	if (section->n > 0)
		memcpy(data, section->data, section->n * sizeof(*data));
	node.section.data = data;
	node.rows = &o->run->sections[o->n];
	o->nodes[o->n++] = node;
	return 0;
}

/* ---- which quantity sections are compared by ---- */

static bool has_values(const struct outline *o, const char *name)
{
	for (size_t i = 0; i < o->n; i++) {
		const struct task_datum *d = outline_find(&o->nodes[i], name);

		if (d && !isnan(d->value))
			return true;
	}
	return false;
}

/* Time; on the simulated PMU, whose times mean nothing, cycles or a count. */
static const char *default_by(const struct outline *o)
{
	static const char *const preferred[] = { "PAPI_TOT_CYC",
						 "PAPI_TOT_INS" };

	if (!o->simulated && has_values(o, "IncSec"))
		return "IncSec";
	for (size_t i = 0; i < ARRAY_SIZE(preferred); i++)
		if (has_values(o, preferred[i]))
			return preferred[i];
	for (size_t i = 0; i < o->n_events; i++)
		if (has_values(o, o->events[i].name))
			return o->events[i].name;
	return "IncSec";
}

static bool is_metric(const struct outline *o, const char *name)
{
	for (size_t i = 0; i < o->n; i++) {
		const struct task_datum *d = outline_find(&o->nodes[i], name);

		if (d)
			return d->formula[0];
	}
	return false;
}

static int choose_by(struct outline *o, struct diag *diag)
{
	const char *by = o->options->by;

	if (!by) {
		o->by = default_by(o);
		return 0;
	}
	o->by = strcmp(by, "time") == 0 ? "IncSec" : by;
	if (is_metric(o, o->by))
		return diag_fail(diag, PAPI_EINVAL,
				 "--by %s: %s is a metric; --by requires time "
				 "or an event",
				 by, by);
	if (!has_values(o, o->by))
		return diag_fail(diag, PAPI_EINVAL, "--by %s: %s has no %s", by,
				 o->run->name, by);
	return 0;
}

static void fill_values(const struct outline *o, struct outline_node *node)
{
	const struct task_datum *by = outline_find(node, o->by);
	const struct task_datum *own = outline_find(node, "ExcSec");
	const struct task_datum *calls = outline_find(node, "Count");

	node->calls = calls ? (double)calls->value : NAN;
	node->inclusive = by ? by->value : NAN;
	node->exclusive = by ? by->exclusive : NAN;
	if (strcmp(o->by, "IncSec") == 0)
		node->exclusive = own ? own->value : NAN;
}

/* ---- the tree ---- */

/* A section while the tree is made. */
struct place {
	struct outline_node *node;
	size_t index;     /* in the file */
	double key;       /* larger ones come first */
	long first, next; /* inside it, and beside it; last one first; or -1 */
	long moved;       /* where it is in the tree; -1: not yet */
};

static int by_id(const void *a, const void *b)
{
	const struct place *p = a, *q = b;

	if (p->node->section.id != q->node->section.id)
		return p->node->section.id < q->node->section.id ? -1 : 1;
	return p->index < q->index ? -1 : p->index > q->index;
}

/* Larger keys first; no value is last. */
static int by_key(const void *a, const void *b)
{
	const struct place *p = a, *q = b;

	if (isnan(p->key) != isnan(q->key))
		return isnan(p->key) ? 1 : -1;
	if (p->key > q->key || p->key < q->key)
		return p->key > q->key ? -1 : 1;
	return p->index < q->index ? -1 : p->index > q->index;
}

static int by_label(const void *a, const void *b)
{
	const struct place *p = a, *q = b;
	int order = strcmp(p->node->section.label, q->node->section.label);

	return order ? order : by_key(a, b);
}

static double key_of(const struct outline_node *node, enum outline_sort sort)
{
	double ranks = outline_imbalance(&node->ranks);

	switch (sort) {
	case OUTLINE_INCLUSIVE:
		return (double)node->inclusive;
	case OUTLINE_EXCLUSIVE:
		return (double)node->exclusive;
	case OUTLINE_CALLS:
		return node->calls;
	case OUTLINE_IMBALANCE:
		return fmax(ranks, outline_imbalance(&node->threads));
	default:
		return 0;
	}
}

/* The first of @places, sorted by number, that is called @id; or -1. */
static long find_id(const struct place *places, size_t n, long id)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (places[middle].node->section.id < id)
			low = middle + 1;
		else
			high = middle;
	}
	return low < n && places[low].node->section.id == id
		       ? (long)places[low].index
		       : -1;
}

/* The section around each one: a file tells its number alone. */
static void find_parents(struct outline *o, struct place *places)
{
	qsort(places, o->n, sizeof(*places), by_id);
	for (size_t i = 0; i < o->n; i++) {
		long parent = o->nodes[i].section.parent;

		if (parent >= 0)
			parent = find_id(places, o->n, parent);
		o->nodes[i].parent = parent == (long)i ? -1 : parent;
	}
}

static void link_places(struct place *places, size_t n, long *at)
{
	for (size_t i = 0; i < n; i++)
		at[places[i].index] = (long)i;
	for (size_t i = 0; i < n; i++) {
		long parent = places[i].node->parent;

		if (parent < 0)
			continue;
		places[i].next = places[at[parent]].first;
		places[at[parent]].first = (long)i;
	}
}

/* What is moved into a new order. */
struct move {
	struct place *places;
	long *at;      /* places by index in the file */
	long *waiting; /* places */
	struct outline_node *to;
	size_t n;
};

/* Move @root and all inside it, each behind the one around it. */
static void move_tree(struct move *m, long root)
{
	size_t depth = 0;

	m->places[root].node->parent = -1;
	m->waiting[depth++] = root;
	while (depth > 0) {
		struct place *p = &m->places[m->waiting[--depth]];
		struct outline_node *to = &m->to[m->n];
		long parent = p->node->parent;

		if (p->moved >= 0)
			continue;
		p->moved = (long)m->n++;
		*to = *p->node;
		to->parent = parent < 0 ? -1 : m->places[m->at[parent]].moved;
		to->depth = parent < 0 ? 0 : m->to[to->parent].depth + 1;
		for (long i = p->first; i >= 0; i = m->places[i].next)
			m->waiting[depth++] = i;
	}
}

/* Sections around each other, which no program can write, become roots. */
static void move_all(struct move *m, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (m->places[i].node->parent < 0)
			move_tree(m, (long)i);
	for (size_t i = 0; i < n; i++)
		if (m->places[i].moved < 0)
			move_tree(m, (long)i);
}

static void sort_places(struct outline *o, struct place *places)
{
	enum outline_sort sort = o->options->sort;

	for (size_t i = 0; i < o->n; i++)
		places[i] = (struct place){
			&o->nodes[i], i, key_of(&o->nodes[i], sort), -1, -1, -1
		};
	find_parents(o, places);
	qsort(places, o->n, sizeof(*places),
	      sort == OUTLINE_LABEL ? by_label : by_key);
}

static int order(struct outline *o)
{
	struct move m = {
		.places = calloc(o->n + 1, sizeof(*m.places)),
		.at = calloc(o->n + 1, sizeof(*m.at)),
		.waiting = calloc(o->n + 1, sizeof(*m.waiting)),
		.to = calloc(o->n + 1, sizeof(*m.to)),
	};
	int err = m.places && m.at && m.waiting && m.to ? 0 : PAPI_ENOMEM;

	if (!err) {
		sort_places(o, m.places);
		link_places(m.places, o->n, m.at);
		move_all(&m, o->n);
		free(o->nodes);
		o->nodes = m.to;
		m.to = NULL;
	}
	free(m.places);
	free(m.at);
	free(m.waiting);
	free(m.to);
	return err;
}

/* ---- shares ---- */

/* Whether no section of its kind is around @node. */
static bool is_outermost(const struct outline *o,
			 const struct outline_node *node)
{
	for (long i = node->parent; i >= 0; i = o->nodes[i].parent)
		if (strcmp(o->nodes[i].section.kind, node->section.kind) == 0)
			return false;
	return true;
}

/*
 * What all sections of a kind have together. Exclusive values do not add up to
 * it: a thread's section is taken off the process's section around it.
 */
static double total_of(const struct outline *o, const char *kind)
{
	double total = 0;

	for (size_t i = 0; i < o->n; i++) {
		const struct outline_node *node = &o->nodes[i];

		if (strcmp(node->section.kind, kind) == 0 &&
		    !isnan(node->inclusive) && is_outermost(o, node))
			total += (double)node->inclusive;
	}
	return total;
}

/* There are few kinds: the total is kept from one section to the next. */
static void fill_shares(struct outline *o)
{
	const char *kind = NULL;
	double total = 0;

	for (size_t i = 0; i < o->n; i++) {
		struct outline_node *node = &o->nodes[i];

		if (!kind || strcmp(kind, node->section.kind) != 0) {
			kind = node->section.kind;
			total = total_of(o, kind);
		}
		node->share =
			total > 0 ? 100 * (double)node->inclusive / total : NAN;
	}
}

/* What is inside a hidden section is hidden with it. */
static void hide(struct outline *o)
{
	const struct outline_options *options = o->options;

	for (size_t i = 0; i < o->n; i++) {
		struct outline_node *node = &o->nodes[i];

		node->hidden =
			(options->depth && node->depth >= options->depth) ||
			node->share < options->min_share ||
			(node->parent >= 0 && o->nodes[node->parent].hidden);
	}
}

int outline_build(struct outline *o, const struct view_run *run,
		  const struct outline_options *options, struct diag *diag)
{
	struct taskfile_sink sink = { .context = o,
				      .head = take_head,
				      .event = take_event,
				      .section = take_section };
	int err;

	*o = (struct outline){ .run = run, .options = options };
	err = taskfile_merge_give(run->merge, &sink);
	if (!err)
		err = choose_by(o, diag);
	for (size_t i = 0; !err && i < o->n; i++)
		fill_values(o, &o->nodes[i]);
	if (!err)
		err = outline_measure_spreads(o);
	if (!err)
		err = order(o);
	if (!err) {
		fill_shares(o);
		hide(o);
	} else {
		outline_fini(o);
	}
	return err == PAPI_ENOMEM ? diag_fail(diag, err, "out of memory") : err;
}
