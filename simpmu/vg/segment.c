/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of segments: what entering each one means, in signals.
 *
 * Segments are never forgotten, because their counters outlive the code that
 * was unmapped, rewritten or merely retranslated. A block that is translated
 * again to the same effects gets its old numbers back, so that the table
 * grows with the code a program has and not with how often it is translated.
 * If a program makes ever new code, the table is emptied once it is full:
 * counters are summed first, and everything is translated anew.
 */
#include <pub_tool_basics.h>
#include <pub_tool_libcassert.h>
#include <pub_tool_libcbase.h>
#include <pub_tool_mallocfree.h>

#include "simpmu/vg/state.h"

#define HASH_SIZE (1u << 16)

struct span {
	uint32_t effects; /* index of the first */
	uint32_t count;
	uint32_t heads;      /* index of the effects of its head ... */
	uint32_t head_count; /* ... and how many */
	uint32_t block;      /* first segment of its block */
	struct segment_place place;
};

struct block {
	Addr address;
	uint32_t first; /* segment */
	uint32_t count;
	struct block *next;
};

static struct {
	struct span *segments;
	uint32_t count, capacity;
	struct effect *effects;
	uint32_t effect_count, effect_capacity;
	struct block *hash[HASH_SIZE];
} table;

uint32_t segment_count(void)
{
	return table.count;
}

const struct effect *segment_effects(uint32_t segment, unsigned *n)
{
	const struct span *s = &table.segments[segment];

	*n = s->count;
	return &table.effects[s->effects];
}

/* Position among the totals of position @i of a draft. */
static uint32_t total_of(uint32_t i)
{
	return i < TALLY_ARCH_COUNT ? i : i - TALLY_ARCH_COUNT + TALLY_COUNT;
}

static bool is_same(uint32_t segment, const struct draft *draft)
{
	unsigned n, found = 0;
	const struct effect *e = segment_effects(segment, &n);

	if (table.segments[segment].place.start != draft->address ||
	    table.segments[segment].place.last != draft->last)
		return false;
	for (unsigned i = 0; i < DRAFT_COUNT; i++) {
		if (!draft->amount[i])
			continue;
		if (found >= n || e[found].total != total_of(i) ||
		    e[found].amount != draft->amount[i])
			return false;
		found++;
	}
	return found == n;
}

static bool is_same_block(const struct block *b, const struct draft *drafts,
			  unsigned n)
{
	if (b->count != n)
		return false;
	for (unsigned i = 0; i < n; i++)
		if (!is_same(b->first + i, &drafts[i]))
			return false;
	return true;
}

/* Make room for @more elements behind @count of them. */
static void *grown(void *array, uint32_t count, uint32_t *capacity,
		   uint32_t more, SizeT size)
{
	if (count + more <= *capacity)
		return array;
	*capacity = *capacity ? *capacity * 2 : 4096;
	if (*capacity < count + more)
		*capacity = count + more;
	return VG_(realloc)("simpmu.segments", array, *capacity * size);
}

/* Those of @amount that are not 0; how many. */
static uint32_t add_effects(const int32_t amount[DRAFT_COUNT])
{
	uint32_t before = table.effect_count;

	table.effects =
		grown(table.effects, table.effect_count, &table.effect_capacity,
		      DRAFT_COUNT, sizeof(*table.effects));
	for (uint32_t i = 0; i < DRAFT_COUNT; i++)
		if (amount[i])
			table.effects[table.effect_count++] =
				(struct effect){ total_of(i), amount[i] };
	return table.effect_count - before;
}

static void add_segment(const struct draft *draft, uint32_t block)
{
	struct span *s;

	table.segments = grown(table.segments, table.count, &table.capacity, 1,
			       sizeof(*table.segments));
	s = &table.segments[table.count];
	s->block = block;
	s->place = (struct segment_place){ .segment = table.count,
					   .start = draft->address,
					   .last = draft->last,
					   .inside = draft->inside,
					   .touches = draft->touches };
	table.count++;
	s->effects = table.effect_count;
	s->count = add_effects(draft->amount);
	s->heads = table.effect_count;
	s->head_count = draft->inside ? add_effects(draft->head) : 0;
}

/*
 * The number of the first of @n segments of the block at @address that have
 * the effects of @drafts; the others follow it.
 */
uint32_t segment_intern(Addr address, const struct draft *drafts, unsigned n)
{
	struct block **slot =
		&table.hash[(address ^ address >> 16) % HASH_SIZE];
	struct block *b;

	for (b = *slot; b; b = b->next)
		if (b->address == address && is_same_block(b, drafts, n))
			return b->first;

	tl_assert(table.count + n <= SEGMENT_MAX);
	b = VG_(malloc)("simpmu.block", sizeof(*b));
	b->address = address;
	b->first = table.count;
	b->count = n;
	b->next = *slot;
	*slot = b;
	for (unsigned i = 0; i < n; i++)
		add_segment(&drafts[i], b->first);
	return b->first;
}

/* Room is left for what may be translated before guest code next stops. */
bool segment_is_full(void)
{
	return table.count > SEGMENT_MAX - SEGMENT_MAX / 8;
}

void segment_reset(void)
{
	for (unsigned i = 0; i < HASH_SIZE; i++)
		while (table.hash[i]) {
			struct block *b = table.hash[i];

			table.hash[i] = b->next;
			VG_(free)(b);
		}
	table.count = table.effect_count = 0;
}

const struct effect *segment_head(uint32_t segment, unsigned *n)
{
	const struct span *s = &table.segments[segment];

	*n = s->head_count;
	return &table.effects[s->heads];
}

/* The segment behind *@place of the block whose first one is @block. */
bool segment_next(uint32_t block, struct segment_place *place)
{
	uint32_t next = place->segment + 1;

	if (next >= table.count || table.segments[next].block != block)
		return false;
	*place = table.segments[next].place;
	return true;
}
