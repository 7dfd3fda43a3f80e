/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Loads that are made of certain instructions, as tables; one file for each
 * architecture, and one with empty tables for those nobody has written yet.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a row's number is. */
enum arch_kind {
	ARCH_LATENCY,  /* of one that waits for the one before; whole cycles */
	ARCH_INTERVAL, /* cycles for each, when none waits */
	ARCH_COST,     /* cycles for each, whole or not */
};

/* One instruction's cost. Its load runs on arch_operands. */
struct arch_row {
	const char *name; /* of the constant */
	void (*run)(void *arg, uint64_t times);
	double operations; /* each time */
	enum arch_kind kind;
	bool (*works)(void);     /* NULL: everywhere */
	const char *minus;       /* a constant that is part of the time */
	const char *flops;       /* constant for operations a cycle, or NULL */
	double flops_each;       /* operations of one instruction */
	const char *instruction; /* in words */
};

/* Ends with a row without a name. */
extern const struct arch_row arch_rows[];

/* What a stream does with memory. */
enum arch_stream {
	ARCH_READ,
	ARCH_WRITE,
	ARCH_COPY,
	ARCH_WRITE_NT, /* past the caches */
	ARCH_STREAMS
};

struct arch_memory {
	char *to;
	const char *from;
	size_t bytes; /* a multiple of ARCH_CHUNK */
};

#define ARCH_CHUNK 256

/*
 * The widest such stream that this machine runs: all of a struct arch_memory,
 * @times times. NULL: there is none.
 */
typedef void (*arch_run_fn)(void *memory, uint64_t times);
arch_run_fn arch_stream(enum arch_stream kind);

/* The same with the narrowest vectors, ARCH_NARROW bytes at a time. */
arch_run_fn arch_narrow_stream(enum arch_stream kind);
#define ARCH_NARROW 16

/* Its width in bytes; 0: no streams. */
unsigned arch_stream_width(void);

/* Operands for the rows: one, and numbers that keep results near it. */
struct arch_operands {
	double one[8];
	double near[8];    /* a little above one: a quotient of many digits */
	double tiny[8];    /* to be added many times */
	double factor[8];  /* nobody's square root */
	uint64_t place[8]; /* memory to store to */
	uint64_t number;
};
extern struct arch_operands arch_operands;

/* The processor's clock, after all that was to be done is done. */
uint64_t arch_ticks(void *unused);

/* Wait until all that was begun is done; nothing later begins before. */
void arch_fence(void);

/* Put the line that holds @address out of all caches; false: cannot. */
bool arch_flush(const void *address);
