/* SPDX-License-Identifier: BSD-3-Clause */
/* A list with an index; it owns its names. */
#include "metric/names.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

int name_list_add(struct name_list *list, const char *name, size_t *slot)
{
	char *copy;

	if (map_find(&list->slots, name, slot))
		return 0;
	if (array_grow(&list->names, list->n, sizeof(*list->names)))
		return PAPI_ENOMEM;
	copy = strdup(name);
	if (!copy)
		return PAPI_ENOMEM;
	if (map_set(&list->slots, copy, list->n)) {
		free(copy);
		return PAPI_ENOMEM;
	}
	*slot = list->n;
	list->names[list->n++] = copy;
	return 0;
}

int name_list_push(void *context, const char *name, struct formula_builder *b,
		   struct diag *diag)
{
	size_t slot;

	if (name_list_add(context, name, &slot) || builder_count(b, slot))
		return diag_fail(diag, PAPI_ENOMEM, "out of memory");
	return 0;
}

void name_list_fini(struct name_list *list)
{
	while (list->n > 0)
		free(list->names[--list->n]);
	free(list->names);
	map_fini(&list->slots);
	*list = (struct name_list){ 0 };
}
