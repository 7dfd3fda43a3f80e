/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The sections of a performance file as a tree, for formats of other tools:
 * each section stands behind the one around it.
 */
#pragma once

#include <stdio.h>

#include "taskfile/taskfile.h"

struct tree_value {
	char *name;
	long double value; /* as in struct task_datum */
	long double exclusive;
};

struct tree_node {
	char *label;
	char *file;
	char *kind;
	long line;
	long id;
	long parent_id;
	long parent; /* index of the section around it, less than its own; -1 */
	struct tree_value *values;
	size_t n;
};

struct tree {
	struct tree_node *nodes;
	size_t n;
	bool simulated;
};

/* A sink that fills @tree, which is all zero at first. */
struct taskfile_sink tree_builder(struct tree *tree);

/* Put every section behind the one around it. 0 or PAPI_ENOMEM. */
int tree_order(struct tree *tree);
void tree_fini(struct tree *tree);

/* The value called @name, or NULL. */
const struct tree_value *tree_find(const struct tree_node *node,
				   const char *name);

/* The formats; 0, or PAPI_ESYS if @to failed. */
int tree_write_caliper(const struct tree *tree, FILE *to);
int tree_write_tau(const struct tree *tree, FILE *to);
int tree_write_trace(const struct tree *tree, FILE *to);
