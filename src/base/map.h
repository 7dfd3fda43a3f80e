/* SPDX-License-Identifier: BSD-3-Clause */
/* A map from strings to numbers: open addressing, grows, never shrinks. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct map_slot {
	const char *key; /* borrowed; NULL: free */
	size_t value;
};

/* Zero-initialise it. Keys are borrowed and must outlive the map. */
struct map {
	struct map_slot *slots;
	size_t capacity; /* a power of two, or 0 */
	size_t n;
};

/* Set @key to @value, replacing an older one. 0 or PAPI_ENOMEM. */
int map_set(struct map *map, const char *key, size_t value);

/* Whether @key is there; then its value in *@value (which may be NULL). */
bool map_find(const struct map *map, const char *key, size_t *value);

void map_fini(struct map *map);
