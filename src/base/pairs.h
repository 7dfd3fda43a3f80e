/* SPDX-License-Identifier: BSD-3-Clause */
/* A map from pairs of numbers to numbers: open addressing, never shrinks. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pairs_slot {
	uint64_t first, second;
	size_t value_1; /* the value plus 1; 0: free */
};

/* Zero-initialise it. */
struct pairs {
	struct pairs_slot *slots;
	size_t capacity; /* a power of two, or 0 */
	size_t n;
};

/* Set the pair's value, replacing an older one. 0 or PAPI_ENOMEM. */
int pairs_set(struct pairs *pairs, uint64_t first, uint64_t second,
	      size_t value);

/* Whether the pair is there; then its value in *@value. */
bool pairs_find(const struct pairs *pairs, uint64_t first, uint64_t second,
		size_t *value);

void pairs_fini(struct pairs *pairs);
