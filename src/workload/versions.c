/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Versions: pairs of which the first is meant to be faster. What is asked is
 * whether simulated cycles put them in the same order as real time does.
 */
#include "workload/workload.h"

#include <math.h>

#define KEEP_BRANCH __asm__ volatile("")

static void fill_random(struct workload_run *run)
{
	uint32_t *v = (uint32_t *)(void *)run->memory;
	uint64_t state = 21;

	for (size_t i = 0; i < run->bytes / sizeof(*v); i++)
		v[i] = (uint32_t)workload_random(&state);
}

static void fill_doubles(struct workload_run *run)
{
	double *v = (double *)(void *)run->memory;

	for (size_t i = 0; i < run->bytes / sizeof(*v); i++)
		v[i] = 1.0 + (double)(i % 13);
}

static double *doubles(const struct workload_run *run)
{
	return (double *)(void *)run->memory;
}

static uint32_t *numbers(const struct workload_run *run)
{
	return (uint32_t *)(void *)run->memory;
}

static void keep(struct workload_run *run, double value)
{
	run->result += (uint64_t)(int64_t)value;
}

/* ---- matrices of 1,024 x 1,024 ---- */

#define SIDE 1024u

static void sum_rows(struct workload_run *run)
{
	const double *m = doubles(run);
	double sum = 0;

	for (size_t y = 0; y < SIDE; y++)
		for (size_t x = 0; x < SIDE; x++)
			sum += m[y * SIDE + x];
	keep(run, sum);
}

static void sum_columns(struct workload_run *run)
{
	const double *m = doubles(run);
	double sum = 0;

	for (size_t x = 0; x < SIDE; x++)
		for (size_t y = 0; y < SIDE; y++)
			sum += m[y * SIDE + x];
	keep(run, sum);
}

static void transpose_part(double *to, const double *from, size_t y, size_t x,
			   size_t side)
{
	for (size_t i = y; i < y + side; i++)
		for (size_t k = x; k < x + side; k++)
			to[k * SIDE + i] = from[i * SIDE + k];
}

static void transpose_blocks(struct workload_run *run)
{
	const double *from = doubles(run);
	double *to = doubles(run) + SIDE * SIDE + 64;

	for (size_t y = 0; y < SIDE; y += 8)
		for (size_t x = 0; x < SIDE; x += 8)
			transpose_part(to, from, y, x, 8);
}

static void transpose_all(struct workload_run *run)
{
	transpose_part(doubles(run) + SIDE * SIDE + 64, doubles(run), 0, 0,
		       SIDE);
}

/* Columns of which all lines share a set, or do not. */
static double sum_column(const double *from, size_t stride)
{
	double sum = 0;

	for (size_t pass = 0; pass < 64; pass++)
		for (size_t y = 0; y < 256; y++)
			sum += from[y * stride];
	return sum;
}

static void column_padded(struct workload_run *run)
{
	for (size_t i = 0; i < 8; i++)
		keep(run, sum_column(doubles(run), 512 + 8));
}

static void column_aliased(struct workload_run *run)
{
	for (size_t i = 0; i < 8; i++)
		keep(run, sum_column(doubles(run), 512));
}

/* ---- chains ---- */

#define SMALL 2048u

static void sum_four(struct workload_run *run)
{
	const double *v = doubles(run);
	double a = 0, b = 0, c = 0, d = 0;

	for (size_t pass = 0; pass < 200; pass++)
		for (size_t i = 0; i < SMALL; i += 4) {
			a += v[i];
			b += v[i + 1];
			c += v[i + 2];
			d += v[i + 3];
		}
	keep(run, a + b + c + d);
}

static void sum_one(struct workload_run *run)
{
	const double *v = doubles(run);
	double sum = 0;

	for (size_t pass = 0; pass < 200; pass++)
		for (size_t i = 0; i < SMALL; i++)
			sum += v[i];
	keep(run, sum);
}

/* 1 + x + ... + x^7 for many x, none of which waits for another's: the chain
 * within one is what differs. Each x depends on the last result a little. */
static void polynomial_pairs(struct workload_run *run)
{
	double x = 0.5;

	for (size_t i = 0; i < 100000; i++) {
		double x2 = x * x, x4 = x2 * x2;
		double y = ((1 + x) + (1 + x) * x2) +
			   ((1 + x) + (1 + x) * x2) * x4;

		x = 0.25 + y * 0.0625;
	}
	keep(run, x * 1000);
}

static void polynomial_horner(struct workload_run *run)
{
	double x = 0.5;

	for (size_t i = 0; i < 100000; i++) {
		double y = 1;

		for (int k = 0; k < 7; k++)
			y = y * x + 1;
		x = 0.25 + y * 0.0625;
	}
	keep(run, x * 1000);
}

static void histogram_four(struct workload_run *run)
{
	volatile uint32_t *bin = numbers(run) + 65536;

	for (size_t i = 0; i < 65536 * 4; i += 4) {
		bin[5]++;
		bin[64 + 5]++;
		bin[128 + 5]++;
		bin[192 + 5]++;
	}
}

static void histogram_one(struct workload_run *run)
{
	volatile uint32_t *bin = numbers(run) + 65536;

	for (size_t i = 0; i < 65536 * 4; i++)
		bin[5]++;
}

/* ---- branches ---- */

#define COUNTED 65536u

static void count_branchless(struct workload_run *run)
{
	const uint32_t *v = numbers(run);
	uint64_t n = 0;

	for (size_t i = 0; i < COUNTED; i++)
		n += v[i] >> 30 & 1;
	run->result += n;
}

static uint64_t count_by_branch(const uint32_t *v)
{
	uint64_t n = 0;

	for (size_t i = 0; i < COUNTED; i++)
		if (v[i] >> 30 & 1) {
			KEEP_BRANCH;
			n++;
		}
	return n;
}

static void count_branchy(struct workload_run *run)
{
	run->result += count_by_branch(numbers(run));
}

/* The same numbers, those that are counted last. */
static void fill_parted(struct workload_run *run)
{
	uint32_t *v = numbers(run);
	size_t from = 0;

	fill_random(run);
	for (size_t i = 0; i < COUNTED; i++)
		if (!(v[i] >> 30 & 1)) {
			uint32_t kept = v[i];

			v[i] = v[from];
			v[from++] = kept;
		}
}

static uint64_t op_add(uint64_t x)
{
	return x + 3;
}

static uint64_t op_double(uint64_t x)
{
	return 2 * x;
}

static uint64_t op_mix(uint64_t x)
{
	return x ^ x >> 7;
}

static uint64_t op_not(uint64_t x)
{
	return ~x;
}

static void dispatch(struct workload_run *run, unsigned shift)
{
	static uint64_t (*const ops[])(uint64_t) = { op_add, op_double, op_mix,
						     op_not };
	const uint32_t *v = numbers(run);
	uint64_t x = 1;

	for (size_t i = 0; i < COUNTED; i++)
		x = ops[shift ? i / (COUNTED / 4) : v[i] % 4](x);
	run->result += x;
}

static void dispatch_sorted(struct workload_run *run)
{
	dispatch(run, 1);
}

static void dispatch_random(struct workload_run *run)
{
	dispatch(run, 0);
}

/* Ones in a word: by table, and one after another. */
static void ones_by_arithmetic(struct workload_run *run)
{
	const uint32_t *v = numbers(run);
	uint64_t n = 0;

	for (size_t i = 0; i < COUNTED; i++) {
		uint32_t x = v[i];

		x -= x >> 1 & 0x55555555;
		x = (x & 0x33333333) + (x >> 2 & 0x33333333);
		x = (x + (x >> 4)) & 0x0f0f0f0f;
		n += (x * 0x01010101) >> 24;
	}
	run->result += n;
}

static void ones_by_loop(struct workload_run *run)
{
	const uint32_t *v = numbers(run);
	uint64_t n = 0;

	for (size_t i = 0; i < COUNTED; i++)
		for (uint32_t x = v[i]; x; x &= x - 1) {
			KEEP_BRANCH;
			n++;
		}
	run->result += n;
}

/* ---- arithmetic ---- */

static void divide_once(struct workload_run *run)
{
	double *v = doubles(run);
	double by = 1 / (v[0] + 2);

	for (size_t pass = 0; pass < 100; pass++)
		for (size_t i = 0; i < SMALL; i++)
			v[SMALL + i] = v[i] * by;
}

static void divide_each(struct workload_run *run)
{
	double *v = doubles(run);
	double by = v[0] + 2;

	for (size_t pass = 0; pass < 100; pass++)
		for (size_t i = 0; i < SMALL; i++)
			v[SMALL + i] = v[i] / by;
}

static void remainder_mask(struct workload_run *run)
{
	const uint32_t *v = numbers(run);
	uint64_t n = 0;

	for (size_t i = 0; i < COUNTED; i++)
		n += v[i] & 1023;
	run->result += n;
}

static void remainder_divide(struct workload_run *run)
{
	const uint32_t *v = numbers(run);
	uint64_t n = 0, by = run->machine.l1 ? 1024 : 1023;

	for (size_t i = 0; i < COUNTED; i++)
		n += v[i] % by;
	run->result += n;
}

static void distance_squared(struct workload_run *run)
{
	const double *v = doubles(run);
	double best = 1e300;

	for (size_t pass = 0; pass < 60; pass++)
		for (size_t i = 0; i < SMALL; i += 2) {
			double d = v[i] * v[i] + v[i + 1] * v[i + 1];

			best = d < best ? d : best;
		}
	keep(run, best);
}

static void distance_root(struct workload_run *run)
{
	const double *v = doubles(run);
	double best = 1e300;

	for (size_t pass = 0; pass < 60; pass++)
		for (size_t i = 0; i < SMALL; i += 2) {
			double d = v[i] * v[i] + v[i + 1] * v[i + 1];

			d = sqrt(d);
			best = d < best ? d : best;
		}
	keep(run, best);
}

/* ---- layouts ---- */

#define RECORDS 65536u

static void fields_apart(struct workload_run *run)
{
	const double *v = doubles(run);
	double sum = 0;

	for (size_t i = 0; i < RECORDS; i++)
		sum += v[i];
	keep(run, sum);
}

static void fields_together(struct workload_run *run)
{
	const double *v = doubles(run);
	double sum = 0;

	for (size_t i = 0; i < RECORDS; i++)
		sum += v[i * 8];
	keep(run, sum);
}

static void list_make(struct workload_run *run, size_t by)
{
	size_t *next = (size_t *)(void *)run->memory;

	for (size_t i = 0; i < RECORDS; i++)
		next[i * 8] = (i * by + 1013904223) % RECORDS;
}

static void list_in_order(struct workload_run *run)
{
	size_t *next = (size_t *)(void *)run->memory;

	for (size_t i = 0; i < RECORDS; i++)
		next[i * 8] = (i + 1) % RECORDS;
}

static void list_shuffled(struct workload_run *run)
{
	list_make(run, 1664525);
}

static void list_walk(struct workload_run *run)
{
	const size_t *next = (const size_t *)(void *)run->memory;
	size_t at = 0;

	for (size_t i = 0; i < RECORDS / 2; i++)
		at = next[at * 8];
	run->result += at;
}

static void gather(struct workload_run *run, size_t mask)
{
	const uint32_t *v = numbers(run);
	uint64_t state = 5, sum = 0;

	for (size_t i = 0; i < 100000; i++)
		sum += v[workload_random(&state) & mask];
	run->result += sum;
}

static void gather_small(struct workload_run *run)
{
	gather(run, 1023);
}

static void gather_large(struct workload_run *run)
{
	gather(run, ((size_t)1 << 23) - 1);
}

static void loops_fused(struct workload_run *run)
{
	double *restrict a = doubles(run);
	double *restrict b = a + SIDE * SIDE;

	for (size_t i = 0; i < SIDE * SIDE; i++) {
		double x = a[i] * 1.5;

		b[i] = x + 2;
		a[i] = x * 0.5;
	}
}

static void loops_apart(struct workload_run *run)
{
	double *restrict a = doubles(run);
	double *restrict b = a + SIDE * SIDE;

	for (size_t i = 0; i < SIDE * SIDE; i++)
		b[i] = a[i] * 1.5;
	for (size_t i = 0; i < SIDE * SIDE; i++)
		a[i] = b[i] * 0.5;
	for (size_t i = 0; i < SIDE * SIDE; i++)
		b[i] += 2;
}

static void bytes_by_word(struct workload_run *run)
{
	const uint64_t *v = (const uint64_t *)(void *)run->memory;
	uint64_t sum = 0;

	for (size_t i = 0; i < COUNTED / 8; i++)
		sum ^= v[i];
	run->result += sum;
}

static void bytes_one_by_one(struct workload_run *run)
{
	const unsigned char *v = (const unsigned char *)run->memory;
	uint64_t sum = 0;

	for (size_t i = 0; i < COUNTED; i++) {
		sum ^= v[i];
		__asm__ volatile("" : "+r"(sum));
	}
	run->result += sum;
}

/* ---- sorting ---- */

#define SORTED 1500u

/* Other numbers in each run, as a predictor learns by heart what repeats. */
static uint32_t *fresh(struct workload_run *run)
{
	size_t at = (size_t)(uintptr_t)run->cursor % 200;
	uint32_t *v = numbers(run) + SORTED * at;
	uint32_t *copy = numbers(run) + SORTED * 201;

	run->cursor = (void *)(uintptr_t)(at + 1);

	for (size_t i = 0; i < SORTED; i++)
		copy[i] = v[i];
	return copy;
}

static void sort_by_gap(uint32_t *v, size_t gap)
{
	for (size_t i = gap; i < SORTED; i++) {
		uint32_t x = v[i];
		size_t k = i;

		for (; k >= gap && v[k - gap] > x; k -= gap)
			v[k] = v[k - gap];
		v[k] = x;
	}
}

static void sort_shell(struct workload_run *run)
{
	static const size_t gaps[] = { 701, 301, 132, 57, 23, 10, 4, 1 };
	uint32_t *v = fresh(run);

	for (size_t i = 0; i < sizeof(gaps) / sizeof(gaps[0]); i++)
		sort_by_gap(v, gaps[i]);
	run->result += v[SORTED / 2];
}

static void sort_insertion(struct workload_run *run)
{
	uint32_t *v = fresh(run);

	sort_by_gap(v, 1);
	run->result += v[SORTED / 2];
}

#define PAIR(fast_, slow_, bytes_, prepare_, run_fast, run_slow)               \
	PAIR2(fast_, slow_, bytes_, prepare_, prepare_, run_fast, run_slow)
#define PAIR2(fast_, slow_, bytes_, prepare_fast, prepare_slow, run_fast,      \
	      run_slow)                                                        \
	{ .name = fast_,                                                       \
	  .text = fast_,                                                       \
	  .kind = WORKLOAD_VERSION,                                            \
	  .bytes = bytes_,                                                     \
	  .prepare = prepare_fast,                                             \
	  .run = run_fast,                                                     \
	  .slower = slow_ },                                                   \
	{                                                                      \
		.name = slow_, .text = slow_, .kind = WORKLOAD_VERSION,        \
		.bytes = bytes_, .prepare = prepare_slow, .run = run_slow      \
	}

#define MATRIX (SIDE * SIDE * sizeof(double))
#define WORDS  ((size_t)2 << 20)

/* clang-format off */
static const struct workload rows[] = {
	PAIR("sum by rows", "sum by columns", MATRIX, fill_doubles,
	     sum_rows, sum_columns),
	PAIR("transpose in blocks", "transpose", 2 * MATRIX + 4096,
	     fill_doubles, transpose_blocks, transpose_all),
	PAIR("column, padded", "column, aliased", MATRIX, fill_doubles,
	     column_padded, column_aliased),
	PAIR("four sums", "one sum", 32768, fill_doubles, sum_four, sum_one),
	PAIR("polynomial in pairs", "polynomial by Horner", 4096, NULL,
	     polynomial_pairs, polynomial_horner),
	PAIR("four bins", "one bin", WORDS, fill_random, histogram_four,
	     histogram_one),
	PAIR("branchless", "branch", WORDS, fill_random, count_branchless,
	     count_branchy),
	PAIR2("branch, parted", "branch, mixed", WORDS, fill_parted,
	      fill_random, count_branchy, count_branchy),
	PAIR("calls, sorted", "calls, mixed", WORDS, fill_random,
	     dispatch_sorted, dispatch_random),
	PAIR("ones by arithmetic", "ones one by one", WORDS, fill_random,
	     ones_by_arithmetic, ones_by_loop),
	PAIR("reciprocal", "division", 32768, fill_doubles, divide_once,
	     divide_each),
	PAIR("mask", "remainder", WORDS, fill_random, remainder_mask,
	     remainder_divide),
	PAIR("square", "square root", 32768, fill_doubles, distance_squared,
	     distance_root),
	PAIR("arrays of fields", "array of records", RECORDS * 64,
	     fill_doubles, fields_apart, fields_together),
	PAIR2("list in order", "list, shuffled", RECORDS * 64, list_in_order,
	      list_shuffled, list_walk, list_walk),
	PAIR("gather from 4 KB", "gather from 32 MB", (size_t)32 << 20,
	     fill_random, gather_small, gather_large),
	PAIR("loops fused", "loops apart", 2 * MATRIX, fill_doubles,
	     loops_fused, loops_apart),
	PAIR("bytes by word", "byte by byte", WORDS, fill_random,
	     bytes_by_word, bytes_one_by_one),
	PAIR("Shell's sort", "insertion sort", WORDS, fill_random, sort_shell,
	     sort_insertion),
};
/* clang-format on */

const struct workload_table workload_versions = WORKLOAD_TABLE(rows);
