/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sections in the formats of other tools: Caliper's json-split (Hatchet,
 * Thicket), TAU's profile (ParaProf), and trace events (Perfetto).
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "taskfile/tree.h"
#include "write/json.h"

static int finish(FILE *to)
{
	return ferror(to) ? PAPI_ESYS : 0;
}

/*
 * Every name of a value, in the order they first come; borrowed, and NULL if
 * there is none. 0 or PAPI_ENOMEM.
 */
static int column_names(const struct tree *tree, const char ***out, size_t *n)
{
	const char **names = NULL;

	*n = 0;
	for (size_t i = 0; i < tree->n; i++) {
		for (size_t k = 0; k < tree->nodes[i].n; k++) {
			const char *name = tree->nodes[i].values[k].name;
			size_t at = 0;

			while (at < *n && strcmp(names[at], name) != 0)
				at++;
			if (at < *n)
				continue;
			if (array_grow(&names, *n, sizeof(*names))) {
				free(names);
				return PAPI_ENOMEM;
			}
			names[(*n)++] = name;
		}
	}
	*out = names;
	return 0;
}

static void put_nodes(struct json *j, const struct tree *tree)
{
	json_array(j, "nodes");
	for (size_t i = 0; i < tree->n; i++) {
		json_row(j, NULL);
		json_string(j, "label", tree->nodes[i].label);
		json_string(j, "column", "path");
		if (tree->nodes[i].parent >= 0)
			json_unsigned(j, "parent",
				      (uint64_t)tree->nodes[i].parent);
		json_end_object(j);
	}
	json_end_array(j);
}

static void put_columns(struct json *j, const char *const *names, size_t n)
{
	json_list(j, "columns");
	for (size_t i = 0; i < n; i++)
		json_string(j, NULL, names[i]);
	json_string(j, NULL, "source.file");
	json_string(j, NULL, "source.line");
	json_string(j, NULL, "path");
	json_end_array(j);
	json_array(j, "column_metadata");
	for (size_t i = 0; i < n + 3; i++)
		json_row_of(j, NULL, "is_value %d", i < n + 2);
	json_end_array(j);
}

int tree_write_caliper(const struct tree *tree, FILE *to)
{
	struct json j;
	OWNED const char **names = NULL;
	size_t n;
	int err = column_names(tree, &names, &n);

	if (err)
		return err;
	json_init(&j, to);
	json_object(&j, NULL);
	json_array(&j, "data");
	for (size_t i = 0; i < tree->n; i++) {
		json_list(&j, NULL);
		for (size_t k = 0; k < n; k++) {
			const struct tree_value *value =
				tree_find(&tree->nodes[i], names[k]);

			json_number(&j, NULL, value ? value->value : NAN);
		}
		json_string(&j, NULL, tree->nodes[i].file);
		json_number(&j, NULL, (double)tree->nodes[i].line);
		json_unsigned(&j, NULL, i);
		json_end_array(&j);
	}
	json_end_array(&j);
	put_columns(&j, names, n);
	put_nodes(&j, tree);
	json_end_object(&j);
	return json_finish(&j);
}

/* TAU. */

/* What a profile is of: time, or an event where times are not the machine's. */
static const char *tau_metric(const struct tree *tree)
{
	for (size_t i = 0; tree->simulated && i < tree->n; i++)
		for (size_t k = 0; k < tree->nodes[i].n; k++)
			if (!isnan(tree->nodes[i].values[k].exclusive))
				return tree->nodes[i].values[k].name;
	return NULL;
}

static double number_of(const struct tree_node *node, const char *name)
{
	const struct tree_value *value = tree_find(node, name);

	return value && !isnan(value->value) ? (double)value->value : 0;
}

static void tau_name(const struct tree_node *node, FILE *to)
{
	putc('"', to);
	for (const char *s = node->label; *s; s++) /* it has no escapes */
		putc(*s == '"' || (unsigned char)*s < 0x20 ? '\'' : *s, to);
	if (node->file[0])
		fprintf(to, " [{%s} {%ld}]", node->file, node->line);
	fprintf(to, " #%ld\"", node->id);
}

static unsigned long children_of(const struct tree *tree, size_t node)
{
	double n = 0;

	for (size_t i = node + 1; i < tree->n; i++)
		if (tree->nodes[i].parent == (long)node)
			n += number_of(&tree->nodes[i], "Count");
	return (unsigned long)n;
}

int tree_write_tau(const struct tree *tree, FILE *to)
{
	const char *metric = tau_metric(tree);

	fprintf(to, "%zu templated_functions_MULTI_%s\n", tree->n,
		metric ? metric : "TIME");
	fputs("# Name Calls Subrs Excl Incl ProfileCalls #\n", to);
	for (size_t i = 0; i < tree->n; i++) {
		const struct tree_node *node = &tree->nodes[i];
		const struct tree_value *value =
			metric ? tree_find(node, metric) : NULL;
		long double exclusive = number_of(node, "ExcSec") * 1e6;
		long double inclusive = number_of(node, "IncSec") * 1e6;

		if (metric) {
			exclusive = value ? value->exclusive : 0;
			inclusive = value ? value->value : 0;
		}
		tau_name(node, to);
		fprintf(to, " %.0f %lu %.20Lg %.20Lg 0 GROUP=\"%s\"\n",
			number_of(node, "Count"), children_of(tree, i),
			exclusive, inclusive, node->kind);
	}
	fputs("0 aggregates\n", to);
	return finish(to);
}

/* Trace events. */

/* How long each section is drawn: at least as long as what is inside it. */
static void set_lengths(const struct tree *tree, double *lengths)
{
	memset(lengths, 0, tree->n * sizeof(*lengths));
	for (size_t i = tree->n; i-- > 0;) { /* inner ones come later */
		const struct tree_node *node = &tree->nodes[i];

		lengths[i] = fmax(lengths[i], number_of(node, "IncSec") * 1e6);
		if (node->parent >= 0)
			lengths[node->parent] += lengths[i];
	}
}

static void put_slice(struct json *j, const struct tree_node *node,
		      double begin, double length)
{
	json_object(j, NULL);
	json_string(j, "name", node->label);
	json_string(j, "cat", node->kind);
	json_string(j, "ph", "X");
	json_number(j, "ts", begin);
	json_number(j, "dur", length);
	json_unsigned(j, "pid", 0);
	json_unsigned(j, "tid", 0);
	json_row(j, "args");
	for (size_t i = 0; i < node->n; i++)
		json_number(j, node->values[i].name, node->values[i].value);
	json_end_object(j);
	json_end_object(j);
}

int tree_write_trace(const struct tree *tree, FILE *to)
{
	OWNED double *lengths = calloc(tree->n + 1, sizeof(*lengths));
	OWNED double *next = calloc(tree->n + 1, sizeof(*next));
	double outside = 0; /* where the next outermost one begins */
	struct json j;

	if (!lengths || !next)
		return PAPI_ENOMEM;
	set_lengths(tree, lengths);
	json_init(&j, to);
	json_object(&j, NULL);
	json_string(&j, "displayTimeUnit", "ns");
	json_array(&j, "traceEvents");
	for (size_t i = 0; i < tree->n; i++) {
		long parent = tree->nodes[i].parent;
		double *at = parent < 0 ? &outside : &next[parent];

		next[i] = *at;
		put_slice(&j, &tree->nodes[i], *at, lengths[i]);
		*at += lengths[i];
	}
	json_end_array(&j);
	json_end_object(&j);
	return json_finish(&j);
}
