/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Doubles the capacity of an array when it is full. What an element is, and
 * freeing it, are the caller's.
 */
#include "base/array.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"

#define FIRST_CAPACITY 4 /* elements; a power of two */

int array_grow(void *items, size_t n, size_t size)
{
	void *old, *grown;

	if (n > 0 && n < FIRST_CAPACITY)
		return 0;
	if (n & (n - 1)) /* between powers of two there is room */
		return 0;
	if (n > SIZE_MAX / 2 / size)
		return PAPI_ENOMEM;

	memcpy(&old, items, sizeof(old)); /* *items has the caller's type */
	grown = realloc(old, (n ? 2 * n : FIRST_CAPACITY) * size);
	if (!grown)
		return PAPI_ENOMEM;
	memcpy(items, &grown, sizeof(grown));
	return 0;
}
