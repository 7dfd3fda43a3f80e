/* SPDX-License-Identifier: BSD-3-Clause */
/* Chains of pointers: each element once, in the order that is stated. */
#include <stdlib.h>
#include <string.h>

#include "kernels/chase.h"
#include "tests/unit/testing.h"

#define PAGE 4096

/* Follow the ring once around: every element once, and back. */
static void check_ring(const struct chase *chase)
{
	size_t n = chase_elements(chase);
	size_t bytes = (chase->footprint + 2 * PAGE - 1) / PAGE * PAGE;
	char *memory = aligned_alloc(PAGE, bytes);
	unsigned char *seen = calloc(n, 1);
	void **first, **p;

	assert_non_null(memory);
	assert_non_null(seen);
	first = p = chase_make(memory, chase);
	for (size_t i = 0; i < n; i++) {
		size_t which = (size_t)((char *)p - memory) / chase->unit;

		assert_in_range(which, 0, n - 1);
		assert_int_equal((char *)p - memory,
				 chase_offset(chase, which));
		assert_int_equal(seen[which]++, 0);
		p = *p;
	}
	assert_ptr_equal(p, first);
	assert_ptr_equal(chase_run(first, n), first);
	assert_ptr_equal(chase_run_writing(first, n), first);
	free(seen);
	free(memory);
}

TEST(test_a_ring_visits_every_element_once)
{
	static const struct chase chases[] = {
		{ .footprint = 64, .unit = 64 },
		{ .footprint = 48 * 1024, .unit = 64 },
		{ .footprint = 256 * 1024, .unit = 128, .pages_per_block = 16 },
		{ .footprint = 300 * 1024, .unit = 256, .pages_per_block = 32 },
		{ .footprint = 100 * PAGE, .unit = PAGE },
		{ .footprint = 64 * 1024,
		  .unit = 64,
		  .order = CHASE_SEQUENTIAL },
		{ .footprint = 13 * PAGE, .unit = PAGE, .exactly = true },
		{ .footprint = 13 * PAGE,
		  .unit = PAGE,
		  .order = CHASE_ZIGZAG,
		  .exactly = true },
	};

	for (size_t i = 0; i < sizeof(chases) / sizeof(chases[0]); i++)
		check_ring(&chases[i]);
}

/* A prefetcher that learns strides never sees the same one twice in a row. */
TEST(test_zigzag_repeats_no_stride)
{
	const struct chase chase = { .footprint = 16 * 2048,
				     .unit = 2048,
				     .order = CHASE_ZIGZAG,
				     .exactly = true };
	char *memory = aligned_alloc(PAGE, chase.footprint);
	ptrdiff_t last = 0;
	void **p;

	assert_non_null(memory);
	p = chase_make(memory, &chase);
	for (size_t i = 0; i < 2 * chase_elements(&chase); i++) {
		ptrdiff_t stride = (char *)*p - (char *)p;

		assert_int_not_equal(stride, last);
		last = stride;
		p = *p;
	}
	free(memory);
}

/* A block is left only when all of it was visited. */
TEST(test_blocks_come_one_after_the_other)
{
	const struct chase chase = { .footprint = 64 * PAGE,
				     .unit = 128,
				     .pages_per_block = 4 };
	size_t per_block = 4 * PAGE / 128, changes = 0, last = 0;
	char *memory = aligned_alloc(PAGE, chase.footprint);
	void **p;

	assert_non_null(memory);
	p = chase_make(memory, &chase);
	for (size_t i = 0; i < chase_elements(&chase); i++) {
		size_t block = (size_t)((char *)p - memory) / (4 * PAGE);

		changes += i > 0 && block != last;
		last = block;
		p = *p;
	}
	/* the block that the walk begins in the midst of may come twice */
	assert_in_range(changes, 15, 16);
	assert_int_equal(per_block * 16, chase_elements(&chase));
	free(memory);
}

TEST(test_no_room_is_no_chase)
{
	char memory[64];
	struct chase chase = { .footprint = 32, .unit = 64 };

	assert_null(chase_make(memory, &chase));
	chase.unit = 0;
	assert_null(chase_make(memory, &chase));
}

RUN_ALL_TESTS
