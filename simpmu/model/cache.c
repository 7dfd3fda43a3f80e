/* SPDX-License-Identifier: BSD-3-Clause */
/* Set-associative arrays: making, emptying, choosing what to replace. */

#include "simpmu/model/cache.h"

bool cache_init(struct cache *cache, struct memory *memory, uint32_t sets,
		uint32_t ways)
{
	size_t slots = (size_t)sets * ways;

	cache->sets = sets;
	cache->ways = ways;
	cache->mask = (sets & (sets - 1)) ? 0 : sets - 1;
	cache->key =
		memory_get(memory, (slots + SPARE_KEYS) * sizeof(*cache->key));
	cache->stamp = memory_get(memory, slots * sizeof(*cache->stamp));
	cache->flags = memory_get(memory, slots);
	return cache->key && cache->stamp && cache->flags;
}

void cache_flush(struct cache *cache)
{
	uint32_t slots = cache->sets * cache->ways;

	/* Reads first: untouched pages of a large array stay untouched. */
	for (uint32_t i = 0; i < slots; i++) {
		if (!cache->key[i])
			continue;
		cache_leave(cache, i);
		cache_clear(cache, i);
	}
}

uint32_t cache_find_any(const struct cache *cache, uint32_t set, uint64_t line)
{
	for (uint32_t slot = set; slot < set + cache->ways; slot++)
		if (cache->key[slot] == line + 1)
			return slot;
	return SLOT_NONE;
}

uint32_t cache_oldest_any(const struct cache *cache, uint32_t set)
{
	uint32_t best = set;

	for (uint32_t slot = set + 1; slot < set + cache->ways; slot++)
		if (cache->stamp[slot] < cache->stamp[best])
			best = slot;
	return best;
}

uint32_t cache_first_not_recent(const struct cache *cache, uint32_t set)
{
	for (uint32_t way = 0; way < cache->ways; way++)
		if (!cache->key[set + way])
			return set + way;
	for (uint32_t way = 0; way < cache->ways; way++)
		if (!(cache->flags[set + way] & LINE_RECENT))
			return set + way;
	return set; /* one way: its bit is always set */
}

bool cache_touch_bit(struct cache *cache, uint32_t set, uint32_t slot)
{
	uint8_t all = LINE_RECENT;

	cache->flags[slot] |= LINE_RECENT;
	for (uint32_t way = 0; way < cache->ways; way++)
		all &= cache->flags[set + way];
	if (!all)
		return false;
	for (uint32_t way = 0; way < cache->ways; way++)
		if (set + way != slot)
			cache->flags[set + way] &= (uint8_t)~LINE_RECENT;
	return true;
}
