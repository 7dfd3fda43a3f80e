/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The set of hot blocks, by a hash of their addresses: a block that is taken
 * for another hot one merely gets its inlined code at once.
 */
#include <pub_tool_basics.h>

#include "simpmu/vg/tier.h"

#define HASH_BITS 18
#define MAX_WAIT  1024

/* Of the core; see translate.c. */
void VG_(discard_translations)(Addr start, ULong range, const HChar *who);

static struct {
	uint64_t hot[(1u << HASH_BITS) / 64];
	Addr waiting[MAX_WAIT];
	unsigned count;
} tier;

static uint64_t hash_of(Addr block)
{
	return block * UINT64_C(0x9e3779b97f4a7c15) >> (64 - HASH_BITS);
}

bool tier_is_hot(Addr block)
{
	uint64_t i = hash_of(block);

	return tier.hot[i / 64] >> i % 64 & 1;
}

void tier_heat(Addr block)
{
	uint64_t i = hash_of(block);

	if (tier.count == MAX_WAIT)
		return;
	tier.hot[i / 64] |= UINT64_C(1) << i % 64;
	tier.waiting[tier.count++] = block;
}

void tier_stop(void)
{
	for (unsigned i = 0; i < tier.count; i++)
		VG_(discard_translations)(tier.waiting[i], 1, "simpmu hot");
	tier.count = 0;
}
