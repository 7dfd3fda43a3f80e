/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Work whose time is compared: simulated cycles against the processor's own.
 *
 * A kernel keeps one part of the machine busy; a program does what programs do;
 * a version does the same as another one, faster or slower. None of them knows
 * of clocks or counters. Each is run once before it is timed, and then gives
 * the machine the same work again and again.
 *
 * A workload is added in the file of its kind: a row in that file's table. All
 * tables are listed in table.c.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum workload_kind {
	WORKLOAD_KERNEL,
	WORKLOAD_PROGRAM,
	WORKLOAD_VERSION, /* one of a pair */
	WORKLOAD_KINDS
};

/* The part of the machine that a kernel is bound by. */
enum workload_part {
	PART_ANY, /* programs: several */
	PART_ISSUE,
	PART_UNITS, /* latency and throughput of instructions */
	PART_BRANCH,
	PART_STORE, /* stores, and loads that wait for them */
	PART_L1,
	PART_L2,
	PART_L3,
	PART_MEMORY,
	PART_COUNT
};

extern const char *const workload_kinds[WORKLOAD_KINDS];
extern const char *const workload_parts[PART_COUNT];

/* Data caches of the machine, in bytes; guessed where it does not say. */
struct workload_machine {
	size_t l1, l2, l3;
};

struct workload;

struct workload_run {
	const struct workload *workload;
	struct workload_machine machine;
	char *memory; /* workload_bytes(), zeroed, on a page boundary */
	size_t bytes;
	void *cursor;    /* the workload's own */
	uint64_t result; /* so that nothing is computed for nobody */
};

struct workload {
	const char *name; /* "chase/L2" */
	const char *text;
	enum workload_kind kind;
	enum workload_part part;
	uint64_t times; /* iterations of a run: about a millisecond */
	size_t bytes;   /* of memory */
	size_t share;   /* or: so many per cent of the part's cache */
	void (*prepare)(struct workload_run *run); /* NULL: nothing to do */
	void (*run)(struct workload_run *run);
	const char *slower; /* a version: the other of the pair, which is
			       meant to be slower; or NULL */
};

struct workload_table {
	const struct workload *rows;
	size_t n;
};

extern const struct workload_table workload_units, workload_memory,
	workload_numeric, workload_search, workload_versions;

#define WORKLOAD_TABLE(rows_)                                                  \
	{                                                                      \
		.rows = (rows_), .n = sizeof(rows_) / sizeof((rows_)[0])       \
	}

size_t workload_count(void);
const struct workload *workload_get(size_t i);
const struct workload *workload_find(const char *name); /* NULL: none */

/* What this machine says of itself. */
void workload_describe_machine(struct workload_machine *machine);

/* Get memory and prepare; 0, or -1 if there is no memory. */
int workload_start(struct workload_run *run, const struct workload *workload,
		   const struct workload_machine *machine);
void workload_end(struct workload_run *run);

/* A number that looks random, from the one before. */
static inline uint64_t workload_random(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) +
		 UINT64_C(1442695040888963407);
	return *state >> 33;
}
