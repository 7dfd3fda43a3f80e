/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Names that stand for themselves: each distinct one gets the next slot. For
 * formulas that are checked, listed or applied to recorded counts.
 */
#pragma once

#include "base/map.h"
#include "metric/formula.h"

/* Zero-initialise it. */
struct name_list {
	char **names; /* owned, in the order of the slots */
	size_t n;
	struct map slots;
};

/* The slot of @name, which is added if it is new. */
int name_list_add(struct name_list *list, const char *name, size_t *slot);

/* For struct formula_names: context is a struct name_list. */
int name_list_push(void *context, const char *name, struct formula_builder *b,
		   struct diag *diag);

void name_list_fini(struct name_list *list);
