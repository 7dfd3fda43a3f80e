/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Open addressing. Keys are borrowed, and are never removed one by one. They
 * are hashed eight bytes at a time, since names are long and every start of the
 * command looks thousands of them up.
 */
#include "base/map.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"

#define ODD 0x9e3779b97f4a7c15U /* 2^64 / golden ratio: bits in no order */

/*
 * One step. A product carries bits upwards only: what came to the upper half is
 * put into the lower one, which chooses the slot, and after the second product
 * every bit of @bytes is in it.
 */
static uint64_t mix(uint64_t hash, const char *bytes, size_t n)
{
	uint64_t word = 0;

	memcpy(&word, bytes, n);
	hash = (hash ^ word) * ODD;
	hash = (hash ^ hash >> 32) * ODD;
	return hash ^ hash >> 32;
}

static uint64_t hash_of(const char *key)
{
	size_t n = strlen(key);
	uint64_t hash = n;

	for (; n > sizeof(hash); n -= sizeof(hash), key += sizeof(hash))
		hash = mix(hash, key, sizeof(hash));
	return mix(hash, key, n);
}

/* The slot that holds @key, or the free one where it would go. */
static struct map_slot *slot_of(struct map_slot *slots, size_t capacity,
				const char *key)
{
	size_t i = hash_of(key) & (capacity - 1);

	while (slots[i].key && strcmp(slots[i].key, key) != 0)
		i = (i + 1) & (capacity - 1);
	return &slots[i];
}

static int grow(struct map *map)
{
	size_t capacity = map->capacity ? 2 * map->capacity : 16;
	struct map_slot *slots = calloc(capacity, sizeof(*slots));

	if (!slots)
		return PAPI_ENOMEM;
	for (size_t i = 0; i < map->capacity; i++)
		if (map->slots[i].key)
			*slot_of(slots, capacity, map->slots[i].key) =
				map->slots[i];
	free(map->slots);
	map->slots = slots;
	map->capacity = capacity;
	return 0;
}

int map_set(struct map *map, const char *key, size_t value)
{
	struct map_slot *slot;

	if (4 * (map->n + 1) > 3 * map->capacity && grow(map))
		return PAPI_ENOMEM;
	slot = slot_of(map->slots, map->capacity, key);
	if (!slot->key)
		map->n++;
	*slot = (struct map_slot){ .key = key, .value = value };
	return 0;
}

bool map_find(const struct map *map, const char *key, size_t *value)
{
	const struct map_slot *slot;

	if (map->capacity == 0)
		return false;
	slot = slot_of(map->slots, map->capacity, key);
	if (!slot->key)
		return false;
	if (value)
		*value = slot->value;
	return true;
}

void map_fini(struct map *map)
{
	free(map->slots);
	*map = (struct map){ 0 };
}
