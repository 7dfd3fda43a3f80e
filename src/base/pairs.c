/* SPDX-License-Identifier: BSD-3-Clause */
/* Pairs of numbers as keys. */

#include "base/pairs.h"

#include <stdlib.h>

#include "base/err.h"

#define FIRST_CAPACITY 64

/* The finaliser of splitmix64, by Vigna: every bit depends on every other. */
static uint64_t mix(uint64_t x)
{
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
	return x ^ (x >> 31);
}

/* Where the pair is, or would be; there is always a free slot. */
static struct pairs_slot *slot_of(const struct pairs *pairs, uint64_t first,
				  uint64_t second)
{
	size_t i = mix(mix(first) + second) & (pairs->capacity - 1);

	while (pairs->slots[i].value_1 && (pairs->slots[i].first != first ||
					   pairs->slots[i].second != second))
		i = (i + 1) & (pairs->capacity - 1);
	return &pairs->slots[i];
}

static int grow(struct pairs *pairs)
{
	struct pairs old = *pairs;

	pairs->capacity = old.capacity ? old.capacity * 2 : FIRST_CAPACITY;
	pairs->slots = calloc(pairs->capacity, sizeof(*pairs->slots));
	if (!pairs->slots) {
		*pairs = old;
		return PAPI_ENOMEM;
	}
	for (size_t i = 0; i < old.capacity; i++)
		if (old.slots[i].value_1)
			*slot_of(pairs, old.slots[i].first,
				 old.slots[i].second) = old.slots[i];
	free(old.slots);
	return 0;
}

int pairs_set(struct pairs *pairs, uint64_t first, uint64_t second,
	      size_t value)
{
	struct pairs_slot *slot;

	if ((pairs->n + 1) * 2 > pairs->capacity) {
		int err = grow(pairs);

		if (err)
			return err;
	}
	slot = slot_of(pairs, first, second);
	if (!slot->value_1)
		pairs->n++;
	*slot = (struct pairs_slot){ first, second, value + 1 };
	return 0;
}

bool pairs_find(const struct pairs *pairs, uint64_t first, uint64_t second,
		size_t *value)
{
	const struct pairs_slot *slot;

	if (!pairs->capacity)
		return false;
	slot = slot_of(pairs, first, second);
	if (!slot->value_1)
		return false;
	*value = slot->value_1 - 1;
	return true;
}

void pairs_fini(struct pairs *pairs)
{
	free(pairs->slots);
	*pairs = (struct pairs){ 0 };
}
