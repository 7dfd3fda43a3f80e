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
#pragma once

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

struct watch;

struct cache {
	uint64_t *key;   /* line + 1; 0: empty; a set's ways are neighbours */
	uint64_t *stamp; /* 0 in empty slots, so that they go first */
	uint8_t *flags;
	uint32_t sets;
	uint32_t ways;
	uint32_t mask; /* sets - 1 if that is a mask, else 0 */
	bool bit_plru;
	struct watch **watch; /* by slot, who is told; NULL: nobody */
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

/* Searches are laid out for the usual numbers of ways, in a straight line. */
#define CACHE_STRAIGHT inline __attribute__((always_inline))

#ifdef __SSE2__
typedef uint32_t cache_four __attribute__((vector_size(16)));
typedef uint32_t cache_four_at
	__attribute__((vector_size(16), aligned(8), may_alias));
typedef float cache_four_bits __attribute__((vector_size(16)));

static inline uint32_t cache_bits(cache_four same)
{
	return (uint32_t)__builtin_ia32_movmskps((cache_four_bits)same);
}

/* Whether the lower halves of four keys are @want, one bit each. */
static inline uint32_t cache_match_four(const uint64_t *key, uint32_t want)
{
	cache_four a = *(const cache_four_at *)key;
	cache_four b = *(const cache_four_at *)(key + 2);
	cache_four low = __builtin_shufflevector(a, b, 0, 2, 4, 6);
	cache_four all = { want, want, want, want };

	return cache_bits(low == all);
}

/* Way of @line; SLOT_NONE if it is not there. Four ways at a time without a
 * branch: which of them it is nobody can predict. May look at keys behind the
 * set, so arrays have spare ones. At most 32 ways. */
static CACHE_STRAIGHT uint32_t cache_find_way(const uint64_t *key,
					      uint32_t ways, uint64_t line)
{
	uint32_t want = (uint32_t)(line + 1), found = 0;

#pragma GCC unroll 4
	for (uint32_t way = 0; way < ways; way += 4)
		found |= cache_match_four(key + way, want) << way;
	for (; found; found &= found - 1) {
		uint32_t way = (uint32_t)__builtin_ctz(found);

		if (key[way] == line + 1 && way < ways)
			return way;
	}
	return SLOT_NONE;
}
#else
static CACHE_STRAIGHT uint32_t cache_find_way(const uint64_t *key,
					      uint32_t ways, uint64_t line)
{
	for (uint32_t way = 0; way < ways; way++)
		if (key[way] == line + 1)
			return way;
	return SLOT_NONE;
}
#endif

/* Slot of @line in an array of any number of ways. */
uint32_t cache_find_any(const struct cache *cache, uint32_t set, uint64_t line);

/* Slot of @line, whose set begins at @set; SLOT_NONE if it is not there. */
static inline uint32_t cache_find_in(const struct cache *cache, uint32_t set,
				     uint64_t line)
{
	const uint64_t *key = cache->key + set;
	uint32_t way;

	switch (cache->ways) {
	case 4:
		way = cache_find_way(key, 4, line);
		break;
	case 8:
		way = cache_find_way(key, 8, line);
		break;
	case 12:
		way = cache_find_way(key, 12, line);
		break;
	default:
		return cache_find_any(cache, set, line);
	}
	return way == SLOT_NONE ? SLOT_NONE : set + way;
}

/* What is in @slot leaves: those who watch it (watch.h) are told. */
void cache_tell(struct cache *cache, uint32_t slot);

static inline void cache_leave(struct cache *cache, uint32_t slot)
{
	if (cache->watch && cache->watch[slot])
		cache_tell(cache, slot);
}

/* The victim by bit-PLRU. */
uint32_t cache_first_not_recent(const struct cache *cache, uint32_t set);

static inline void cache_clear(struct cache *cache, uint32_t slot)
{
	cache->key[slot] = 0;
	cache->stamp[slot] = 0;
	cache->flags[slot] = 0;
}

/* Way with the smallest stamp. Two searches at once: each step of one has to
 * wait for the step before. Which of them wins nobody can predict, and a choice
 * by ?: becomes a branch here. */
static CACHE_STRAIGHT uint32_t cache_oldest_way(const uint64_t *stamp,
						uint32_t ways)
{
	uint32_t even = 0, odd = 1;
	uint64_t least_even = stamp[0], least_odd = stamp[1];
	uint32_t is_odd;

#pragma GCC unroll 8
	for (uint32_t way = 2; way < ways; way += 2) {
		bool even_older = stamp[way] < least_even;
		bool odd_older = stamp[way + 1] < least_odd;

		even = even_older ? way : even;
		least_even = even_older ? stamp[way] : least_even;
		odd = odd_older ? way + 1 : odd;
		least_odd = odd_older ? stamp[way + 1] : least_odd;
	}
	is_odd = -(uint32_t)(least_odd < least_even);
	return even ^ ((even ^ odd) & is_odd);
}

/* Slot with the smallest stamp of a set of any number of ways. */
uint32_t cache_oldest_any(const struct cache *cache, uint32_t set);

static inline uint32_t cache_oldest(const struct cache *cache, uint32_t set)
{
	const uint64_t *stamp = cache->stamp + set;

	switch (cache->ways) {
	case 4:
		return set + cache_oldest_way(stamp, 4);
	case 8:
		return set + cache_oldest_way(stamp, 8);
	case 12:
		return set + cache_oldest_way(stamp, 12);
	default:
		return cache_oldest_any(cache, set);
	}
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
