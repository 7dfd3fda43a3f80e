/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Programs for the models: "branches" mispredicts every other branch, "flops N"
 * makes the same multiplications on each of N threads at once, "integers" has
 * no floating point at all, "fill" writes with string instructions.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	BRANCHES = 30000,
	FLOPS = 240000,
	LINES = 4096,
	LINE = 64,
	MAX_THREADS = 64,
};

/* A compiler may not do without the branch to where this is. */
#define KEEP_BRANCH() __asm__ volatile("")

static int branches(void)
{
	volatile unsigned ways[2] = { 0, 0 };
	uint64_t x = UINT64_C(88172645463325252);

	for (int i = 0; i < BRANCHES; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		if (x & 1) {
			ways[0]++;
			KEEP_BRANCH();
		} else {
			ways[1] += 2;
		}
	}
	return ways[0] == 0;
}

/* A line of memory for each operation: there is traffic, too. */
static void *flops(void *memory)
{
	volatile double *values = memory;

	for (int i = 0; i < FLOPS; i++)
		values[i % LINES * LINE / 8] *= 1.5;
	return NULL;
}

static int threads(int n)
{
	pthread_t id[MAX_THREADS];
	char *memory = calloc((size_t)n, (size_t)LINES * LINE);

	if (!memory)
		return 1;
	for (int i = 0; i < n; i++)
		if (pthread_create(&id[i], NULL, flops,
				   memory + (size_t)i * LINES * LINE))
			return 1;
	for (int i = 0; i < n; i++)
		pthread_join(id[i], NULL);
	free(memory);
	return 0;
}

static int integers(void)
{
	volatile char *memory = calloc(LINES, LINE);

	for (int i = 0; memory && i < LINES; i++)
		memory[i * LINE]++;
	free((void *)memory);
	return !memory;
}

/* One instruction that is issued once for each byte. */
static int fill(void)
{
	static char memory[LINES];

	for (int i = 0; i < 1000; i++) {
		char *to = memory;
		size_t n = sizeof(memory);

		__asm__ volatile("rep stosb"
				 : "+D"(to), "+c"(n)
				 : "a"(1)
				 : "memory");
	}
	return memory[0] != 1;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	int n = argc > 2 ? atoi(argv[2]) : 1;

	if (strcmp(what, "branches") == 0)
		return branches();
	if (strcmp(what, "flops") == 0 && n >= 1 && n <= MAX_THREADS)
		return threads(n);
	if (strcmp(what, "integers") == 0)
		return integers();
	if (strcmp(what, "fill") == 0)
		return fill();
	fprintf(stderr, "usage: busy branches|flops [N]|integers|fill\n");
	return 2;
}
