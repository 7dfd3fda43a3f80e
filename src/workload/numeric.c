/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Programs that compute: products of matrices in three loop orders, streams, a
 * stencil, a sparse product, a Fourier transform, copies.
 */
#include "workload/workload.h"

#include <math.h>
#include <string.h>

static double *doubles(const struct workload_run *run, size_t from)
{
	return (double *)(void *)run->memory + from;
}

static void fill(struct workload_run *run)
{
	double *d = doubles(run, 0);

	for (size_t i = 0; i < run->bytes / sizeof(*d); i++)
		d[i] = (double)(i % 17) + 0.5;
}

/* ---- products of matrices ---- */

#define ORDER 200u

static void matmul_ijk(struct workload_run *run)
{
	double *a = doubles(run, 0), *b = a + ORDER * ORDER,
	       *c = b + ORDER * ORDER;

	for (size_t i = 0; i < ORDER; i++)
		for (size_t j = 0; j < ORDER; j++) {
			double sum = 0;

			for (size_t k = 0; k < ORDER; k++)
				sum += a[i * ORDER + k] * b[k * ORDER + j];
			c[i * ORDER + j] = sum;
		}
}

static void matmul_ikj(struct workload_run *run)
{
	double *a = doubles(run, 0), *b = a + ORDER * ORDER,
	       *c = b + ORDER * ORDER;

	for (size_t i = 0; i < ORDER; i++)
		for (size_t k = 0; k < ORDER; k++) {
			double x = a[i * ORDER + k];

			for (size_t j = 0; j < ORDER; j++)
				c[i * ORDER + j] += x * b[k * ORDER + j];
		}
}

static void matmul_jki(struct workload_run *run)
{
	double *a = doubles(run, 0), *b = a + ORDER * ORDER,
	       *c = b + ORDER * ORDER;

	for (size_t j = 0; j < ORDER; j++)
		for (size_t k = 0; k < ORDER; k++) {
			double x = b[k * ORDER + j];

			for (size_t i = 0; i < ORDER; i++)
				c[i * ORDER + j] += a[i * ORDER + k] * x;
		}
}

/* ---- streams ---- */

static void triad(struct workload_run *run)
{
	size_t n = run->bytes / sizeof(double) / 3;
	size_t piece = run->workload->times;
	size_t at = (size_t)(uintptr_t)run->cursor;
	double *restrict a = doubles(run, at);
	const double *restrict b = doubles(run, n + at);
	const double *restrict c = doubles(run, 2 * n + at);

	for (size_t i = 0; i < piece; i++)
		a[i] = b[i] + 3.0 * c[i];
	at += piece;
	run->cursor = (void *)(uintptr_t)(at + piece > n ? 0 : at);
}

static void copy(struct workload_run *run)
{
	size_t half = run->bytes / 2, piece = run->workload->times;
	size_t at = (size_t)(uintptr_t)run->cursor;

	memcpy(run->memory + half + at, run->memory + at, piece);
	at += piece;
	run->cursor = (void *)(uintptr_t)(at + piece > half ? 0 : at);
}

/* ---- stencil: each point becomes the mean of its neighbours ---- */

#define SIDE 700u

static void stencil(struct workload_run *run)
{
	const double *restrict from = doubles(run, 0);
	double *restrict to = doubles(run, SIDE * SIDE);

	for (size_t y = 1; y + 1 < SIDE; y++)
		for (size_t x = 1; x + 1 < SIDE; x++) {
			size_t i = y * SIDE + x;

			to[i] = 0.2 * (from[i] + from[i - 1] + from[i + 1] +
				       from[i - SIDE] + from[i + SIDE]);
		}
}

/* ---- sparse matrix by vector ---- */

#define SPARSE_ROWS 20000u
#define SPARSE_EACH 12u

static uint32_t *columns_of(const struct workload_run *run)
{
	return (uint32_t *)(void *)(run->memory + SPARSE_ROWS *
							  (SPARSE_EACH + 2) *
							  sizeof(double));
}

static void make_sparse(struct workload_run *run)
{
	uint32_t *column = columns_of(run);
	double *value = doubles(run, 0);
	uint64_t state = 1;

	for (size_t i = 0; i < SPARSE_ROWS * SPARSE_EACH; i++) {
		column[i] = (uint32_t)(workload_random(&state) % SPARSE_ROWS);
		value[i] = 1.0 / (double)(column[i] + 1);
	}
	for (size_t i = 0; i < SPARSE_ROWS; i++)
		value[SPARSE_ROWS * SPARSE_EACH + i] = 1;
}

static void sparse(struct workload_run *run)
{
	const uint32_t *column = columns_of(run);
	const double *value = doubles(run, 0);
	const double *x = value + SPARSE_ROWS * SPARSE_EACH;
	double *y = doubles(run, SPARSE_ROWS * (SPARSE_EACH + 1));

	for (size_t row = 0; row < SPARSE_ROWS; row++) {
		double sum = 0;

		for (size_t i = row * SPARSE_EACH; i < (row + 1) * SPARSE_EACH;
		     i++)
			sum += value[i] * x[column[i]];
		y[row] = sum;
	}
}

/* ---- Fourier transform, radix 2, in place ---- */

#define FFT_BITS 14u
#define FFT_SIZE (1u << FFT_BITS)

static void make_fft(struct workload_run *run)
{
	double *roots = doubles(run, 2 * FFT_SIZE);

	fill(run);
	for (size_t i = 0; i < FFT_SIZE / 2; i++) {
		double angle =
			-2 * 3.14159265358979323846 * (double)i / FFT_SIZE;

		roots[2 * i] = cos(angle);
		roots[2 * i + 1] = sin(angle);
	}
}

static size_t reversed(size_t i)
{
	size_t r = 0;

	for (unsigned b = 0; b < FFT_BITS; b++)
		r |= (i >> b & 1) << (FFT_BITS - 1 - b);
	return r;
}

static void butterflies(double *d, const double *roots, size_t half)
{
	size_t step = FFT_SIZE / 2 / half;

	for (size_t from = 0; from < FFT_SIZE; from += 2 * half)
		for (size_t i = 0; i < half; i++) {
			double *a = d + 2 * (from + i), *b = a + 2 * half;
			const double *w = roots + 2 * i * step;
			double re = b[0] * w[0] - b[1] * w[1];
			double im = b[0] * w[1] + b[1] * w[0];

			b[0] = a[0] - re;
			b[1] = a[1] - im;
			a[0] += re;
			a[1] += im;
		}
}

/* Scaled by its size at once, so that many in turn stay finite. */
static void fft(struct workload_run *run)
{
	double *d = doubles(run, 0);

	for (size_t i = 0; i < FFT_SIZE; i++) {
		size_t r = reversed(i);

		for (size_t k = 0; k < 2 && r > i; k++) {
			double kept = d[2 * i + k];

			d[2 * i + k] = d[2 * r + k];
			d[2 * r + k] = kept;
		}
	}
	for (size_t half = 1; half < FFT_SIZE; half *= 2)
		butterflies(d, doubles(run, 2 * FFT_SIZE), half);
	for (size_t i = 0; i < 2 * FFT_SIZE; i++)
		d[i] *= 1.0 / 128; /* the root of the size */
}

#define MATMUL(order, text_, run_, slower_)                                    \
	{                                                                      \
		.name = "matmul-" order,                                       \
		.text = "product of matrices, " text_,                         \
		.kind = WORKLOAD_PROGRAM, .bytes = MATRICES, .times = 1,       \
		.prepare = fill, .run = run_, .slower = slower_                \
	}
#define PROGRAM(name_, text_, bytes_, times_, prepare_, run_)                  \
	{                                                                      \
		.name = name_, .text = text_, .kind = WORKLOAD_PROGRAM,        \
		.bytes = bytes_, .times = times_, .prepare = prepare_,         \
		.run = run_                                                    \
	}
#define MATRICES (3 * ORDER * ORDER * sizeof(double))

static const struct workload rows[] = {
	MATMUL("ijk", "dot products", matmul_ijk, NULL),
	MATMUL("ikj", "row by row", matmul_ikj, "matmul-ijk"),
	MATMUL("jki", "column by column", matmul_jki, "matmul-ijk"),
	PROGRAM("triad", "STREAM triad, larger than any cache",
		(size_t)240 << 20, 1000000, fill, triad),
	PROGRAM("memcpy", "copies of 8 MB, larger than any cache in all",
		(size_t)160 << 20, (size_t)8 << 20, fill, copy),
	PROGRAM("stencil", "five-point stencil on 700 x 700",
		2 * SIDE * SIDE * sizeof(double), 1, fill, stencil),
	PROGRAM("sparse", "sparse matrix-vector product, 240,000 elements",
		SPARSE_ROWS *(SPARSE_EACH + 2) * 8 +
			SPARSE_ROWS * SPARSE_EACH * 4,
		1, make_sparse, sparse),
	PROGRAM("fft", "Fourier transform of 16,384 points",
		3 * FFT_SIZE * sizeof(double), 1, make_fft, fft),
};

const struct workload_table workload_numeric = WORKLOAD_TABLE(rows);
