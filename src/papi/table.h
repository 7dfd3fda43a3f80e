/* SPDX-License-Identifier: BSD-3-Clause */
/* The components that this library is made with, in their fixed order. */
#pragma once

#include "core/component.h"

enum {
	COMPONENT_TABLE_MAX = 32
}; /* bits of library_disable() */

extern const struct component_ops *const component_table[];
extern const size_t component_table_n;

/* The index of @name, or PAPI_ENOCMP. */
int component_table_find(const char *name);
