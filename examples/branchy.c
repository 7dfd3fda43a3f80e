/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * branchy [random|sorted]: count the large ones among numbers, many times
 * over. The work is the same; on random numbers every other branch is
 * mispredicted, on sorted ones hardly any.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	NUMBERS = 1 << 16,
	SWEEPS = 150,
};

static int ascending(const void *a, const void *b)
{
	const unsigned *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* xorshift32 (Marsaglia 2003): the same numbers on every machine. */
static unsigned next_random(unsigned *state)
{
	unsigned x = *state;

	x ^= x << 13;
	x ^= x >> 17;
	x ^= x << 5;
	return *state = x;
}

/* The empty asm keeps the branch: without it compilers make it a select. */
static unsigned long count_large(const unsigned *numbers)
{
	unsigned long large = 0;

	for (int i = 0; i < NUMBERS; i++)
		if (numbers[i] >= 1u << 31) {
			large++;
			__asm__ volatile("" : "+r"(large));
		}
	return large;
}

int main(int argc, char **argv)
{
	static unsigned numbers[NUMBERS];
	const char *order = argc > 1 ? argv[1] : "random";
	unsigned state = 2463534242u;
	unsigned long large = 0;

	if (strcmp(order, "random") != 0 && strcmp(order, "sorted") != 0) {
		fprintf(stderr, "usage: branchy [random|sorted]\n");
		return 2;
	}
	for (int i = 0; i < NUMBERS; i++)
		numbers[i] = next_random(&state);
	if (strcmp(order, "sorted") == 0)
		qsort(numbers, NUMBERS, sizeof(numbers[0]), ascending);
	for (int k = 0; k < SWEEPS; k++)
		large += count_large(numbers);
	printf("branchy: %s, %lu large\n", order, large);
	return 0;
}
