/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chase [KILOBYTES [STEPS]]: follow pointers in random order through memory of
 * that size (default 32768, 3 million steps). Each load waits for the one
 * before it, so this is the latency of whatever level the memory fits into.
 */
#include <stdio.h>
#include <stdlib.h>

/* One cache line a link, so that every step meets a new line. */
struct link {
	struct link *next;
	char rest[64 - sizeof(void *)];
};

static unsigned long long next_random(unsigned long long *state)
{
	/* Knuth's MMIX generator; the upper bits are the good ones */
	*state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
	return *state >> 33;
}

/* Sattolo's shuffle: one cycle through all @n links, in random order. */
static void tie(struct link *links, size_t n)
{
	unsigned long long state = 1;

	for (size_t i = 0; i < n; i++)
		links[i].next = &links[i];
	for (size_t i = n - 1; i > 0; i--) {
		size_t k = (size_t)(next_random(&state) % i);
		struct link *swapped = links[i].next;

		links[i].next = links[k].next;
		links[k].next = swapped;
	}
}

int main(int argc, char **argv)
{
	long kilobytes = argc > 1 ? atol(argv[1]) : 32768;
	long steps = argc > 2 ? atol(argv[2]) : 3000000;
	struct link *links, *at;
	size_t n;

	if (kilobytes < 1 || kilobytes > 64L * 1024 * 1024 || steps < 1) {
		fprintf(stderr, "usage: chase [KILOBYTES [STEPS]]\n");
		return 2;
	}
	n = (size_t)kilobytes * 1024 / sizeof(*links);
	links = aligned_alloc(sizeof(*links), n * sizeof(*links));
	if (!links) {
		fprintf(stderr, "chase: out of memory\n");
		return 1;
	}
	tie(links, n);
	at = links;
	for (long i = 0; i < steps; i++)
		at = at->next;
	printf("chase: %zu links, %ld steps, ended at %td\n", n, steps,
	       at - links);
	free(links);
	return 0;
}
