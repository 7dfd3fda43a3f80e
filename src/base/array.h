/* SPDX-License-Identifier: BSD-3-Clause */
/* Growing arrays of any element type. */
#pragma once

#include <stddef.h>

#include "base/err.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/*
 * Make room for one more element after the @n elements of @size bytes at
 * *@items, which may be NULL when @n is 0. There is room for four, and it
 * doubles at powers of two, so nothing but the count need be kept. 0, or
 * PAPI_ENOMEM with *@items intact.
 */
int array_grow(void *items, size_t n, size_t size);

/*
 * Put @item behind the @n elements of @items; both are variables, which change.
 * 0, or PAPI_ENOMEM with nothing changed: then @item is still the caller's.
 */
#define array_add(items, n, item)                                              \
	(array_grow(&(items), (n), sizeof(*(items)))                           \
		 ? PAPI_ENOMEM                                                 \
		 : ((items)[(n)++] = (item), 0))
