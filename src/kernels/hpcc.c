/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the HPC Challenge benchmarks do, small enough for a simulator: for
 * Figure 2 of the 2011 paper, which shows what each of them waits for. Their
 * counts follow from no formula, so nothing is stated beside them, and nothing
 * but the figure uses them.
 */
#include <math.h>
#include <string.h>

#include "kernels/shuffle.h"
#include "kernels/tables.h"

#define PAGE 4096

static size_t memory_of(const struct kernel_point *p)
{
	return p->footprint + PAGE;
}

/* Nothing is zero, denormal or grows: no operation takes longer than others. */
static void prepare_numbers(struct kernel_run *run)
{
	double *d = run->memory;

	for (size_t i = 0; i < run->point.footprint / sizeof(*d); i++)
		d[i] = 1.0 + (double)(i % 7) / 8;
	run->state = 0;
}

/* ---- STREAM: one iteration is one element of each array ---- */

/* Three arrays, and how many elements of each are left before they end. */
struct arrays {
	double *restrict a;
	const double *restrict b, *restrict c;
	size_t n;
};

static struct arrays next_piece(struct kernel_run *run, uint64_t left)
{
	size_t n = run->point.footprint / 3 / sizeof(double);
	size_t at = (size_t)run->state;
	double *d = run->memory;
	struct arrays s = { d + at, d + n + at, d + 2 * n + at, n - at };

	if (s.n > left)
		s.n = (size_t)left;
	run->state = at + s.n < n ? at + s.n : 0;
	return s;
}

#define STREAM(function, value)                                                \
	static void function(struct kernel_run *run)                           \
	{                                                                      \
		for (uint64_t left = run->point.times; left > 0;) {            \
			struct arrays s = next_piece(run, left);               \
                                                                               \
			for (size_t i = 0; i < s.n; i++) {                     \
				s.a[i] = (value);                              \
				__asm__ volatile("" : : : "memory");           \
			}                                                      \
			left -= s.n;                                           \
		}                                                              \
	}

STREAM(stream_copy, s.b[i])
STREAM(stream_scale, 3.0 * s.b[i])
STREAM(stream_add, s.b[i] + s.c[i])
STREAM(stream_triad, s.b[i] + 3.0 * s.c[i])

/* ---- RandomAccess: one update of a word anywhere in a table ---- */

static void random_access(struct kernel_run *run)
{
	size_t n = run->point.footprint / sizeof(uint64_t);
	uint64_t *table = run->memory;
	uint64_t random = run->state ? run->state : SHUFFLE_SEED;

	for (uint64_t left = run->point.times; left > 0; left--)
		table[shuffle_below(&random, (uint32_t)n)] ^= random;
	run->state = random;
}

/* ---- DGEMM and HPL: products of blocks that stay in registers ---- */

enum {
	BLOCK = 16, /* three blocks fit into any first cache */
	TILE = 4,   /* and a tile into registers */
};

/* Two neighbours of a row, only as aligned as numbers are. */
typedef double pair __attribute__((vector_size(16), aligned(8), may_alias));

/* c = c - a b of one tile, where rows are @n apart. */
static void subtract_tile(double *c, const double *a, const double *b, size_t n)
{
	pair sum[TILE][2];

	for (size_t i = 0; i < TILE; i++)
		for (size_t j = 0; j < 2; j++)
			memcpy(&sum[i][j], c + i * n + 2 * j, sizeof(pair));
	for (size_t k = 0; k < BLOCK; k++) {
		pair low, high;

		memcpy(&low, b + k * n, sizeof(low));
		memcpy(&high, b + k * n + 2, sizeof(high));
#pragma GCC unroll 4
		for (size_t i = 0; i < TILE; i++) {
			double x = a[i * n + k];
			pair both = { x, x };

			sum[i][0] -= both * low;
			sum[i][1] -= both * high;
		}
	}
	for (size_t i = 0; i < TILE; i++)
		for (size_t j = 0; j < 2; j++)
			memcpy(c + i * n + 2 * j, &sum[i][j], sizeof(pair));
}

static void subtract_block(double *c, const double *a, const double *b,
			   size_t n)
{
	for (size_t i = 0; i < BLOCK; i += TILE)
		for (size_t j = 0; j < BLOCK; j += TILE)
			subtract_tile(c + i * n + j, a + i * n, b + j, n);
}

/* The largest order in whole blocks of @matrices of the footprint. */
static size_t order_of(const struct kernel_point *p, unsigned matrices)
{
	double elements = (double)p->footprint / sizeof(double) / matrices;

	return (size_t)sqrt(elements) / BLOCK * BLOCK;
}

/* ---- PTRANS: a matrix plus the transpose of another, by blocks ---- */

static void add_transposed(double *a, const double *b, size_t n)
{
	for (size_t i = 0; i < BLOCK; i++)
		for (size_t j = 0; j < BLOCK; j++)
			a[i * n + j] += b[j * n + i];
}

/* One row of blocks. */
static void transpose(struct kernel_run *run)
{
	size_t n = order_of(&run->point, 2);
	double *a = run->memory;
	const double *b = a + n * n;

	for (uint64_t row = 0; row < run->point.times; row++) {
		size_t i = (size_t)(row % (n / BLOCK)) * BLOCK;

		for (size_t j = 0; j < n; j += BLOCK)
			add_transposed(a + i * n + j, b + j * n + i, n);
	}
}

static void multiply(struct kernel_run *run)
{
	size_t n = order_of(&run->point, 3);
	double *c = run->memory;
	const double *a = c + n * n, *b = a + n * n;

	for (uint64_t left = run->point.times; left > 0; left--)
		for (size_t i = 0; i < n; i += BLOCK)
			for (size_t j = 0; j < n; j += BLOCK)
				for (size_t k = 0; k < n; k += BLOCK)
					subtract_block(c + i * n + j,
						       a + i * n + k,
						       b + k * n + j, n);
}

/* Columns [@from, @from + BLOCK) of a factorisation, all rows below. */
static void factor_panel(double *a, size_t n, size_t from)
{
	for (size_t k = from; k < from + BLOCK; k++)
		for (size_t i = k + 1; i < n; i++) {
			double x = a[i * n + k] / a[k * n + k];

			a[i * n + k] = x;
			for (size_t j = k + 1; j < from + BLOCK; j++)
				a[i * n + j] -= x * a[k * n + j];
		}
}

/* The rows of that block, right of it. */
static void solve_rows(double *a, size_t n, size_t from)
{
	for (size_t k = from; k < from + BLOCK; k++)
		for (size_t i = k + 1; i < from + BLOCK; i++)
			for (size_t j = from + BLOCK; j < n; j++)
				a[i * n + j] -= a[i * n + k] * a[k * n + j];
}

/*
 * HPL solves a system by LU factorisation, block by block. The diagonal is
 * large, so no row needs to be exchanged.
 */
static void factorise(struct kernel_run *run)
{
	size_t n = order_of(&run->point, 1);
	double *a = run->memory;

	for (uint64_t left = run->point.times; left > 0; left--) {
		prepare_numbers(run);
		for (size_t i = 0; i < n; i++)
			a[i * n + i] += 4.0 * (double)n;
		for (size_t k = 0; k < n; k += BLOCK) {
			factor_panel(a, n, k);
			solve_rows(a, n, k);
			for (size_t i = k + BLOCK; i < n; i += BLOCK)
				for (size_t j = k + BLOCK; j < n; j += BLOCK)
					subtract_block(a + i * n + j,
						       a + i * n + k,
						       a + k * n + j, n);
		}
	}
}

/* ---- FFT: radix 4, in place, digits reversed ---- */

typedef struct {
	double re, im;
} number;

static inline number plus(number a, number b)
{
	return (number){ a.re + b.re, a.im + b.im };
}

static inline number minus(number a, number b)
{
	return (number){ a.re - b.re, a.im - b.im };
}

static inline number times(number a, number b)
{
	return (number){ a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re };
}

/* Numbers, and as many powers of a root of one behind them. */
static size_t fft_size(const struct kernel_point *p)
{
	size_t n = 4;

	while (2 * 4 * n * sizeof(number) <= p->footprint)
		n *= 4;
	return n;
}

static void prepare_fft(struct kernel_run *run)
{
	size_t n = fft_size(&run->point);
	number *roots = (number *)run->memory + n;

	prepare_numbers(run);
	for (size_t i = 0; i < n; i++) {
		double angle =
			-2 * 3.14159265358979323846 * (double)i / (double)n;

		roots[i] = (number){ cos(angle), sin(angle) };
	}
}

/* x[0], x[step], ... of one step; @w: the three powers that they turn by. */
static inline void butterfly(number *x, size_t step, const number *w)
{
	number even = plus(x[0], x[2 * step]), odd = plus(x[step], x[3 * step]);
	number low = minus(x[0], x[2 * step]);
	number high = minus(x[step], x[3 * step]);
	number turned = { high.im, -high.re };

	x[0] = plus(even, odd);
	x[step] = times(plus(low, turned), w[0]);
	x[2 * step] = times(minus(even, odd), w[1]);
	x[3 * step] = times(minus(low, turned), w[2]);
}

static void transform(struct kernel_run *run)
{
	size_t n = fft_size(&run->point);
	number *x = run->memory;
	const number *roots = x + n;

	for (uint64_t t = 0; t < run->point.times; t++) {
		if (t % 64 == 63) /* each makes it sqrt(n) times as large */
			prepare_fft(run);
		for (size_t m = n; m > 1; m /= 4)
			for (size_t j = 0; j < m / 4; j++) {
				size_t turn = j * (n / m);
				number w[3] = { roots[turn], roots[2 * turn],
						roots[3 * turn] };

				for (size_t k = j; k < n; k += m)
					butterfly(x + k, m / 4, w);
			}
	}
}

/* ---- bandwidth: messages from one process's buffer to another's ---- */

#define MESSAGE ((size_t)64 << 10)

static void pass_messages(struct kernel_run *run)
{
	size_t half = run->point.footprint / 2;
	size_t places = half / MESSAGE;
	char *memory = run->memory;

	for (uint64_t t = 0; t < run->point.times; t++) {
		size_t at = (size_t)(t % places) * MESSAGE;
		uint64_t *to = (uint64_t *)(void *)(memory + half + at);
		const uint64_t *from = (const uint64_t *)(void *)(memory + at);

		for (size_t i = 0; i < MESSAGE / sizeof(*to); i++) {
			to[i] = from[i];
			__asm__ volatile("" : : : "memory");
		}
	}
}

/* Where nothing else is asked for: by elements, and by whole runs. */
static void points_of_elements(const struct kernel_machine *m,
			       struct kernel_points *to)
{
	(void)m;
	kernel_points_add(to, (struct kernel_point){ .times = 4096,
						     .footprint = 256 << 10 });
}

static void points_of_runs(const struct kernel_machine *m,
			   struct kernel_points *to)
{
	(void)m;
	kernel_points_add(to, (struct kernel_point){ .times = 1,
						     .footprint = 256 << 10 });
}

#define ROW(id, words, before, function, by)                                   \
	{                                                                      \
		.name = "hpcc/" id, .text = words, .role = ROLE_FIGURE,        \
		.uses = USES_FOOTPRINT, .large = LARGE_DATA | LARGE_CODE,      \
		.memory = memory_of, .prepare = before, .run = function,       \
		.points = points_of_##by                                       \
	}

static const struct kernel rows[] = {
	ROW("copy", "STREAM: copies of an array", prepare_numbers, stream_copy,
	    elements),
	ROW("scale", "STREAM: multiples of an array", prepare_numbers,
	    stream_scale, elements),
	ROW("add", "STREAM: sums of two arrays", prepare_numbers, stream_add,
	    elements),
	ROW("triad", "STREAM: sums of an array and a multiple", prepare_numbers,
	    stream_triad, elements),
	ROW("random", "RandomAccess: updates of random words", prepare_numbers,
	    random_access, elements),
	ROW("transpose", "PTRANS: rows of a matrix plus a transpose, in blocks",
	    prepare_numbers, transpose, runs),
	ROW("multiply", "DGEMM: products of matrices in blocks",
	    prepare_numbers, multiply, runs),
	ROW("factorise", "HPL: an LU factorisation in blocks", prepare_numbers,
	    factorise, runs),
	ROW("transform", "FFT: radix 4, in place", prepare_fft, transform,
	    runs),
	ROW("messages", "bandwidth: messages of 64 KB between buffers",
	    prepare_numbers, pass_messages, runs),
};

KERNEL_TABLE(kernels_hpcc, rows);
