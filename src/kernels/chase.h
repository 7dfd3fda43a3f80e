/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pointer chases, for those who time them themselves: a ring of pointers in
 * memory, one for each element, each pointing to the next in some order.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum chase_order {
	CHASE_RANDOM,     /* random within each block of pages */
	CHASE_SEQUENTIAL, /* one after the other */
	CHASE_ZIGZAG,     /* first, last, second, ...: no two strides alike */
};

struct chase {
	size_t footprint; /* bytes from the first element to the last's end */
	uint32_t unit;    /* bytes from one element to the next */
	/*
	 * Pages of 4 KB within which the order is random, block after block;
	 * 0: the whole. Not used where a unit is a page or more.
	 */
	uint32_t pages_per_block;
	enum chase_order order;
	bool exactly; /* no other line of each page: all in one set */
};

/* How many elements there are. */
size_t chase_elements(const struct chase *chase);

/*
 * Where element @i lies: units of a page or more touch one line of each page,
 * in another set of the cache each time.
 */
size_t chase_offset(const struct chase *chase, size_t i);

/*
 * Make the ring in @memory, on a page boundary, of chase->footprint bytes.
 * Returns its first element; NULL: fewer than one element.
 */
void **chase_make(void *memory, const struct chase *chase);

/* Follow the ring @n times (at least once) from @p; where it then stands. */
void **chase_run(void **p, uint64_t n);

/* The same with a store beside each pointer. */
void **chase_run_writing(void **p, uint64_t n);
