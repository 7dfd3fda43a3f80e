/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which events fit on the counters together: a matching between events and
 * the counters that each can be put on. Shared by the tool, which counts, and
 * by the library, which must refuse a set before any program runs.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "simpmu/wire.h"

enum {
	ASSIGN_COUNTERS = WIRE_PROGRAMMABLE + WIRE_FIXED_MAX
};

/* The counters that there are, as bits. */
static inline uint32_t assign_have(uint32_t programmable, uint32_t fixed)
{
	uint32_t low = programmable < WIRE_PROGRAMMABLE
			       ? (1u << programmable) - 1
			       : WIRE_ANY;
	uint32_t high = fixed < WIRE_FIXED_MAX ? (1u << fixed) - 1
					       : (1u << WIRE_FIXED_MAX) - 1;

	return low | high << WIRE_PROGRAMMABLE;
}

/* Counters for an event: where its own are not there, any programmable. */
static inline uint32_t assign_usable(uint32_t mask, uint32_t have)
{
	return mask & have ? mask & have : have & WIRE_ANY;
}

/* A partial assignment: which event, plus 1, each counter holds. */
struct assignment {
	uint32_t have;
	uint32_t masks[WIRE_EVENTS]; /* of the events put on it so far */
	uint8_t holder[ASSIGN_COUNTERS];
	uint32_t n;
};

static inline void assign_init(struct assignment *a, uint32_t have)
{
	a->have = have;
	a->n = 0;
	for (unsigned c = 0; c < ASSIGN_COUNTERS; c++)
		a->holder[c] = 0;
}

/* Find a counter for @event, moving others where that helps. */
static inline bool assign_place(struct assignment *a, uint32_t event,
				uint32_t *tried)
{
	for (uint32_t c = 0; c < ASSIGN_COUNTERS; c++) {
		if (!(a->masks[event] & ~*tried & (1u << c)))
			continue;
		*tried |= 1u << c;
		if (!a->holder[c] ||
		    assign_place(a, a->holder[c] - 1u, tried)) {
			a->holder[c] = (uint8_t)(event + 1);
			return true;
		}
	}
	return false;
}

/* Put one more event on the counters; false, and as before, if none fits. */
static inline bool assign_add(struct assignment *a, uint32_t mask)
{
	uint32_t tried = 0;

	if (a->n == WIRE_EVENTS)
		return false;
	a->masks[a->n] = assign_usable(mask, a->have);
	if (!assign_place(a, a->n, &tried))
		return false;
	a->n++;
	return true;
}

/*
 * Part @n events into turns such that each turn fits beside what is on @taken
 * already: turns[i] is event i's. Returns how many turns there are; 0 if some
 * event fits in none.
 */
static inline uint32_t assign_turns_beside(const struct assignment *taken,
					   const uint32_t *masks, uint32_t n,
					   uint8_t *turns)
{
	uint32_t count = 0, placed = 0;

	for (uint32_t i = 0; i < n; i++)
		turns[i] = 0xff;
	while (placed < n) {
		struct assignment a = *taken;

		for (uint32_t i = 0; i < n; i++) {
			if (turns[i] != 0xff || !assign_add(&a, masks[i]))
				continue;
			turns[i] = (uint8_t)count;
			placed++;
		}
		if (a.n == taken->n)
			return 0; /* no counter for those that are left */
		count++;
	}
	return count;
}

/* The same on empty counters. */
static inline uint32_t assign_turns(const uint32_t *masks, uint32_t n,
				    uint32_t have, uint8_t *turns)
{
	struct assignment none;

	assign_init(&none, have);
	return assign_turns_beside(&none, masks, n, turns);
}
