/* SPDX-License-Identifier: BSD-3-Clause */
/* Random numbers and orders that are the same in every run. */
#pragma once

#include <stdint.h>

#define SHUFFLE_SEED UINT64_C(88172645463325252)

/* Marsaglia's xorshift64*, upper half. */
static inline uint32_t shuffle_random(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return (uint32_t)(*state * UINT64_C(2685821657736338717) >> 32);
}

/* A number below @n, which is not 0, without a division. */
static inline uint32_t shuffle_below(uint64_t *state, uint32_t n)
{
	return (uint32_t)((uint64_t)shuffle_random(state) * n >> 32);
}
