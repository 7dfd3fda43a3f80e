/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A set-associative array with replacement: the stuff that L1 and first-level
 * TLBs are made of. It knows lines by number, not what is done with them.
 *
 * Modelling decisions:
 *  - LRU is kept by time stamps: the victim is the oldest.
 *  - Bit-PLRU: one bit a line, set by use; when the last bit of a set would be
 *    set all others are cleared; the victim is the first line without it.
 *  - The set is line mod sets, for any number of sets.
 */
#ifndef SIMPMU_MODEL_CACHE_H
#define SIMPMU_MODEL_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "simpmu/model/memory.h"

#define SLOT_NONE  UINT32_MAX
#define SPARE_KEYS 4 /* behind the last set; see cache_find_in() */

/* Flags of a line. MESI: invalid is no line, shared is neither OWNED nor
 * DIRTY, exclusive is OWNED, modified is both. */
enum line_flag {
	LINE_OWNED = 1 << 0,       /* no other core has it */
	LINE_DIRTY = 1 << 1,       /* newer than the level below */
	LINE_PREFETCHED = 1 << 2,  /* fetched unasked, not used since */
	LINE_DIRTY_BELOW = 1 << 3, /* L1: the core's L2 has it dirty */
	LINE_RECENT = 1 << 5,      /* L1: the bit of bit-PLRU */
	LINE_BELOW = 1 << 6        /* L2: it came from an L3 that keeps it */
};

struct cache {
	uint64_t *key;   /* line + 1; 0: empty; a set's ways are neighbours */
	uint64_t *stamp; /* 0 in empty slots, so that they go first */
	uint8_t *flags;
	uint32_t sets;
	uint32_t ways;
	uint32_t mask; /* sets - 1 if that is a mask, else 0 */
	bool bit_plru;
};

/* Make an empty array. False if there is no memory. */
bool cache_init(struct cache *cache, struct memory *memory, uint32_t sets,
		uint32_t ways);
void cache_flush(struct cache *cache);

/* First slot of the set that @line maps to. */
static inline uint32_t cache_set(const struct cache *cache, uint64_t line)
{
	uint64_t set = cache->mask ? line & cache->mask : line % cache->sets;

	return (uint32_t)set * cache->ways;
}

#ifdef __SSE2__
typedef uint32_t cache_four __attribute__((vector_size(16)));
typedef uint32_t cache_four_at
	__attribute__((vector_size(16), aligned(8), may_alias));
typedef float cache_four_bits __attribute__((vector_size(16)));

/* Whether the lower halves of four keys are @want, one bit each. */
static inline uint32_t cache_match_four(const uint64_t *key, uint32_t want)
{
	cache_four a = *(const cache_four_at *)key;
	cache_four b = *(const cache_four_at *)(key + 2);
	cache_four low = __builtin_shufflevector(a, b, 0, 2, 4, 6);
	cache_four all = { want, want, want, want };

	return (uint32_t)__builtin_ia32_movmskps((cache_four_bits)(low == all));
}

/* Slot of @line, whose set begins at @set; SLOT_NONE if it is not there. Four
 * ways at a time without a branch: which of them it is nobody can predict. May
 * look at keys behind the set, so arrays have spare ones. */
static inline uint32_t cache_find_in(const struct cache *cache, uint32_t set,
				     uint64_t line)
{
	const uint64_t *key = cache->key + set;
	uint32_t want = (uint32_t)(line + 1);

	for (uint32_t way = 0; way < cache->ways; way += 4) {
		uint32_t found = cache_match_four(key + way, want);

		for (; found; found &= found - 1) {
			uint32_t i = way + (uint32_t)__builtin_ctz(found);

			if (key[i] == line + 1 && i < cache->ways)
				return set + i;
		}
	}
	return SLOT_NONE;
}
#else
static inline uint32_t cache_find_in(const struct cache *cache, uint32_t set,
				     uint64_t line)
{
	for (uint32_t way = 0; way < cache->ways; way++)
		if (cache->key[set + way] == line + 1)
			return set + way;
	return SLOT_NONE;
}
#endif

/* The victim by bit-PLRU. */
uint32_t cache_first_not_recent(const struct cache *cache, uint32_t set);

static inline void cache_clear(struct cache *cache, uint32_t slot)
{
	cache->key[slot] = 0;
	cache->stamp[slot] = 0;
	cache->flags[slot] = 0;
}

/* Slot of the smallest stamp of a set. Two searches at once: each step of one
 * has to wait for the step before. */
static inline uint32_t cache_oldest(const struct cache *cache, uint32_t set)
{
	const uint64_t *stamp = cache->stamp + set;
	uint32_t even = 0, odd = cache->ways > 1;
	uint64_t least_even = stamp[even], least_odd = stamp[odd];

	for (uint32_t way = 2; way < cache->ways; way += 2) {
		uint32_t next = way + 1 < cache->ways ? way + 1 : way;
		bool even_older = stamp[way] < least_even;
		bool odd_older = stamp[next] < least_odd;

		even = even_older ? way : even;
		least_even = even_older ? stamp[way] : least_even;
		odd = odd_older ? next : odd;
		least_odd = odd_older ? stamp[next] : least_odd;
	}
	return set + (least_odd < least_even ? odd : even);
}

/* The slot that has to go: an empty one, else by the policy. */
static inline uint32_t cache_victim(const struct cache *cache, uint32_t set)
{
	return cache->bit_plru ? cache_first_not_recent(cache, set)
			       : cache_oldest(cache, set);
}

/* Bit-PLRU: note a use of @slot in the set at @set. Returns whether the bits
 * of all other ways were cleared. */
bool cache_touch_bit(struct cache *cache, uint32_t set, uint32_t slot);

#endif /* SIMPMU_MODEL_CACHE_H */
