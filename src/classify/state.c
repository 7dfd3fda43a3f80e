/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What classifications have said of this machine's events, kept for `assay
 * explain`. Each event has the result that rests on the most: a look at a few
 * events or with a few kernels does not displace what all of them have said.
 */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/strbuf.h"
#include "base/tree.h"
#include "classify/inside.h"
#include "console/kept.h"
#include "write/json.h"

/* "sim-icx.json" */
static void name_file(const char *model, char *name, size_t capacity)
{
	snprintf(name, capacity, "%s.json", model);
}

/* What is kept, and what was kept before: NULL if nothing was. */
struct memory {
	const struct classified *now;
	const struct tree *before; /* a list of events */
};

/* What a result rests on. */
struct basis {
	double kernels, events;
};

static struct basis basis_of(const struct tree *event)
{
	return (struct basis){ tree_number(tree_member(event, "kernels")),
			       tree_number(tree_member(event, "among")) };
}

static struct basis basis_now(const struct classification *c)
{
	return (struct basis){ (double)(c->plan->n_benches - c->missing),
			       (double)c->n };
}

/*
 * More kernels say more. As many kernels say more with more events beside it,
 * for it may be a sum of these. NaN, which was never written here, gives way.
 */
static bool rests_on_more(struct basis a, struct basis b)
{
	return a.kernels > b.kernels ||
	       (a.kernels == b.kernels && a.events > b.events);
}

static const struct tree *find_before(const struct memory *m, const char *name)
{
	for (size_t i = 0; m->before && i < m->before->n; i++) {
		const char *kept = tree_text(&m->before->items[i], "name");

		if (kept && classify_same_name(kept, name))
			return &m->before->items[i];
	}
	return NULL;
}

/* Whether what was kept of event @i is to stay. */
static bool stands(const struct memory *m, size_t i)
{
	const struct classification *c = m->now->c;
	const struct tree *kept = find_before(m, c->events[i].name);

	return kept && !m->now->whole &&
	       (c->events[i].kind == CLASSIFY_NOT_COUNTED ||
		rests_on_more(basis_of(kept), basis_now(c)));
}

static size_t find_now(const struct classification *c, const char *name)
{
	size_t i = 0;

	while (i < c->n && !classify_same_name(c->events[i].name, name))
		i++;
	return i;
}

static void put_kept(struct json *j, const struct tree *event, const char *name)
{
	struct basis basis = basis_of(event);

	json_object(j, NULL);
	json_string(j, "name", name);
	json_string(j, "class",
		    classify_current_name(tree_text(event, "class")));
	json_string(j, "description", tree_text(event, "description"));
	json_string(j, "formula", tree_text(event, "formula"));
	json_string(j, "or", tree_text(event, "or"));
	json_number(j, "confidence",
		    tree_number(tree_member(event, "confidence")));
	json_number(j, "kernels", basis.kernels);
	json_number(j, "among", basis.events);
	json_end_object(j);
}

/* What the kernels cannot tell from its class; to be freed. */
static char *list_others(const struct classify_event *e)
{
	struct strbuf sb = { 0 };

	for (size_t i = 0; i < e->n_also; i++)
		strbuf_addf(&sb, "%s%s", i ? ", " : "",
			    classify_term_name(e->also[i]));
	return sb.len ? strbuf_take(&sb) : NULL;
}

static void put_new(struct json *j, const struct classification *c, size_t i)
{
	const struct classify_event *e = &c->events[i];
	bool known = classify_is_known(e);
	OWNED char *formula = known ? classify_formula(c, e) : NULL;
	OWNED char *others = known ? list_others(e) : NULL;

	json_object(j, NULL);
	classify_put_class(j, e);
	json_string(j, "formula", formula);
	json_string(j, "or", others);
	json_number(j, "confidence", known ? e->confidence : NAN);
	json_number(j, "kernels", basis_now(c).kernels);
	json_number(j, "among", basis_now(c).events);
	json_end_object(j);
}

static int write_memory(const void *what, const struct report_style *style,
			FILE *to)
{
	const struct memory *m = what;
	const struct classification *c = m->now->c;
	struct json j;

	(void)style;
	json_init(&j, to);
	json_object(&j, NULL);
	json_unsigned(&j, "assay", 1);
	json_array(&j, "events");
	for (size_t i = 0; m->before && i < m->before->n; i++) {
		const struct tree *event = &m->before->items[i];
		const char *name = tree_text(event, "name");
		size_t now = name ? find_now(c, name) : 0;

		if (name && (now == c->n || stands(m, now)))
			put_kept(&j, event, name);
	}
	for (size_t i = 0; i < c->n; i++)
		if (!stands(m, i))
			put_new(&j, c, i);
	json_end_array(&j);
	json_end_object(&j);
	return json_finish(&j);
}

/* What was kept in the file @name; NULL: nothing. To be freed. */
static struct tree *read_memory(const char *name)
{
	char *path = kept_path(KEPT_CLASSES, name), *text = NULL;
	struct tree *root = NULL;
	size_t len;

	if (path && !file_read(path, &text, &len, NULL) &&
	    tree_parse(text, &root, NULL))
		root = NULL;
	free(path);
	free(text);
	return root;
}

int classify_remember(const struct classified *d)
{
	struct memory memory = { .now = d };
	struct tree *root;
	char name[96];
	int err;

	name_file(d->model, name, sizeof(name));
	root = read_memory(name);
	if (!d->whole)
		memory.before = tree_member(root, "events");
	if (!tree_is(memory.before, TREE_ARRAY))
		memory.before = NULL;
	err = kept_write(KEPT_CLASSES, name, write_memory, &memory, NULL);
	tree_free(root);
	return err;
}

/* "BR_COND: conditional branches retired (certain)" */
static char *sentence(const struct tree *event)
{
	const char *class = classify_current_name(tree_text(event, "class"));
	const char *text = tree_text(event, "description");
	const char *formula = tree_text(event, "formula");
	const char *others = tree_text(event, "or");
	double sure = tree_number(tree_member(event, "confidence"));
	struct strbuf sb = { 0 };

	strbuf_add(&sb, class ? class : "unclassified");
	if (text)
		strbuf_addf(&sb, ": %s", text);
	else if (formula)
		strbuf_addf(&sb, ": %s", formula);
	if (others)
		strbuf_addf(&sb, "; or %s", others);
	if (!isnan(sure))
		strbuf_addf(&sb, " (%s)", classify_certainty_of(sure));
	return strbuf_take(&sb);
}

char *classify_recall(const char *model, const char *name)
{
	const struct tree *events;
	struct tree *root;
	char file[96], *found = NULL;

	name_file(model, file, sizeof(file));
	root = read_memory(file);
	events = tree_member(root, "events");
	for (size_t i = 0; events && !found && i < events->n; i++) {
		const char *kept = tree_text(&events->items[i], "name");

		if (kept && classify_same_name(kept, name))
			found = sentence(&events->items[i]);
	}
	tree_free(root);
	return found;
}
