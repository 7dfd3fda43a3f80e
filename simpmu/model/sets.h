/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The set-associative arrays behind L1 and the first-level TLBs: L2, L3 and the
 * second-level TLB. No filter stands before them, and an L3 is larger than the
 * host's own caches, so they are laid out for few cache misses of the host: a
 * set is one block of bytes, one for each way that tells when it was last used,
 * then a bit, or a byte of flags, and a 32-bit tag for each. The twelve ways of
 * a set of icx's L3 fill just one line, the twenty of its L2 two.
 *
 * Modelling decisions and known lies:
 *  - LRU is kept by stamps of a byte from a clock that each set has for itself;
 *    when it runs out, stamps become ranks. It is exact.
 *  - Bit-PLRU: the byte is 1 for a recent use; when the last way of a set would
 *    get it all others lose it; the victim is the first way without it.
 *  - The set is line mod sets, for any number of sets; the tag is line / sets.
 *    Two lines that are 2^32 times the number of sets apart are taken for one.
 *    User addresses have 47 bits: this needs less than 512 sets.
 */
#pragma once

#include "simpmu/model/cache.h"

/* With more ways the byte of a clock would run out all the time. For bit-PLRU
 * a byte is enough for any number. */
#define SETS_BYTE_WAYS 112
#define SETS_HEAD_MAX  128

struct sets {
	/* all bits where a head has no stamp */
	_Alignas(16) uint8_t filling[SETS_HEAD_MAX];
	uint8_t *block; /* of all sets */
	bool has_flags; /* bytes for enum line_flag, and no marks */
	uint32_t count;
	uint32_t ways;
	uint32_t block_bytes;
	uint32_t stamp_bytes; /* of a block: stamps, as one looks at them */
	uint32_t head_bytes;  /* stamps, marks or flags, filling, the clock */
	uint32_t mask;        /* count - 1 if that is a mask, else 0 */
	uint32_t shift;       /* log2 of count then */
	bool bit_plru;
	uint64_t *wide; /* stamps, by slot, of sets with too many ways */
	uint64_t clock; /* of those */
	/* of a large array, for each SETS_GROUP sets, enum sets_note */
	uint8_t *noted;
	uint8_t *kept; /* copy of block */
};

#define SETS_GROUP 64u

enum sets_note {
	SETS_USED = 1,   /* there may be lines in it */
	SETS_CHANGED = 2 /* may not be as they were kept */
};

/* Where a line belongs. */
struct place {
	uint8_t *block;
	uint32_t set;
	uint32_t tag; /* never 0: that is an empty way */
};

/* Make an empty array; bit_plru and has_flags are set before. False if there is
 * no memory. */
bool sets_init(struct sets *sets, struct memory *memory, uint32_t count,
	       uint32_t ways);
void sets_flush(struct sets *sets);

/*
 * The array is large: whoever changes a set tells so by sets_note(), and what
 * has not changed need not be looked at by sets_flush(), sets_keep() and
 * sets_bring_back(), which are memory_keep() and memory_bring_back() for it.
 */
bool sets_make_large(struct sets *sets, struct memory *memory);
bool sets_keep(struct sets *sets, struct memory *memory);
void sets_bring_back(struct sets *sets);

static inline void sets_note(const struct sets *s, const struct place *p)
{
	s->noted[p->set / SETS_GROUP] = SETS_USED | SETS_CHANGED;
}

static inline struct place sets_place(const struct sets *s, uint64_t line)
{
	struct place p;

	if (s->mask) {
		p.set = (uint32_t)line & s->mask;
		p.tag = (uint32_t)(line >> s->shift) + 1;
	} else {
		p.set = (uint32_t)(line % s->count);
		p.tag = (uint32_t)(line / s->count) + 1;
	}
	p.block = s->block + (size_t)p.set * s->block_bytes;
	return p;
}

static inline uint32_t *sets_tags(const struct sets *s, const uint8_t *block)
{
	return (uint32_t *)(void *)(block + s->head_bytes);
}

/* Number of a way among all of the array. */
static inline uint32_t sets_slot(const struct sets *s, const struct place *p,
				 uint32_t way)
{
	return p->set * s->ways + way;
}

/* The line in a way that is not empty. */
static inline uint64_t sets_line(const struct sets *s, uint32_t set,
				 uint32_t tag)
{
	return (uint64_t)(tag - 1) * s->count + set;
}

#ifdef __SSE2__
typedef uint32_t sets_four __attribute__((vector_size(16), may_alias));

/* Which of them it is nobody can predict: no branch about it. Tags of a block
 * are aligned, and padded to a multiple of four. At most 32 ways. */
static CACHE_STRAIGHT uint32_t sets_find_way(const uint32_t *tags,
					     uint32_t ways, uint32_t tag)
{
	const cache_four want = { tag, tag, tag, tag };
	uint32_t found = 0;

#pragma GCC unroll 8
	for (uint32_t way = 0; way < ways; way += 4) {
		const sets_four *four = (const sets_four *)(tags + way);

		found |= cache_bits(*four == want) << way;
	}
	return found ? (uint32_t)__builtin_ctz(found) : SLOT_NONE;
}
#else
static CACHE_STRAIGHT uint32_t sets_find_way(const uint32_t *tags,
					     uint32_t ways, uint32_t tag)
{
	for (uint32_t way = 0; way < ways; way++)
		if (tags[way] == tag)
			return way;
	return SLOT_NONE;
}
#endif

/* The same for any number of ways. */
uint32_t sets_find_any(const struct sets *sets, const struct place *place);

/* The way that has the line of @p; SLOT_NONE: none. */
static inline uint32_t sets_find(const struct sets *s, const struct place *p)
{
	const uint32_t *tags = sets_tags(s, p->block);

	switch (s->ways) {
	case 12:
		return sets_find_way(tags, 12, p->tag);
	case 16:
		return sets_find_way(tags, 16, p->tag);
	case 20:
		return sets_find_way(tags, 20, p->tag);
	default:
		return sets_find_any(s, p);
	}
}

/* A block of this set will be looked at soon. */
static inline void sets_expect(const struct sets *s, const struct place *p)
{
	for (uint32_t i = 0; i < s->block_bytes; i += 64)
		__builtin_prefetch(p->block + i);
}

/* Stamps become ranks, so that the clock can go on. */
void sets_renumber(const struct sets *sets, uint8_t *block);

/* The policies that are not plain LRU by bytes. */
void sets_touch_other(struct sets *sets, const struct place *place,
		      uint32_t way);
uint32_t sets_victim_other(const struct sets *sets, const struct place *place);

/* Note a use of @way. */
static inline void sets_touch(struct sets *s, const struct place *p,
			      uint32_t way)
{
	uint8_t *clock = p->block + s->head_bytes - 1;

	if (s->bit_plru | (s->wide != NULL)) {
		sets_touch_other(s, p, way);
		return;
	}
	p->block[way] = ++*clock;
	if (*clock == UINT8_MAX)
		sets_renumber(s, p->block);
}

/* The way whose line has to go: an empty one, else by the policy. */
uint32_t sets_victim(const struct sets *sets, const struct place *place);

/* Flags of the line in @way, if the array has them. */
static inline uint8_t *sets_flags(const struct sets *s, const struct place *p,
				  uint32_t way)
{
	return &p->block[s->ways + way];
}

/* Else the bit of @way, for what the owner likes. */
static inline bool sets_is_marked(const struct sets *s, const struct place *p,
				  uint32_t way)
{
	return p->block[s->ways + way / 8] >> way % 8 & 1;
}

static inline void sets_mark(const struct sets *s, const struct place *p,
			     uint32_t way, bool mark)
{
	uint8_t *byte = &p->block[s->ways + way / 8];
	uint32_t without = *byte & ~(1u << way % 8);

	*byte = (uint8_t)(without | (uint32_t)mark << way % 8);
}

/* Put the line of @p into @way, as the newest, without a mark. Flags, if there
 * are any, are the caller's to set. */
static inline void sets_put(struct sets *s, const struct place *p, uint32_t way)
{
	sets_tags(s, p->block)[way] = p->tag;
	if (!s->has_flags)
		sets_mark(s, p, way, false);
	sets_touch(s, p, way);
}

static inline void sets_clear(struct sets *s, const struct place *p,
			      uint32_t way)
{
	sets_tags(s, p->block)[way] = 0;
	p->block[way] = 0;
	if (s->wide)
		s->wide[sets_slot(s, p, way)] = 0;
}
