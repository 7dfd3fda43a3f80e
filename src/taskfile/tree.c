/* SPDX-License-Identifier: BSD-3-Clause */
/* Sections linked and put in order; the formats of other tools write them. */
#include "taskfile/tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

static void node_fini(struct tree_node *node)
{
	free(node->label);
	free(node->file);
	free(node->kind);
	while (node->n > 0)
		free(node->values[--node->n].name);
	free(node->values);
}

void tree_fini(struct tree *tree)
{
	while (tree->n > 0)
		node_fini(&tree->nodes[--tree->n]);
	free(tree->nodes);
	*tree = (struct tree){ 0 };
}

static int take_head(void *context, const struct task_head *head)
{
	((struct tree *)context)->simulated = strcmp(head->pmu, "sim") == 0;
	return 0;
}

static int take_section(void *context, const struct task_section *section)
{
	struct tree *tree = context;
	struct tree_node *node;

	if (array_grow(&tree->nodes, tree->n, sizeof(*tree->nodes)))
		return PAPI_ENOMEM;
	node = &tree->nodes[tree->n++];
	*node = (struct tree_node){
		.label = strdup(section->label),
		.file = strdup(section->file),
		.kind = strdup(section->kind),
		.line = section->line_start,
		.id = section->id,
		.parent_id = section->parent,
		.parent = -1,
		.values = calloc(section->n + 1, sizeof(*node->values)),
	};
	if (!node->label || !node->file || !node->kind || !node->values)
		return PAPI_ENOMEM;
	for (size_t i = 0; i < section->n; i++) {
		node->values[i] = (struct tree_value){
			.name = strdup(section->data[i].name),
			.value = section->data[i].value,
			.exclusive = section->data[i].exclusive,
		};
		if (!node->values[i].name)
			return PAPI_ENOMEM;
		node->n++;
	}
	return 0;
}

struct taskfile_sink tree_builder(struct tree *tree)
{
	return (struct taskfile_sink){ .context = tree,
				       .head = take_head,
				       .section = take_section };
}

const struct tree_value *tree_find(const struct tree_node *node,
				   const char *name)
{
	for (size_t i = 0; i < node->n; i++)
		if (strcmp(node->values[i].name, name) == 0)
			return &node->values[i];
	return NULL;
}

/* The section around @node: the file tells its number alone. */
static long find_parent(const struct tree *tree, size_t node)
{
	if (tree->nodes[node].parent_id < 0)
		return -1;
	for (size_t i = 0; i < tree->n; i++)
		if (i != node &&
		    tree->nodes[i].id == tree->nodes[node].parent_id)
			return (long)i;
	return -1;
}

/* What ordering needs, one of each for every section. */
struct order {
	long moved; /* where it is now; -1: not yet moved */
	long first; /* inside it; -1: none */
	long next;  /* inside the same one */
	long waiting;
};

/* Move @root and all inside it to @to, each before what is inside it. */
static void place(struct tree *from, struct tree *to, struct order *order,
		  size_t root)
{
	size_t depth = 0;

	order[depth++].waiting = (long)root;
	while (depth > 0) {
		size_t node = (size_t)order[--depth].waiting;
		long parent = from->nodes[node].parent;

		if (order[node].moved >= 0)
			continue;
		order[node].moved = (long)to->n;
		to->nodes[to->n] = from->nodes[node];
		to->nodes[to->n++].parent =
			parent < 0 ? -1 : order[parent].moved;
		for (long i = order[node].first; i >= 0; i = order[i].next)
			order[depth++].waiting = i;
	}
}

/* Link every section to the one around it; the last comes first. */
static void link_all(struct tree *tree, struct order *order)
{
	for (size_t i = 0; i < tree->n; i++)
		order[i] = (struct order){ .moved = -1, .first = -1 };
	for (size_t i = 0; i < tree->n; i++) {
		long parent = find_parent(tree, i);

		tree->nodes[i].parent = parent;
		order[i].next = -1;
		if (parent < 0)
			continue;
		order[i].next = order[parent].first;
		order[parent].first = (long)i;
	}
}

int tree_order(struct tree *tree)
{
	struct tree ordered = { .simulated = tree->simulated };
	OWNED struct order *order = calloc(tree->n + 1, sizeof(*order));

	ordered.nodes = calloc(tree->n + 1, sizeof(*ordered.nodes));
	if (!order || !ordered.nodes) {
		free(ordered.nodes);
		return PAPI_ENOMEM;
	}
	link_all(tree, order);
	for (size_t i = 0; i < tree->n; i++)
		if (tree->nodes[i].parent < 0)
			place(tree, &ordered, order, i);
	for (size_t i = 0; i < tree->n; i++) { /* inside each other */
		if (order[i].moved >= 0)
			continue;
		tree->nodes[i].parent = -1;
		place(tree, &ordered, order, i);
	}
	free(tree->nodes);
	*tree = ordered;
	return 0;
}
