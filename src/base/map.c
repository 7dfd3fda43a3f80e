/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * FNV-1a and open addressing. Keys are borrowed, and are never removed one by
 * one.
 */
#include "base/map.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"

/* FNV-1a, 64 bits. */
static uint64_t hash_of(const char *key)
{
	uint64_t hash = 0xcbf29ce484222325U;

	for (; *key; key++)
		hash = (hash ^ (unsigned char)*key) * 0x100000001b3U;
	return hash;
}

/* The slot that holds @key, or the free one where it would go. */
static struct map_slot *slot_of(struct map_slot *slots, size_t room,
				const char *key)
{
	size_t i = hash_of(key) & (room - 1);

	while (slots[i].key && strcmp(slots[i].key, key) != 0)
		i = (i + 1) & (room - 1);
	return &slots[i];
}

static int grow(struct map *map)
{
	size_t room = map->room ? 2 * map->room : 16;
	struct map_slot *slots = calloc(room, sizeof(*slots));

	if (!slots)
		return PAPI_ENOMEM;
	for (size_t i = 0; i < map->room; i++)
		if (map->slots[i].key)
			*slot_of(slots, room, map->slots[i].key) =
				map->slots[i];
	free(map->slots);
	map->slots = slots;
	map->room = room;
	return 0;
}

int map_set(struct map *map, const char *key, size_t value)
{
	struct map_slot *slot;

	if (4 * (map->n + 1) > 3 * map->room && grow(map))
		return PAPI_ENOMEM;
	slot = slot_of(map->slots, map->room, key);
	if (!slot->key)
		map->n++;
	*slot = (struct map_slot){ .key = key, .value = value };
	return 0;
}

bool map_find(const struct map *map, const char *key, size_t *value)
{
	const struct map_slot *slot;

	if (map->room == 0)
		return false;
	slot = slot_of(map->slots, map->room, key);
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
