/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * phases SEED MILLIONS: a program drawn at random, for estimates of cycles:
 * some kernels of different kinds, each with its own working set, run in phases
 * of random length, in turns that repeat, or one after the other. Runs about
 * MILLIONS of millions of instructions; prints a checksum. The same arguments
 * execute the same instructions.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LARGEST ((size_t)1 << 22) /* bytes of a working set */

static uint64_t state;
static uint64_t checksum;
static double *numbers; /* LARGEST bytes each */
static uint32_t *links;
static unsigned char *text;

static uint64_t draw(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

struct phase {
	uint64_t (*kernel)(struct phase *, uint64_t steps);
	size_t bytes;    /* of the working set, a power of two */
	unsigned detail; /* drawn: what it means is the kernel's */
	uint64_t at;     /* where it goes on */
	uint64_t steps;  /* each time */
};

/* Each kernel makes so many steps, of about so many instructions. */

static uint64_t stream(struct phase *p, uint64_t steps)
{
	size_t n = p->bytes / sizeof(double) / 2;
	double *a = numbers, *b = numbers + n;
	uint64_t done = 0;

	while (done < steps) {
		size_t i = p->at % n,
		       end = n - i < steps - done ? n : i + (steps - done);

		done += end - i;
		p->at += end - i;
		for (; i < end; i++)
			a[i] = b[i] * 1.0001 + a[i];
	}
	return (uint64_t)a[0] & 0xff;
}

static uint64_t chase(struct phase *p, uint64_t steps)
{
	uint32_t mask = (uint32_t)(p->bytes / sizeof(*links) - 1);
	uint32_t at = (uint32_t)p->at;

	while (steps--)
		at = (links[at & mask] + at) & mask;
	p->at = at;
	return at;
}

static uint64_t choose(struct phase *p, uint64_t steps)
{
	uint64_t x = p->at | 1, sum = 0;

	while (steps--) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		if ((x & 0xff) < p->detail % 256)
			sum += x >> 3;
		else
			sum ^= x;
	}
	p->at = x;
	return sum;
}

static uint64_t divide(struct phase *p, uint64_t steps)
{
	double x = 1.5;
	uint64_t n = 0;

	for (uint64_t i = 0; i < steps; i++) {
		x = sqrt(x + (double)i) + 3 / x;
		if (p->detail & 1)
			n += (i | 0x100000000u) / (p->detail | 3);
	}
	return n + (uint64_t)x;
}

static uint64_t move(struct phase *p, uint64_t steps)
{
	size_t half = p->bytes / 2, n = 16u << p->detail % 9;
	uint64_t done = 0;

	while (done < steps) {
		void *to = text + half + p->at % half / 2;
		const void *from = text + p->at % half / 2;
		size_t count = n < half / 2 ? n : half / 2;

		__asm__ volatile("rep movsb"
				 : "+D"(to), "+S"(from), "+c"(count)
				 :
				 : "memory");
		p->at += n;
		done += n + 10;
	}
	return text[half];
}

static uint64_t __attribute__((noinline)) fib(uint64_t n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

static uint64_t call(struct phase *p, uint64_t steps)
{
	uint64_t sum = 0;

	for (uint64_t done = 0; done < steps; done += 400)
		sum += fib(10 + p->detail % 3);
	return sum;
}

static uint64_t scatter(struct phase *p, uint64_t steps)
{
	uint64_t mask = p->bytes / sizeof(*links) - 1, x = p->at | 1;

	while (steps--) {
		x = x * 6364136223846793005u + 1442695040888963407u;
		links[x >> 33 & mask] ^= (uint32_t)x & 1;
	}
	p->at = x;
	return links[0];
}

static uint64_t interpret(struct phase *p, uint64_t steps)
{
	uint64_t acc = p->at, length = 5 + p->detail % 61;

	for (uint64_t i = 0; i < steps; i++) {
		switch (text[i % length] & 7) {
		case 0:
			acc += 3;
			break;
		case 1:
			acc ^= acc << 3;
			break;
		case 2:
			acc = (acc >> 1) + (uint64_t)(numbers[acc & 63] > 0.5);
			break;
		case 3:
			acc *= 5;
			break;
		case 4:
			acc -= i;
			break;
		case 5:
			links[acc & 255]++;
			break;
		case 6:
			acc |= 1;
			break;
		default:
			acc = ~acc;
			break;
		}
	}
	p->at = acc;
	return acc;
}

/* An inner loop of fixed length: the end of it is mispredicted, or not. */
static uint64_t nest(struct phase *p, uint64_t steps)
{
	uint64_t sum = 0, inner = 3 + p->detail % 90;

	for (uint64_t done = 0; done < steps; done += inner)
		for (uint64_t i = 0; i < inner; i++)
			sum += links[(sum + i) & 1023] ^ i;
	return sum;
}

static uint64_t library(struct phase *p, uint64_t steps)
{
	size_t n = 8u + p->detail % 2000, place = 0;
	uint64_t sum = 0;

	for (uint64_t done = 0; done < steps; done += n / 16 + 60) {
		place = (place + n * 3) & (p->bytes / 2 - 1);
		if (place + n >= p->bytes / 2)
			place = 0;
		memmove(text + p->bytes / 2, text + place, n);
		sum += memchr(text + place, 0, n) != NULL;
		sum += (uint64_t)memcmp(text + place, text + p->bytes / 2,
					n / 2) &
		       1;
	}
	return sum;
}

static const struct {
	uint64_t (*kernel)(struct phase *, uint64_t);
	unsigned cost; /* instructions a step, about */
} kernels[] = {
	{ stream, 5 }, { chase, 5 },   { choose, 11 }, { divide, 8 },
	{ move, 1 },   { call, 8 },    { scatter, 8 }, { interpret, 10 },
	{ nest, 7 },   { library, 6 },
};

#define KERNELS (sizeof(kernels) / sizeof(*kernels))

int main(int argc, char **argv)
{
	uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
	uint64_t budget =
		(argc > 2 ? strtoull(argv[2], NULL, 0) : 20) * 1000000;
	struct phase phases[6];
	unsigned n, turns;

	state = (seed + 1) * 0x9e3779b97f4a7c15u | 1;
	for (int i = 0; i < 20; i++)
		draw();
	numbers = aligned_alloc(4096, LARGEST);
	links = aligned_alloc(4096, LARGEST);
	text = aligned_alloc(4096, LARGEST);
	if (!numbers || !links || !text)
		return 1;
	n = 1 + (unsigned)(draw() % 6);
	/* 1: one phase after the other; more: they take turns */
	turns = draw() & 1 ? 1 : 1u << draw() % 14;
	memset(numbers, 0, LARGEST);
	for (size_t i = 0; i < LARGEST / 8; i += 8) {
		links[2 * i] = (uint32_t)draw();
		text[i] = (unsigned char)draw();
	}
	for (size_t i = 0; i < 4096; i++) {
		links[i] = (uint32_t)draw();
		text[i] = (unsigned char)draw();
	}
	for (unsigned i = 0; i < n; i++) {
		unsigned k = (unsigned)(draw() % KERNELS);
		uint64_t share = budget / n / turns / kernels[k].cost;

		phases[i] = (struct phase){
			.kernel = kernels[k].kernel,
			.bytes = (size_t)8192 << draw() % 10,
			.detail = (unsigned)draw() % 100000,
			.at = draw() >> 20,
			.steps = share / 2 + draw() % (share + 1) + 1,
		};
	}
	for (unsigned t = 0; t < turns; t++)
		for (unsigned i = 0; i < n; i++)
			checksum +=
				phases[i].kernel(&phases[i], phases[i].steps);
	printf("%llu\n", (unsigned long long)checksum);
	return 0;
}
