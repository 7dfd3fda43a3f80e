/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * hpcc KERNEL [SIZE [REPEATS]]: what the HPC Challenge benchmarks stress, small
 * enough for a simulator.
 *
 *     copy scale add triad   STREAM: arrays of SIZE doubles
 *     random                 RandomAccess: a table of SIZE words
 *     transpose              PTRANS: SIZE x SIZE doubles
 *     matmul                 DGEMM: SIZE x SIZE doubles, in blocks of 16 and
 *                            registers
 *     matvec                 a matrix of SIZE x SIZE doubles by a vector
 *     fft                    FFT: SIZE complex numbers, a power of 4
 *     chase                  latency: a random cycle through SIZE lines
 *
 *     assay model lcpi ./hpcc fft
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct work {
	size_t n;
	size_t repeats;
	double *a, *b, *c;
};

static double *array(size_t n)
{
	double *x = aligned_alloc(64, (n * sizeof(*x) + 64) / 64 * 64);

	if (!x) {
		fprintf(stderr, "hpcc: out of memory\n");
		exit(1);
	}
	return x;
}

/* a and b of @n doubles, c of @m; b and c are filled. */
static void fill(struct work *w, size_t n, size_t m)
{
	w->a = array(n);
	w->b = array(n);
	w->c = array(m);
	for (size_t i = 0; i < n; i++)
		w->b[i] = (double)(i % 7);
	for (size_t i = 0; i < m; i++)
		w->c[i] = (double)(i % 5) * 0.5;
}

static double copy(struct work *w)
{
	fill(w, w->n, 0);
	for (size_t k = 0; k < w->repeats; k++) {
		for (size_t i = 0; i < w->n; i++)
			w->a[i] = w->b[i];
		__asm__ volatile("" ::"r"(w->a) : "memory");
	}
	return w->a[w->n - 1];
}

static double scale(struct work *w)
{
	fill(w, w->n, 0);
	for (size_t k = 0; k < w->repeats; k++)
		for (size_t i = 0; i < w->n; i++)
			w->a[i] = (double)k * w->b[i];
	return w->a[w->n - 1];
}

static double add(struct work *w)
{
	fill(w, w->n, w->n);
	for (size_t k = 0; k < w->repeats; k++) {
		for (size_t i = 0; i < w->n; i++)
			w->a[i] = w->b[i] + w->c[i];
		__asm__ volatile("" ::"r"(w->a) : "memory");
	}
	return w->a[w->n - 1];
}

static double triad(struct work *w)
{
	fill(w, w->n, w->n);
	for (size_t k = 0; k < w->repeats; k++)
		for (size_t i = 0; i < w->n; i++)
			w->a[i] = w->b[i] + (double)k * w->c[i];
	return w->a[w->n - 1];
}

/* xorshift64 (Marsaglia 2003): the same places on every machine. */
static unsigned long long next_random(unsigned long long *state)
{
	unsigned long long x = *state;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	return *state = x;
}

static double random_access(struct work *w)
{
	unsigned long long *table = calloc(w->n, sizeof(*table));
	unsigned long long state = 88172645463325252ULL, sum = 0;

	if (!table)
		return -1;
	for (size_t k = 0; k < w->repeats * w->n; k++) {
		unsigned long long x = next_random(&state);

		table[x % w->n] ^= x;
	}
	for (size_t i = 0; i < w->n; i++)
		sum ^= table[i];
	free(table);
	return (double)sum;
}

static double transpose(struct work *w)
{
	size_t n = w->n;

	fill(w, n * n, 0);
	for (size_t k = 0; k < w->repeats; k++) {
		for (size_t i = 0; i < n; i++)
			for (size_t j = 0; j < n; j++)
				w->a[j * n + i] = w->b[i * n + j];
		__asm__ volatile("" ::"r"(w->a) : "memory");
	}
	return w->a[1];
}

enum {
	BLOCK = 16, /* three blocks fit into any cache */
	TILE = 4,   /* and a tile of 4 x 4 into registers */
};

/* Two neighbours of a row; only as aligned as doubles are. */
typedef double pair __attribute__((vector_size(16), aligned(8)));

static inline pair *at(double *x)
{
	return (pair *)(void *)x;
}

/* One row of a tile: it adds x times a row of b. */
#define ROW(i)                                                                 \
	do {                                                                   \
		pair x = { a[(i)*n + k], a[(i)*n + k] };                       \
		left##i += x * b0;                                             \
		right##i += x * b1;                                            \
	} while (0)

/* c += a b on one tile of a block, @n apart from row to row. */
static void multiply_tile(double *c, const double *a, double *b, size_t n)
{
	pair left0 = *at(c), right0 = *at(c + 2);
	pair left1 = *at(c + n), right1 = *at(c + n + 2);
	pair left2 = *at(c + 2 * n), right2 = *at(c + 2 * n + 2);
	pair left3 = *at(c + 3 * n), right3 = *at(c + 3 * n + 2);

	for (size_t k = 0; k < BLOCK; k++) {
		pair b0 = *at(b + k * n), b1 = *at(b + k * n + 2);

		ROW(0);
		ROW(1);
		ROW(2);
		ROW(3);
	}
	*at(c) = left0, *at(c + 2) = right0;
	*at(c + n) = left1, *at(c + n + 2) = right1;
	*at(c + 2 * n) = left2, *at(c + 2 * n + 2) = right2;
	*at(c + 3 * n) = left3, *at(c + 3 * n + 2) = right3;
}

static void multiply_block(double *c, const double *a, double *b, size_t n)
{
	for (size_t i = 0; i < BLOCK; i += TILE)
		for (size_t j = 0; j < BLOCK; j += TILE)
			multiply_tile(c + i * n + j, a + i * n, b + j, n);
}

/* A block of c is finished before the next: it is read and written once. */
static double matmul(struct work *w)
{
	size_t n = w->n / BLOCK * BLOCK;

	fill(w, n * n, n * n);
	memset(w->a, 0, n * n * sizeof(*w->a));
	for (size_t r = 0; r < w->repeats; r++)
		for (size_t i = 0; i < n; i += BLOCK)
			for (size_t j = 0; j < n; j += BLOCK)
				for (size_t k = 0; k < n; k += BLOCK)
					multiply_block(w->a + i * n + j,
						       w->b + i * n + k,
						       w->c + k * n + j, n);
	return w->a[n + 1];
}

static double matvec(struct work *w)
{
	size_t n = w->n;

	fill(w, n * n, n);
	for (size_t r = 0; r < w->repeats; r++)
		for (size_t i = 0; i < n; i++) {
			double sum = 0;

			for (size_t j = 0; j < n; j++)
				sum += w->b[i * n + j] * w->c[j];
			w->a[i] = sum + (double)r;
		}
	return w->a[n - 1];
}

struct complex4 {
	double re, im;
};

static inline struct complex4 plus(struct complex4 a, struct complex4 b)
{
	return (struct complex4){ a.re + b.re, a.im + b.im };
}

static inline struct complex4 minus(struct complex4 a, struct complex4 b)
{
	return (struct complex4){ a.re - b.re, a.im - b.im };
}

static inline struct complex4 times(struct complex4 a, struct complex4 b)
{
	return (struct complex4){ a.re * b.re - a.im * b.im,
				  a.re * b.im + a.im * b.re };
}

/* One radix-4 step on x[0], x[step], ...; @t has the three twiddle factors. */
static inline void butterfly(struct complex4 *x, size_t step,
			     const struct complex4 *t)
{
	struct complex4 a = x[0], b = x[step], c = x[2 * step], d = x[3 * step];
	struct complex4 even = plus(a, c), odd = plus(b, d);
	struct complex4 low = minus(a, c), high = minus(b, d);
	struct complex4 turned = { high.im, -high.re }; /* -i times it */

	x[0] = plus(even, odd);
	x[step] = times(plus(low, turned), t[0]);
	x[2 * step] = times(minus(even, odd), t[1]);
	x[3 * step] = times(minus(low, turned), t[2]);
}

/* Decimation in frequency; the result is left in digit-reversed order. */
static void transform(struct complex4 *x, size_t n, const struct complex4 *root)
{
	for (size_t m = n; m > 1; m /= 4)
		for (size_t j = 0; j < m / 4; j++) {
			size_t turn = j * (n / m);
			struct complex4 t[3] = { root[turn], root[2 * turn],
						 root[3 * turn] };

			for (size_t k = j; k < n; k += m)
				butterfly(x + k, m / 4, t);
		}
}

static double fft(struct work *w)
{
	struct complex4 *x, *root;
	size_t n = 4;

	while (n < w->n)
		n *= 4;
	x = (struct complex4 *)array(2 * n);
	root = (struct complex4 *)array(2 * n);
	for (size_t i = 0; i < n; i++) {
		double angle =
			-2 * 3.14159265358979323846 * (double)i / (double)n;

		root[i] = (struct complex4){ cos(angle), sin(angle) };
	}
	for (size_t k = 0; k < w->repeats; k++) {
		if (k % 64 == 0) /* each transform makes it sqrt(n) as large */
			for (size_t i = 0; i < n; i++)
				x[i] = (struct complex4){ (double)(i % 3), 0 };
		transform(x, n, root);
	}
	w->a = (double *)x;
	w->b = (double *)root;
	return x[1].re;
}

/* One cache line a link. */
struct line {
	struct line *next;
	char rest[64 - sizeof(void *)];
};

static double chase(struct work *w)
{
	struct line *lines = (struct line *)array(8 * w->n), *at = lines;
	unsigned long long state = 88172645463325252ULL;

	for (size_t i = 0; i < w->n; i++)
		lines[i].next = &lines[i];
	for (size_t i = w->n - 1; i > 0; i--) { /* Sattolo: one cycle */
		size_t k = (size_t)(next_random(&state) % i);
		struct line *swapped = lines[i].next;

		lines[i].next = lines[k].next;
		lines[k].next = swapped;
	}
	for (size_t k = 0; k < w->repeats * w->n; k++)
		at = at->next;
	w->a = (double *)lines;
	return (double)(at - lines);
}

static const struct kernel {
	const char *name;
	double (*run)(struct work *w);
	size_t n, repeats; /* usual ones */
} kernels[] = {
	{ "copy", copy, 262144, 8 },
	{ "scale", scale, 262144, 8 },
	{ "add", add, 262144, 8 },
	{ "triad", triad, 262144, 8 },
	{ "random", random_access, 1048576, 1 },
	{ "transpose", transpose, 768, 4 },
	{ "matmul", matmul, 192, 2 },
	{ "matvec", matvec, 512, 10 },
	{ "fft", fft, 1024, 150 },
	{ "chase", chase, 65536, 12 },
	{ 0 },
};

static int usage(void)
{
	fputs("usage: hpcc copy|scale|add|triad|random|transpose|matmul|matvec|"
	      "fft|chase [SIZE [REPEATS]]\n",
	      stderr);
	return 2;
}

int main(int argc, char **argv)
{
	const struct kernel *k = kernels;
	struct work w = { 0 };
	double result;

	if (argc < 2)
		return usage();
	while (k->name && strcmp(k->name, argv[1]) != 0)
		k++;
	if (!k->name)
		return usage();
	w.n = argc > 2 ? strtoul(argv[2], NULL, 10) : k->n;
	w.repeats = argc > 3 ? strtoul(argv[3], NULL, 10) : k->repeats;
	if (w.n < 16 || w.n > 100000000 || w.repeats < 1)
		return usage();
	result = k->run(&w);
	printf("hpcc %s: size %zu, %zu times, result %.6g\n", k->name, w.n,
	       w.repeats, result);
	free(w.a);
	free(w.b);
	free(w.c);
	return 0;
}
