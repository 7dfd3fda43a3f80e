/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The table, and the search by name. How a component is opened is left to
 * src/core/registry.c.
 */
#include "papi/table.h"

#include <string.h>

#include "base/array.h"
#include "components/components.h"

#define ROW(name) &name##_component,
const struct component_ops *const component_table[] = { COMPONENTS(ROW) };

const size_t component_table_n = ARRAY_SIZE(component_table);

_Static_assert(ARRAY_SIZE(component_table) <= COMPONENT_TABLE_MAX,
	       "too many components");

int component_table_find(const char *name)
{
	for (size_t i = 0; i < component_table_n; i++)
		if (strcmp(component_table[i]->name, name) == 0)
			return (int)i;
	return PAPI_ENOCMP;
}
