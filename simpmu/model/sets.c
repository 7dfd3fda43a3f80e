/* SPDX-License-Identifier: BSD-3-Clause */
/* Arrays behind L1: making, emptying, choosing what to replace. */

#include "simpmu/model/sets.h"

static uint32_t round_up(uint32_t n, uint32_t to)
{
	return (n + to - 1) / to * to;
}

bool sets_init(struct sets *s, struct memory *memory, uint32_t count,
	       uint32_t ways)
{
	size_t slots = (size_t)count * ways;
	uint32_t notes = s->has_flags ? ways : (ways + 7) / 8;

	s->count = count;
	s->ways = ways;
	s->mask = (count & (count - 1)) ? 0 : count - 1;
	s->shift = (uint32_t)__builtin_ctz(count);
	s->stamp_bytes = round_up(ways, 16);
	s->head_bytes = round_up(ways + notes + 1, 16);
	s->block_bytes = round_up(s->head_bytes + 4 * round_up(ways, 4), 64);
	s->block = memory_get(memory, (size_t)count * s->block_bytes);
	for (uint32_t i = ways; i < SETS_HEAD_MAX; i++)
		s->filling[i] = UINT8_MAX;
	if (ways > SETS_BYTE_WAYS && !s->bit_plru) {
		s->wide = memory_get(memory, slots * sizeof(*s->wide));
		if (!s->wide)
			return false;
	}
	return s->block;
}

static bool is_empty(const struct sets *s, const uint8_t *block)
{
	const uint32_t *tags = sets_tags(s, block);

	for (uint32_t way = 0; way < s->ways; way++)
		if (tags[way])
			return false;
	return true;
}

static void flush_group(struct sets *s, uint32_t group)
{
	struct place p = { .set = group * SETS_GROUP };

	for (uint32_t i = 0; i < SETS_GROUP && p.set < s->count; i++, p.set++) {
		p.block = s->block + (size_t)p.set * s->block_bytes;
		/* Reads first: an empty set need not be written to. */
		if (is_empty(s, p.block))
			continue;
		for (uint32_t way = 0; way < s->ways; way++)
			sets_clear(s, &p, way);
	}
}

static uint32_t group_count(const struct sets *s)
{
	return (s->count + SETS_GROUP - 1) / SETS_GROUP;
}

void sets_flush(struct sets *s)
{
	for (uint32_t i = 0; i < group_count(s); i++) {
		if (s->noted && !(s->noted[i] & SETS_USED))
			continue;
		flush_group(s, i);
		if (s->noted)
			s->noted[i] = SETS_CHANGED;
	}
}

/* ---- large ones ---- */

bool sets_make_large(struct sets *s, struct memory *memory)
{
	memory_set_apart(s->block);
	s->noted = memory_get_apart(memory, group_count(s));
	return s->noted;
}

static size_t group_bytes(const struct sets *s, uint32_t group)
{
	uint32_t left = s->count - group * SETS_GROUP;

	return (size_t)s->block_bytes * (left < SETS_GROUP ? left : SETS_GROUP);
}

/* Those of @from that have changed to @to, with @note to tell what they are. */
static void copy_changed(struct sets *s, uint8_t *to, const uint8_t *from,
			 uint8_t note)
{
	for (uint32_t i = 0; i < group_count(s); i++) {
		size_t at = (size_t)i * SETS_GROUP * s->block_bytes;

		if (!(s->noted[i] & SETS_CHANGED))
			continue;
		__builtin_memcpy(to + at, from + at, group_bytes(s, i));
		s->noted[i] = (uint8_t)(s->noted[i] | note) & SETS_USED;
	}
}

bool sets_keep(struct sets *s, struct memory *memory)
{
	if (!s->kept)
		s->kept = memory_get_apart(memory,
					   (size_t)s->count * s->block_bytes);
	if (!s->kept)
		return false;
	copy_changed(s, s->kept, s->block, 0);
	return true;
}

void sets_bring_back(struct sets *s)
{
	copy_changed(s, s->block, s->kept, SETS_USED);
}

uint32_t sets_find_any(const struct sets *s, const struct place *p)
{
	const uint32_t *tags = sets_tags(s, p->block);

	for (uint32_t way = 0; way < s->ways; way++)
		if (tags[way] == p->tag)
			return way;
	return SLOT_NONE;
}

/* ---- LRU ---- */

void sets_renumber(const struct sets *s, uint8_t *block)
{
	uint8_t rank[SETS_BYTE_WAYS];
	uint8_t used = 0;

	for (uint32_t i = 0; i < s->ways; i++) {
		rank[i] = block[i] != 0;
		used = (uint8_t)(used + rank[i]);
		for (uint32_t k = 0; rank[i] && k < s->ways; k++)
			rank[i] = (uint8_t)(rank[i] +
					    (block[k] && block[k] < block[i]));
	}
	for (uint32_t i = 0; i < s->ways; i++)
		block[i] = rank[i];
	block[s->head_bytes - 1] = used;
}

#ifdef __SSE2__
typedef char sixteen __attribute__((vector_size(16), may_alias));
typedef long long two __attribute__((vector_size(16)));

/* Of bytes without sign; compilers have other names for the instructions. */
#ifdef __clang__
typedef unsigned char sixteen_bytes __attribute__((vector_size(16)));
#define LEAST(a, b)                                                            \
	((sixteen)__builtin_elementwise_min((sixteen_bytes)(a),                \
					    (sixteen_bytes)(b)))
#define DOWN(a, bytes)                                                         \
	((sixteen)__builtin_ia32_psrldqi128_byteshift((two)(a), (bytes)))
#else
#define LEAST(a, b)    ((sixteen)__builtin_ia32_pminub128(a, b))
#define DOWN(a, bytes) ((sixteen)__builtin_ia32_psrldqi128((two)(a), (bytes)*8))
#endif

static sixteen stamps_at(const struct sets *s, const uint8_t *block, uint32_t i)
{
	return *(const sixteen *)(block + i) |
	       *(const sixteen *)(s->filling + i);
}

/* First way with the smallest byte. */
static uint32_t first_least(const struct sets *s, const uint8_t *block)
{
	sixteen least = stamps_at(s, block, 0), same;
	uint32_t found, i = 0;

	for (i = 16; i < s->stamp_bytes; i += 16)
		least = LEAST(least, stamps_at(s, block, i));
	least = LEAST(least, DOWN(least, 8));
	least = LEAST(least, DOWN(least, 4));
	least = LEAST(least, DOWN(least, 2));
	least = LEAST(least, DOWN(least, 1));
	least = (sixteen){ 0 } + least[0];
	for (i = 0;; i += 16) {
		same = (sixteen)(stamps_at(s, block, i) == least);
		found = (uint32_t)__builtin_ia32_pmovmskb128(same);
		if (found)
			return i + (uint32_t)__builtin_ctz(found);
	}
}
#else
static uint32_t first_least(const struct sets *s, const uint8_t *block)
{
	uint32_t best = 0;

	for (uint32_t way = 1; way < s->ways; way++)
		if (block[way] < block[best])
			best = way;
	return best;
}
#endif

uint32_t sets_victim(const struct sets *s, const struct place *p)
{
	if (s->bit_plru | (s->wide != NULL))
		return sets_victim_other(s, p);
	return first_least(s, p->block);
}

/* ---- others ---- */

static void touch_bit(const struct sets *s, uint8_t *block, uint32_t way)
{
	uint8_t all = 1;

	block[way] = 1;
	for (uint32_t i = 0; i < s->ways; i++)
		all &= block[i];
	for (uint32_t i = 0; all && i < s->ways; i++)
		block[i] = i == way;
}

void sets_touch_other(struct sets *s, const struct place *p, uint32_t way)
{
	if (s->bit_plru)
		touch_bit(s, p->block, way);
	else
		s->wide[sets_slot(s, p, way)] = ++s->clock;
}

static uint32_t first_not_recent(const struct sets *s, const uint8_t *block)
{
	const uint32_t *tags = sets_tags(s, block);

	for (uint32_t way = 0; way < s->ways; way++)
		if (!tags[way])
			return way;
	for (uint32_t way = 0; way < s->ways; way++)
		if (!block[way])
			return way;
	return 0; /* one way: its bit is always set */
}

uint32_t sets_victim_other(const struct sets *s, const struct place *p)
{
	const uint64_t *stamp;
	uint32_t best = 0;

	if (s->bit_plru)
		return first_not_recent(s, p->block);
	stamp = s->wide + (size_t)p->set * s->ways;
	for (uint32_t way = 1; way < s->ways; way++)
		if (stamp[way] < stamp[best])
			best = way;
	return best;
}
