/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pointer chases: each load gives the address of the next, so nothing runs
 * ahead. The order is made by Sattolo's algorithm, which gives one ring
 * through all elements.
 */
#include "kernels/chase.h"

#include "kernels/shuffle.h"

#define PAGE 4096
#define LINE 64

size_t chase_elements(const struct chase *chase)
{
	return chase->unit ? chase->footprint / chase->unit : 0;
}

size_t chase_offset(const struct chase *chase, size_t i)
{
	size_t at = i * chase->unit;

	if (chase->unit >= PAGE && !chase->exactly)
		at += i % (PAGE / LINE) * LINE;
	return at;
}

static void **element(char *memory, const struct chase *chase, size_t i)
{
	return (void **)(void *)(memory + chase_offset(chase, i));
}

static void swap(void **a, void **b)
{
	void *t = *a;

	*a = *b;
	*b = t;
}

/* The element of [from, to) that comes @k-th from both ends in turn. */
static void **in_zigzag(char *memory, const struct chase *chase, size_t from,
			size_t to, size_t k)
{
	return element(memory, chase, k % 2 ? to - 1 - k / 2 : from + k / 2);
}

static void make_zigzag(char *memory, const struct chase *chase, size_t from,
			size_t to)
{
	size_t n = to - from;

	for (size_t k = 0; k < n; k++)
		*in_zigzag(memory, chase, from, to, k) =
			in_zigzag(memory, chase, from, to, (k + 1) % n);
}

/*
 * A ring through elements [from, to): each points to itself, then Sattolo's
 * swaps of what they point to. Walking it visits all.
 */
static void make_ring(char *memory, const struct chase *chase, size_t from,
		      size_t to, uint64_t *random)
{
	if (chase->order == CHASE_ZIGZAG) {
		make_zigzag(memory, chase, from, to);
		return;
	}
	for (size_t i = from; i < to; i++)
		*element(memory, chase, i) = element(memory, chase, i);
	if (chase->order == CHASE_SEQUENTIAL) {
		for (size_t i = to - 1; i > from; i--)
			swap(element(memory, chase, i),
			     element(memory, chase, i - 1));
		return;
	}
	for (size_t i = to - 1; i > from; i--) {
		size_t k = from + shuffle_below(random, (uint32_t)(i - from));

		swap(element(memory, chase, i), element(memory, chase, k));
	}
}

static size_t block_of(const struct chase *chase, size_t n)
{
	size_t block = (size_t)chase->pages_per_block * PAGE / chase->unit;

	return chase->pages_per_block && block > 0 ? block : n;
}

void **chase_make(void *memory, const struct chase *chase)
{
	size_t n = chase_elements(chase);
	uint64_t random = SHUFFLE_SEED;
	size_t block;

	if (n == 0)
		return NULL;
	block = block_of(chase, n);
	for (size_t from = 0; from < n; from += block)
		make_ring(memory, chase, from,
			  from + block < n ? from + block : n, &random);
	/* Cutting two rings and joining them crosswise makes one of them. */
	for (size_t from = block; from < n; from += block)
		swap(element(memory, chase, from - block),
		     element(memory, chase, from));
	return element(memory, chase, 0);
}

/*
 * In one line of code wherever the linker puts it: a loop that lies across two
 * is fetched twice each turn, which is more than a load from L1 costs.
 */
#define IN_ONE_LINE __attribute__((aligned(64)))

IN_ONE_LINE void **chase_run(void **p, uint64_t n)
{
	do {
		p = *p;
		__asm__ volatile("" : "+r"(p));
	} while (--n);
	return p;
}

IN_ONE_LINE void **chase_run_writing(void **p, uint64_t n)
{
	do {
		void **next = *p;

		p[1] = next;
		p = next;
		__asm__ volatile("" : "+r"(p) : : "memory");
	} while (--n);
	return p;
}
