/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which data pages the process has touched. The set is a bitmap of pages in
 * leaves of 128 MB; touching a page of the program's is counted in the thread
 * that does it first. What the kernel touches in system calls is not seen.
 */
#include <pub_tool_basics.h>
#include <pub_tool_libcbase.h>
#include <pub_tool_mallocfree.h>

#include "simpmu/vg/pages.h"
#include "simpmu/vg/state.h"

#define LEAF_SHIFT 27
#define LEAF_WORDS (1u << (LEAF_SHIFT - PAGE_SHIFT - 6))
#define HASH_SIZE  1024

struct leaf {
	uint64_t number;
	struct leaf *next;
	uint64_t bits[LEAF_WORDS];
};

uint64_t page_filter[PAGE_FILTER_SIZE];

static struct leaf *leaves[HASH_SIZE];

static struct leaf *find_leaf(uint64_t address, bool make)
{
	uint64_t number = address >> LEAF_SHIFT;
	struct leaf **slot = &leaves[number % HASH_SIZE], *leaf;

	for (leaf = *slot; leaf; leaf = leaf->next)
		if (leaf->number == number)
			return leaf;
	if (!make)
		return NULL;
	leaf = VG_(calloc)("simpmu.pages", 1, sizeof(*leaf));
	leaf->number = number;
	leaf->next = *slot;
	*slot = leaf;
	return leaf;
}

static uint64_t page_in_leaf(uint64_t address)
{
	return address >> PAGE_SHIFT & (LEAF_WORDS * 64 - 1);
}

static void touch_page(uint64_t address)
{
	struct leaf *leaf = find_leaf(address, true);
	uint64_t page = page_in_leaf(address);
	uint64_t bit = UINT64_C(1) << (page & 63);

	if (leaf->bits[page >> 6] & bit)
		return;
	leaf->bits[page >> 6] |= bit;
	thread_get(engine.running)->totals[TALLY_PAGE_TOUCH]++;
}

void pages_touch(uint64_t ea, uint64_t size)
{
	uint64_t page = ea >> PAGE_SHIFT, last = (ea + size - 1) >> PAGE_SHIFT;

	for (; page <= last; page++) {
		uint64_t *known = &page_filter[page & (PAGE_FILTER_SIZE - 1)];

		if (*known == page << PAGE_SHIFT)
			continue;
		touch_page(page << PAGE_SHIFT);
		*known = page << PAGE_SHIFT;
	}
}

void pages_forget(uint64_t start, uint64_t size)
{
	VG_(memset)(page_filter, 0, sizeof(page_filter));
	for (uint64_t a = start; a < start + size; a += 1u << PAGE_SHIFT) {
		struct leaf *leaf = find_leaf(a, false);
		uint64_t page = page_in_leaf(a);

		if (leaf)
			leaf->bits[page >> 6] &= ~(UINT64_C(1) << (page & 63));
		else
			a |= (UINT64_C(1) << LEAF_SHIFT) - (1u << PAGE_SHIFT);
	}
}
