/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Kernels of caches and memory: chases, where each load waits for the one
 * before, and streams, where none does.
 */
#include "workload/workload.h"

#include <string.h>
#if defined(__x86_64__)
#include <emmintrin.h>
#endif

#define LINE 64u

/* ---- chases ---- */

/*
 * One ring through all lines, in an order that looks random. A power of two of
 * lines is used: a generator modulo that visits each once.
 */
static size_t ring_lines(const struct workload_run *run)
{
	size_t lines = 1;

	while (2 * lines * LINE <= run->bytes)
		lines *= 2;
	return lines;
}

static void link_lines(struct workload_run *run)
{
	size_t mask = ring_lines(run) - 1;

	for (size_t i = 0; i <= mask; i++) {
		size_t next = (i * 1664525 + 1013904223) & mask;

		*(void **)(void *)(run->memory + i * LINE) =
			run->memory + next * LINE;
	}
	run->cursor = run->memory;
}

/* Nothing of the ring is in a cache: what is read later comes from memory. */
static void link_and_flush(struct workload_run *run)
{
	link_lines(run);
#if defined(__x86_64__)
	for (size_t i = 0; i < run->bytes; i += LINE)
		_mm_clflush(run->memory + i);
#endif
}

static void chase(struct workload_run *run)
{
	void **at = run->cursor;

	for (uint64_t i = run->workload->times; i > 0; i -= 4) {
		at = *at;
		at = *at;
		at = *at;
		at = *at;
	}
	run->cursor = at;
}

#define CHAINS 8

static void link_chains(struct workload_run *run)
{
	link_and_flush(run);
}

/* Eight chases at once: how many misses can be waited for. */
static void chase_eight(struct workload_run *run)
{
	void **at[CHAINS];
	size_t lines = ring_lines(run);
	size_t first = ((size_t)(uintptr_t)run->cursor -
			(size_t)(uintptr_t)run->memory) /
		       LINE;

	for (size_t c = 0; c < CHAINS; c++)
		at[c] = (void **)(void *)(run->memory +
					  (first + c * (lines / CHAINS)) %
						  lines * LINE);
	for (uint64_t i = run->workload->times; i > 0; i--)
		for (size_t c = 0; c < CHAINS; c++)
			at[c] = *at[c];
	run->cursor = at[0];
	for (size_t c = 0; c < CHAINS; c++)
		run->result += (uint64_t)(uintptr_t)at[c];
}

/* ---- streams ---- */

/* Each run goes on where the last one ended, for times * LINE bytes. */
static size_t next_piece(struct workload_run *run, size_t bytes)
{
	size_t at = (size_t)(uintptr_t)run->cursor;

	if (at + bytes > run->bytes)
		at = 0;
	run->cursor = (void *)(uintptr_t)(at + bytes);
	return at;
}

static uint64_t read_lines(const char *from, size_t bytes)
{
#if defined(__x86_64__)
	__m128i a = _mm_setzero_si128(), b = a;

	for (const char *at = from; at < from + bytes; at += LINE) {
		const __m128i *v = (const __m128i *)(const void *)at;

		a = _mm_add_epi64(a, _mm_load_si128(v));
		b = _mm_add_epi64(b, _mm_load_si128(v + 1));
		a = _mm_add_epi64(a, _mm_load_si128(v + 2));
		b = _mm_add_epi64(b, _mm_load_si128(v + 3));
	}
	return (uint64_t)_mm_cvtsi128_si64(_mm_add_epi64(a, b));
#else
	uint64_t sum = 0;

	for (size_t i = 0; i < bytes; i += 8)
		sum += *(const uint64_t *)(const void *)(from + i);
	return sum;
#endif
}

static void write_lines(char *to, size_t bytes)
{
#if defined(__x86_64__)
	__m128i one = _mm_set1_epi8(1);

	for (char *at = to; at < to + bytes; at += LINE) {
		__m128i *v = (__m128i *)(void *)at;

		_mm_store_si128(v, one);
		_mm_store_si128(v + 1, one);
		_mm_store_si128(v + 2, one);
		_mm_store_si128(v + 3, one);
	}
#else
	for (size_t i = 0; i < bytes; i += 8)
		*(volatile uint64_t *)(void *)(to + i) = 1;
#endif
}

/* All of a small array, or a piece of a large one, so many bytes in all. */
static void over_pieces(struct workload_run *run,
			void (*piece)(struct workload_run *, char *, size_t))
{
	size_t left = run->workload->times * LINE;

	while (left > 0) {
		size_t bytes = left < run->bytes ? left : run->bytes;

		piece(run, run->memory + next_piece(run, bytes), bytes);
		left -= bytes;
	}
}

static void read_piece(struct workload_run *run, char *at, size_t bytes)
{
	run->result += read_lines(at, bytes);
}

static void write_piece(struct workload_run *run, char *at, size_t bytes)
{
	(void)run;
	write_lines(at, bytes);
}

static void copy_piece(struct workload_run *run, char *at, size_t bytes)
{
#if defined(__x86_64__)
	const char *from = at;
	char *to = at + bytes / 2;

	(void)run;
	for (size_t i = 0; i < bytes / 2; i += LINE) {
		const __m128i *a = (const __m128i *)(const void *)(from + i);
		__m128i *b = (__m128i *)(void *)(to + i);

		_mm_store_si128(b, _mm_load_si128(a));
		_mm_store_si128(b + 1, _mm_load_si128(a + 1));
		_mm_store_si128(b + 2, _mm_load_si128(a + 2));
		_mm_store_si128(b + 3, _mm_load_si128(a + 3));
	}
#else
	(void)run;
	memcpy(at + bytes / 2, at, bytes / 2);
#endif
}

static void stream_read(struct workload_run *run)
{
	over_pieces(run, read_piece);
}

static void stream_write(struct workload_run *run)
{
	over_pieces(run, write_piece);
}

static void stream_copy(struct workload_run *run)
{
	over_pieces(run, copy_piece);
}

#define CHASE(level, part_, share_, times_, prepare_)                          \
	{                                                                      \
		.name = "chase/" level, .text = "a chase through " level,      \
		.part = part_, .share = share_, .times = times_,               \
		.prepare = prepare_, .run = chase                              \
	}
#define STREAM(what, level, part_, share_, times_, run_)                       \
	{                                                                      \
		.name = what "/" level, .text = what " " level " in order",    \
		.part = part_, .share = share_, .times = times_, .run = run_   \
	}

/* A share of 50 % is half of L1D or L2; of L3 it is by L2, so that lines are
 * surely not there and the machine's neighbours leave it room; of memory by
 * L3. */
static const struct workload rows[] = {
	CHASE("L1D", PART_L1, 50, 800000, link_lines),
	CHASE("L2", PART_L2, 50, 200000, link_lines),
	CHASE("L3", PART_L3, 400, 60000, link_lines),
	CHASE("memory", PART_MEMORY, 400, 8000, link_and_flush),
	{ .name = "chase/8 at once",
	  .text = "eight pointer chases through memory at once",
	  .part = PART_MEMORY,
	  .share = 400,
	  .times = 3000,
	  .prepare = link_chains,
	  .run = chase_eight },
	STREAM("read", "L1D", PART_L1, 50, 600000, stream_read),
	STREAM("read", "L2", PART_L2, 50, 300000, stream_read),
	STREAM("read", "L3", PART_L3, 400, 200000, stream_read),
	STREAM("read", "memory", PART_MEMORY, 400, 150000, stream_read),
	STREAM("write", "L1D", PART_L1, 50, 600000, stream_write),
	STREAM("write", "L2", PART_L2, 50, 300000, stream_write),
	STREAM("write", "L3", PART_L3, 400, 200000, stream_write),
	STREAM("write", "memory", PART_MEMORY, 400, 100000, stream_write),
	STREAM("copy", "L2", PART_L2, 50, 300000, stream_copy),
	STREAM("copy", "L3", PART_L3, 400, 200000, stream_copy),
	STREAM("copy", "memory", PART_MEMORY, 400, 150000, stream_copy),
};

const struct workload_table workload_memory = WORKLOAD_TABLE(rows);
