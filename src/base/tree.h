/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * JSON read as a tree: RFC 8259, up to 64 levels deep. Any program's locale may
 * be set; numbers are read with a point all the same.
 */
#pragma once

#include <stdbool.h>

#include "base/err.h"

enum tree_kind {
	TREE_NULL,
	TREE_FALSE,
	TREE_TRUE,
	TREE_NUMBER,
	TREE_STRING,
	TREE_ARRAY,
	TREE_OBJECT
};

struct tree {
	enum tree_kind kind;
	char *key;     /* of an object's member */
	char *text;    /* of a string, in UTF-8; of a number, as written */
	double number; /* infinite if it is too large for a double */
	struct tree *items;
	size_t n;
};

/* Read @text; tree_free() releases *@out. @diag has line and column. */
int tree_parse(const char *text, struct tree **out, struct diag *diag);
void tree_free(struct tree *tree);

/* In the following @tree may be NULL, as if it were null. */

/* Member @key of an object, or NULL. */
const struct tree *tree_member(const struct tree *tree, const char *key);

/* Item @i of an array, or NULL. */
const struct tree *tree_item(const struct tree *tree, size_t i);

bool tree_is(const struct tree *tree, enum tree_kind kind);

/* A number, or NaN. */
double tree_number(const struct tree *tree);

/*
 * A number, if it is whole with every digit of 64 bits, which a double may not
 * have; infinite if it has more. NaN if it is not a number.
 */
long double tree_count(const struct tree *tree);

/* A string, or NULL. */
const char *tree_string(const struct tree *tree);

/* A member's text if it is a string, or NULL. */
const char *tree_text(const struct tree *tree, const char *key);
