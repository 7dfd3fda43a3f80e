/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Probes each component once, and finds one by its name. Which components there
 * are is left to the table of src/papi.
 */
#include "core/registry.h"

#include <stdlib.h>
#include <string.h>

void registry_close(struct registry *r)
{
	if (!r)
		return;
	while (r->n > 0)
		component_free(r->components[--r->n]);
	free(r->components);
	free((char *)r->fs.root);
	free(r);
}

int registry_open(const struct component_ops *const *list, size_t n,
		  const char *root, struct registry **out)
{
	struct registry *r = calloc(1, sizeof(*r));
	int err = PAPI_ENOMEM;

	if (!r)
		return err;
	r->fs.root = strdup(root);
	r->components = calloc(n ? n : 1, sizeof(*r->components));
	if (!r->fs.root || !r->components)
		goto close_registry;

	for (size_t i = 0; i < n; i++) {
		struct component *c = component_new(list[i]);

		if (!c)
			goto close_registry;
		c->index = (unsigned)i;
		r->components[r->n++] = c;
		err = component_probe(c, &r->fs);
		if (err)
			goto close_registry;
		err = PAPI_ENOMEM;
	}
	*out = r;
	return 0;

close_registry:
	registry_close(r);
	return err;
}

struct component *registry_find(const struct registry *r, const char *name)
{
	for (size_t i = 0; i < r->n; i++)
		if (strcmp(r->components[i]->ops->name, name) == 0)
			return r->components[i];
	return NULL;
}
