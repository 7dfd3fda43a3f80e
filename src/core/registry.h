/* SPDX-License-Identifier: BSD-3-Clause */
/* The components of this process, probed, in a fixed order. */
#pragma once

#include "core/component.h"

struct registry {
	struct fs fs;
	struct component **components;
	size_t n;
};

/* Probe the @n components of @list below @root ("": this machine). */
int registry_open(const struct component_ops *const *list, size_t n,
		  const char *root, struct registry **out);
void registry_close(struct registry *r);

/* The component called @name, or NULL. */
struct component *registry_find(const struct registry *r, const char *name);
